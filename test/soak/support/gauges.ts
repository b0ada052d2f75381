import type { Sample } from "../../e2e/support/metrics.ts";
import type { Stack } from "../stack.ts";

/** What is 0 when nobody asks for anything. */
export const drainedGauges = [
  "pointsman_open_streams",
  "pointsman_picks_in_flight",
  "pointsman_held_body_bytes",
  "pointsman_reservations",
  "pointsman_leases",
  "pointsman_queued_requests",
  "pointsman_thread_queue",
  "pointsman_thread_running",
  "pointsman_proxy_requests",
  "pointsman_proxy_held_body_bytes",
  "pointsman_worker_active_requests",
  "pointsman_worker_active_prefill_tokens",
  "pointsman_worker_active_decode_blocks",
  "pointsman_replica_worker_requests",
  "pointsman_replica_worker_prefill_tokens",
  "pointsman_replica_worker_decode_blocks",
  "pointsman_index_waiting_blocks",
] as const;

/** What is watched beside. */
const otherGauges = [
  "pointsman_index_blocks",
  "pointsman_index_bytes",
  "pointsman_sessions",
  "pointsman_proxy_stored_responses",
  "pointsman_replica_siblings",
  "pointsman_ready_ranks",
  "pointsman_kv_event_gaps_total",
  "pointsman_kv_event_resets_total",
  "pointsman_shadow_checks_total",
] as const;

/** Gauges by name, summed over their labels; those that a program does not have are left out. */
export type Gauges = Readonly<Record<string, number>>;

function gaugesOf(samples: readonly Sample[]): Gauges {
  const gauges: Record<string, number> = {};
  for (const { name, value } of samples) {
    if (wanted.has(name)) gauges[name] = (gauges[name] ?? 0) + value;
  }
  return gauges;
}

const wanted = new Set<string>([...drainedGauges, ...otherGauges]);

/** Gauges of every picker that runs, by its name. */
export async function allGauges(stack: Stack): Promise<Readonly<Record<string, Gauges>>> {
  const names = Object.keys(stack.pickers) as (keyof Stack["pickers"])[];
  const pages = await Promise.all(names.map((name) => stack.metricsOf(name)));
  return Object.fromEntries(names.map((name, i) => [name, gaugesOf(pages[i] ?? [])]));
}

/** What is not 0 and should be, in words; empty when nothing is under way anywhere. */
export async function underWay(stack: Stack): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, gauges] of Object.entries(await allGauges(stack))) {
    for (const gauge of drainedGauges) if ((gauges[gauge] ?? 0) !== 0) found.push(`${name}: ${gauge} ${gauges[gauge]}`);
  }
  for (const pod of stack.workers.values()) {
    const { running, waiting, blocksInUse } = await pod.stats();
    if (running + waiting + blocksInUse > 0)
      found.push(`${pod.name}: ${running} running, ${blocksInUse} blocks in use`);
  }
  const keys = await stack.queuedKeys();
  if (keys > 0) found.push(`queue: ${keys} requests`);
  return found;
}
