/** The releases that differ on the wire: to v0.9 requests are popped, from v0.10 on they are claimed. */
export type ProcessorVersion = "v0.9" | "v0.10";

export const processorVersions: readonly ProcessorVersion[] = ["v0.9", "v0.10"];

/** A gate's own settings, as its JSON has them. */
export type GateParams = Readonly<Record<string, unknown>>;

/** What decides whether a request may go on. */
export interface GateOptions {
  /** An unknown type is always open. Default: no gate. */
  readonly gate_type?: string;
  readonly gate_params?: GateParams;
}

/** One request queue, with the names of the processor's own file. */
export interface QueueOptions extends GateOptions {
  readonly queue_name: string;
  /** Beats the list that a request names. Default: none. */
  readonly result_queue_name?: string;
  /** Default `default`. */
  readonly worker_pool_id?: string;
  readonly inference_objective?: string;
  /** Where a request without an endpoint goes. Default /v1/completions. */
  readonly request_path_url?: string;
  readonly igw_base_url: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Time to live of the result list, in s, from v0.10 on. Default 0: for ever. */
  readonly result_ttl_seconds?: number;
}

/** How Redis is reached, and what is read from there. */
export interface TransportOptions {
  /** `redis://` or `rediss://`, a password in it. Not needed with Sentinel. */
  readonly url?: string;
  /** Default single; `sentinel` needs `addrs` and `master_name`. */
  readonly mode?: "single" | "sentinel";
  /** Sentinels, `host:port`. */
  readonly addrs?: readonly string[];
  readonly master_name?: string;
  /** PEM of who signed the server's certificate. */
  readonly ca?: string;
  /** Default retry-sortedset. */
  readonly retry_queue_name?: string;
  /** For requests that name no list, of queues that name none. Default result-list. */
  readonly result_queue_name?: string;
  /** Default 1000. */
  readonly poll_interval_ms?: number;
  /** Requests taken of a queue at each poll. Default 10. */
  readonly batch_size?: number;
  /** How long a claim holds without renewal, from v0.10 on. Default 300. */
  readonly claim_lease_ttl_seconds?: number;
  /** Default 15 000. */
  readonly claim_reclaim_interval_ms?: number;
  readonly queues: readonly QueueOptions[];
}

/** Workers that share a merge policy and a gate. */
export interface PoolOptions extends GateOptions {
  /** Requests under way at once. Default: `concurrency` of the processor. */
  readonly workers?: number;
  /** Default random-robin. */
  readonly merge_policy?: "random-robin" | "tier-priority";
  readonly tier_label?: string;
  /** Default x-llm-d-inference-fairness-id. */
  readonly fairness_header?: string;
  /** Metadata whose value the header gets. Default userid. */
  readonly fairness_attribute?: string;
}

/** All that a processor is told. It is JSON, so that another process can be told too. */
export interface ProcessorOptions {
  readonly version: ProcessorVersion;
  readonly transport: TransportOptions;
  /** By `worker_pool_id`. Default: one pool of defaults for each that a queue names. */
  readonly pools?: Readonly<Record<string, PoolOptions>>;
  /** Default 64. */
  readonly concurrency?: number;
  /** Longest time of one request to the gateway. Default 300 000. */
  readonly requestTimeoutMs?: number;
  /** How long `drain` waits for requests under way. Default 120 000. */
  readonly drainTimeoutMs?: number;
  /** First step of the retries' backoff, in s; the real one's is 2. */
  readonly backoffBaseS?: number;
  /** Added to this machine's clock. Default 0. */
  readonly clockSkewMs?: number;
}

/** The settings of a queue that has none of its own. */
export const defaults = {
  pool: "default",
  path: "/v1/completions",
  retryQueue: "retry-sortedset",
  resultQueue: "result-list",
  pollIntervalMs: 1_000,
  batchSize: 10,
  leaseS: 300,
  reclaimIntervalMs: 15_000,
  concurrency: 64,
  requestTimeoutMs: 300_000,
  drainTimeoutMs: 120_000,
  backoffBaseS: 2,
} as const;
