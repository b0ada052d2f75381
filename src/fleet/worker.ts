import type { HandoverSettings } from "./handover.ts";
/** One serving process. Decimal u64 on the wire, so bigint, never number. */
export type WorkerId = bigint & { readonly __brand: "WorkerId" };

/** What a worker does for a request: all of it, its prompt only, its output only, or only its images, which nobody routes to it. */
export type WorkerRole = "aggregated" | "prefill" | "decode" | "encode";

/** `unknown` until the first verdict; it counts as healthy. */
export type WorkerHealth = "healthy" | "unhealthy" | "unknown";

/** Where a dp rank publishes its KV events. */
export interface KvEventSource {
  /** ZMQ PUB address, `tcp://host:port`. */
  readonly endpoint: string;
  /** ZMQ ROUTER address that replays past events; undefined when the worker has none. */
  readonly replayEndpoint: string | undefined;
}

/** Request headers that a worker's sidecar or engine asks for, beside those of the model's profile. */
export interface WorkerHeaderSettings {
  /** Whether `x-data-parallel-rank` names the picked rank. */
  readonly sendsDataParallelRank: boolean;
  /** Whether a picked prefill worker is named in `x-prefiller-host-port`. */
  readonly sendsPrefillHost: boolean;
}

/** How an engine's server scores the next token of a prompt: SGLang's `/generate` without any output. */
export interface ScoringCapability {
  /**
   * The body field that keeps a request's blocks apart in its cache: `cache_salt` from SGLang #30827 on; before, it knows `extra_key`
   * only, and passes over the other without a word.
   */
  readonly saltField: "cache_salt" | "extra_key";
  /** Longest context, tokens: a prompt must be shorter; undefined = not known. */
  readonly contextTokens: number | undefined;
  /** Whether it tells how many tokens of a prompt came from its cache. */
  readonly measuresCachedTokens: boolean;
  /** Most candidates of a question. */
  readonly maxCandidates: number;
}

/** What discovery knows of a worker. Two specs of one id with different incarnations are two workers. */
export interface WorkerSpec {
  readonly id: WorkerId;
  /** Tells a worker from an earlier one of the same id: pod UID, or the registration. */
  readonly incarnation: string;
  /** Name for people, unique among live workers by convention only. */
  readonly name: string;
  /** `host:port` or `[v6]:port`; the catalogue keeps its canonical form. */
  readonly endpoint: string;
  /**
   * The endpoint is a name for callers that send requests themselves: any text, and neither another one nor another event
   * source makes it another worker. Default false.
   */
  readonly isCallerAddressed?: boolean;
  readonly role: WorkerRole;
  /** Names of the models it serves; empty = every model. */
  readonly models: readonly string[];
  /** LoRA adapters that it has loaded, by the names that requests use; absent = it does not say, and counts as having all. */
  readonly adapters?: ReadonlySet<string> | undefined;
  /** First data-parallel rank; 0 when there is no data parallelism. */
  readonly dpRankStart: number;
  /** Number of data-parallel ranks, >= 1. */
  readonly dpSize: number;
  /** Event source of rank `dpRankStart + i` at index i; shorter or holes = that rank publishes none. */
  readonly kvEvents: readonly (KvEventSource | undefined)[];
  /** KV blocks a rank can hold on its device; undefined when not known. */
  readonly totalKvBlocks: number | undefined;
  /** Properties that a request can require or prefer. */
  readonly taints: ReadonlySet<string>;
  readonly labels: ReadonlyMap<string, string>;
  readonly headers: WorkerHeaderSettings;
  /** `host:port` of the engine's metrics page; absent = the endpoint's. */
  readonly metricsEndpoint?: string | undefined;
  /** How it takes part in requests that the proxy splits; absent = the proxy sends it whole requests only. */
  readonly handover?: HandoverSettings | undefined;
  /** How it scores prompts; absent = it cannot. */
  readonly scoring?: ScoringCapability | undefined;
  /** Path of the health check, `/health` as a rule; undefined = not probed. */
  readonly healthPath: string | undefined;
}

/** A worker in the catalogue. The object lives as long as the incarnation; its fields follow updates. */
export interface Worker extends WorkerSpec {
  /** Ascending dp rank, length = `dpSize`. */
  readonly ranks: readonly WorkerRank[];
  readonly health: WorkerHealth;
  /** Leaving: keeps what it has, gets nothing new. */
  readonly isDraining: boolean;
}

/** An engine replica inside a worker: what a request is placed on. */
export interface WorkerRank {
  readonly worker: Worker;
  readonly dpRank: number;
  /** Dense index of this rank in every per-rank table; reused after the rank is gone. */
  readonly slot: number;
  readonly kvEvents: KvEventSource | undefined;
}
