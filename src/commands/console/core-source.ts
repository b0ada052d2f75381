import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../../config/index.ts";
import type { Catalogue, Worker } from "../../fleet/index.ts";
import type {
  ConsoleReplicas,
  ConsoleSource,
  ConsoleState,
  ConsoleTotals,
  ConsoleWorker,
  ExplainedPick,
  History,
  PickSummary,
} from "../../surface/admin/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { version } from "../../version.ts";
import type { Core } from "../assemble.ts";
import { modesOf } from "../modes.ts";
import type { RecoveryView } from "../peer-recovery.ts";
import type { Readiness } from "../readiness.ts";
import type { Replication } from "../replication.ts";
import { modelState } from "./model-state.ts";
import { explainedPick, listedPicks, pickState } from "./pick-state.ts";
import { type WorkerSigns, workerState } from "./rank-state.ts";

/** What the console shows of a running picker. */
export interface ShownPicker extends Omit<WorkerSigns, "core"> {
  readonly config: Config;
  readonly core: Core;
  readonly metrics: Pick<Metrics, "requests" | "queue">;
  readonly readiness: Readiness;
  /** Undefined where there are no peers. */
  readonly recovery: RecoveryView | undefined;
  /** Undefined where load is not shared. */
  readonly replication: Replication | undefined;
}

/** Times, as a source needs them. */
export interface ConsoleTime {
  /** ms since 1970. */
  wall(): number;
  /** ms on a monotonic scale. */
  now(): number;
}

/** Ranks that are read in one turn of the event loop: well below 5 ms. */
const turnRanks = 256;

/** The console of one process. */
export class CoreSource implements ConsoleSource {
  readonly #shown: ShownPicker;
  readonly #history: History;
  readonly #time: ConsoleTime;
  readonly #startedAtMs: number;
  /** The workers by name, as they were last. */
  #order: readonly Worker[] = [];

  /** @param startedAtMs when the process started, ms since 1970 */
  constructor(shown: ShownPicker, history: History, time: ConsoleTime, startedAtMs: number) {
    this.#shown = shown;
    this.#history = history;
    this.#time = time;
    this.#startedAtMs = startedAtMs;
  }

  /** Adds a point to the history. */
  addPoint(): void {
    const { core } = this.#shown;
    let requests = 0;
    for (const worker of core.catalogue.workers()) {
      for (const { slot } of worker.ranks) requests += core.loads.activeRequests(slot);
    }
    this.#history.add(this.#totals(), requests, this.#time.wall(), this.#time.now());
  }

  async state(): Promise<ConsoleState> {
    const { config, core, metrics, readiness } = this.#shown;
    const nowAtMs = this.#time.wall();
    const { workers, leftOut } = await this.#workers(nowAtMs);
    const totals = this.#totals();
    this.#history.read(totals, this.#time.now());
    return {
      nowAtMs,
      updateIntervalMs: config.admin.updateIntervalMs,
      version,
      modes: modesOf(config),
      startedAtMs: this.#startedAtMs,
      ready: { isReady: readiness.isReady, reasons: readiness.reasons },
      models: core.models.values().map((model) => {
        const settings = config.models.find(({ name }) => name === model.name);
        return modelState(model, settings, metrics.requests);
      }),
      workers,
      workersLeftOut: leftOut,
      totals,
      history: this.#history.state(),
      picks: core.decisions.recent(listedPicks).map(pickState),
      admission: core.queue && { waiting: core.queue.size, maxWaiting: config.admission.maxQueued },
      replicas: this.#replicas(),
      recovery: this.#recovery(),
      queueFront: this.#queueFront(),
      shards: undefined,
    };
  }

  async picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]> {
    return this.#shown.core.decisions.recent(limit, requestId).map(pickState);
  }

  async explain(id: string): Promise<ExplainedPick | undefined> {
    const decision = this.#shown.core.decisions.find(Number(id));
    return decision && explainedPick(decision);
  }

  #totals(): ConsoleTotals {
    return this.#shown.metrics.requests.totals();
  }

  async #workers(nowAtMs: number): Promise<{ readonly workers: readonly ConsoleWorker[]; readonly leftOut: number }> {
    const { core, config } = this.#shown;
    this.#order = ordered(this.#order, core.catalogue);
    const workers: ConsoleWorker[] = [];
    let ranks = 0;
    let inTurn = 0;
    for (const worker of this.#order) {
      ranks += worker.ranks.length;
      if (ranks > config.admin.maxRanks) break;
      if (inTurn >= turnRanks) {
        await nextTurn();
        inTurn = 0;
      }
      inTurn += worker.ranks.length;
      // It may have gone meanwhile.
      if (core.catalogue.get(worker.id) === worker) workers.push(workerState(worker, this.#shown, nowAtMs));
    }
    return { workers, leftOut: Math.max(0, core.catalogue.size - workers.length) };
  }

  #replicas(): ConsoleReplicas | undefined {
    const status = this.#shown.replication?.status();
    if (status === undefined) return undefined;
    const { id, name, isConnected, isNameShared, siblings } = status;
    return {
      id,
      name,
      isConnected,
      isNameShared,
      siblings: siblings.map(({ heardMsAgo, ...sibling }) => ({ ...sibling, heardAgoMs: Math.round(heardMsAgo) })),
    };
  }

  #recovery(): ConsoleState["recovery"] {
    const status = this.#shown.recovery?.status;
    if (status === undefined) return undefined;
    const { state, peer, blocks, tookMs } = status;
    return { state, peer, blocks, tookMs: Math.round(tookMs) };
  }

  #queueFront(): ConsoleState["queueFront"] {
    const front = this.#shown.metrics.queue.state;
    if (front === undefined) return undefined;
    const { isConnected, running, waiting, depths } = front;
    return { isConnected, running, waiting, queues: [...depths].map(([name, depth]) => ({ name, depth })) };
  }
}

/** The workers by name. Those that were there before are in order: little is left to sort. */
function ordered(before: readonly Worker[], catalogue: Catalogue): readonly Worker[] {
  const known = new Set(before);
  const kept = before.filter((worker) => catalogue.get(worker.id) === worker);
  const added = [...catalogue.workers()].filter((worker) => !known.has(worker));
  return [...kept, ...added].sort(byName);
}

/** Numbers in names count as numbers: gpu-2 comes before gpu-10. */
const collator = new Intl.Collator("en", { numeric: true });

function byName(a: Worker, b: Worker): number {
  return collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);
}
