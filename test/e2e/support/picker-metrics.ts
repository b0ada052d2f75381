import type { Gateway } from "./gateway.ts";
import { parseMetrics, sumOf } from "./metrics.ts";
import { until } from "./until.ts";

/** What the picker thinks is going on at one moment. */
export interface PickerLoad {
  /** Open ext_proc streams. */
  readonly streams: number;
  /** Requests booked at workers. */
  readonly requests: number;
  /** Prompt tokens booked and not yet prefilled. */
  readonly prefillTokens: number;
}

/** Reads the load from the picker's metrics. */
export async function loadOf(gateway: Gateway): Promise<PickerLoad> {
  const samples = parseMetrics(await gateway.picker.metricsText());
  return {
    streams: sumOf(samples, "pointsman_open_streams"),
    requests: sumOf(samples, "pointsman_worker_active_requests"),
    prefillTokens: sumOf(samples, "pointsman_worker_active_prefill_tokens"),
  };
}

/** Waits until nothing is open or booked. */
export async function idle(gateway: Gateway): Promise<void> {
  const look = async (): Promise<boolean> => {
    const { streams, requests, prefillTokens } = await loadOf(gateway);
    return streams === 0 && requests === 0 && prefillTokens === 0;
  };
  await until(look, { what: "an idle picker" });
}

/** Requests that another worker served than the picked one. */
export async function mismatchesOf(gateway: Gateway): Promise<number> {
  return sumOf(parseMetrics(await gateway.picker.metricsText()), "pointsman_endpoint_mismatches_total");
}

/** Whether the picker may pick any rank of a worker. */
export async function isEligible(gateway: Gateway, worker: string): Promise<boolean> {
  return sumOf(parseMetrics(await gateway.picker.metricsText()), "pointsman_worker_eligible", { worker }) > 0;
}

/** Prompt tokens that the picker read from the workers' answers, and answers of which it could not read any. */
export async function countedTokens(gateway: Gateway): Promise<{ readonly input: number; readonly unread: number }> {
  const samples = parseMetrics(await gateway.picker.metricsText());
  return {
    input: sumOf(samples, "pointsman_served_input_tokens_total"),
    unread: sumOf(samples, "pointsman_usage_unread_total"),
  };
}

/** Waits until the picker has taken in every KV event that the workers have published. */
export async function eventsFollowed(gateway: Gateway): Promise<void> {
  const look = async (): Promise<boolean> => {
    const samples = parseMetrics(await gateway.picker.metricsText());
    return gateway.workers.every((worker) => {
      const labels = { worker: worker.name };
      return sumOf(samples, "pointsman_kv_events_applied_total", labels) >= worker.stats().eventChanges;
    });
  };
  await until(look, { what: "the picker to follow the KV events" });
}
