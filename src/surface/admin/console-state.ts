import type { PickSummary } from "./console-picks.ts";
import type { ConsoleWorker } from "./console-workers.ts";

/**
 * What the console shows: the answer to `GET /api/state` and the data of each `event: state` of `GET /api/events`, as JSON. Members
 * that are `undefined` here are absent there. Holds no prompt text, token ids or hashes. Times are ms since 1970 (`...AtMs`) or
 * lengths in ms; worker ids are decimal u64 in strings.
 */
export interface ConsoleState {
  /** When it had been read: a state is read step by step, between picks, so that figures of two ranks may be of two moments. */
  readonly nowAtMs: number;
  /** Between two states of `GET /api/events`. A large fleet may make it longer. */
  readonly updateIntervalMs: number;
  readonly version: string;
  /** Of the deployment, `mode` first, then `mixedModes`. */
  readonly modes: readonly ConsoleMode[];
  /** When the process started. */
  readonly startedAtMs: number;
  readonly ready: ConsoleReadiness;
  readonly models: readonly ConsoleModel[];
  /** In the order of their names, at most `admin.maxRanks` ranks in all. */
  readonly workers: readonly ConsoleWorker[];
  /** Workers that exist and are not listed. */
  readonly workersLeftOut: number;
  /** Since the start of the process. */
  readonly totals: ConsoleTotals;
  readonly history: ConsoleHistory;
  /** The latest decisions, the newest first, at most 50. */
  readonly picks: readonly PickSummary[];
  /** The latest requests that were refused, the newest first, at most 50. */
  readonly refusals: readonly ConsoleRefusal[];
  /** Undefined where admission is off: nobody waits. */
  readonly admission: ConsoleAdmission | undefined;
  /** Undefined where load is not shared with other replicas. */
  readonly replicas: ConsoleReplicas | undefined;
  /** Undefined where the index is not restored from a peer at the start. */
  readonly recovery: ConsoleRecovery | undefined;
  /** Undefined unless the mode `queue` is on. */
  readonly queueFront: ConsoleQueueFront | undefined;
  /** One entry a process; undefined where there is one process only. Everything else is of all of them together. */
  readonly shards: readonly ConsoleShard[] | undefined;
}

export type ConsoleMode = "ext-proc" | "proxy" | "query" | "reserve" | "queue";

export interface ConsoleReadiness {
  readonly isReady: boolean;
  /** For people, why not; empty = ready. */
  readonly reasons: readonly string[];
}

export interface ConsoleModel {
  readonly name: string;
  /** Other names that requests may use, those of LoRA adapters among them. */
  readonly aliases: readonly string[];
  /** Tokens in a block. */
  readonly blockSize: number;
  /** Who tokenizes behind the gateway. Undefined for a model that is placed by load only. */
  readonly profile: "dynamo" | "vllm" | "sglang" | undefined;
  /** `exact`: prompts are tokenized as the workers do it; `load`: requests are placed by load alone; `loading`: not known yet. */
  readonly tokens: "exact" | "load" | "loading";
  /** For people: why by load. Undefined unless `tokens` is `load`. */
  readonly loadReason: string | undefined;
  /** Requests since the start whose tokens were not known, by the reason: images, text that cannot be rendered, a model still loading. */
  readonly inexact: Readonly<Record<string, number>>;
  readonly index: {
    /** Blocks held, summed over ranks. */
    readonly blocks: number;
    /** Most of them. */
    readonly maxBlocks: number;
    /** Blocks guessed to be held, summed over ranks. */
    readonly guessedBlocks: number;
    readonly usedBytes: number;
    /** Since the start, blocks forgotten because the index was full. */
    readonly evictedBlocks: number;
  };
}

/** Counts since the start of the process. */
export interface ConsoleTotals {
  /** Requests that were placed, and callers of the route API that were told a worker. */
  readonly picks: number;
  /** Requests that were answered with an error of the picker's, for whatever reason. */
  readonly refusals: number;
  /** Complete blocks of the prompts of placed requests whose tokens are known. */
  readonly promptBlocks: number;
  /** Of these, those that the picked worker was believed to hold. The hit rate is `heldBlocks / promptBlocks`. */
  readonly heldBlocks: number;
}

/**
 * The last minutes, oldest first, one value a point in each list; all lists are of one length, at most `admin.historyMinutes` x 60 000 /
 * `intervalMs`. Each point is what happened in the time before it.
 */
export interface ConsoleHistory {
  /** Between two points, as planned. A point is missing where the process stood still. */
  readonly intervalMs: number;
  /** How far back the list reaches at most. */
  readonly spanMs: number;
  /** End of each point's time, a multiple of `intervalMs`. */
  readonly atMs: readonly number[];
  readonly picks: readonly number[];
  readonly refusals: readonly number[];
  readonly promptBlocks: readonly number[];
  readonly heldBlocks: readonly number[];
  /** `picks` by the time that they really took. */
  readonly picksPerSecond: readonly number[];
  /** Requests booked on all ranks at that moment. */
  readonly requests: readonly number[];
  /** Over the last seconds, at most 10. */
  readonly latest: {
    readonly picksPerSecond: number;
    readonly refusalsPerSecond: number;
    /** Complete blocks of prompts, and those of them that were held. */
    readonly promptBlocks: number;
    readonly heldBlocks: number;
    /** `heldBlocks / promptBlocks`; undefined when there were none. */
    readonly hitRatio: number | undefined;
  };
}

/** A request that was answered with an error of the picker's. Holds nothing of its body but, maybe, the model's name. */
export interface ConsoleRefusal {
  /** `17`, or `2-17` with shards. */
  readonly id: string;
  readonly atMs: number;
  /** By which way it came. */
  readonly surface: "ext-proc" | "proxy" | "route-api" | "decisions" | "queue";
  /** HTTP status of the answer. */
  readonly status: number;
  /** One of few fixed words. */
  readonly code: string;
  /** The request field at fault; undefined when no field is. */
  readonly field: string | undefined;
  /** For people, as the client was told; undefined where that may have had something of the request's body. */
  readonly reason: string | undefined;
  /** The request's `x-request-id`; undefined when it has none. */
  readonly requestId: string | undefined;
}

/** Requests that wait because all workers are too busy. */
export interface ConsoleAdmission {
  readonly waiting: number;
  readonly maxWaiting: number;
}

export interface ConsoleReplicas {
  /** Of this replica, a new one at each start. */
  readonly id: string;
  /** This replica's name. */
  readonly name: string;
  /** Whether the others can be heard: Redis is connected. */
  readonly isConnected: boolean;
  /** Another replica has this one's name, which must not be. */
  readonly isNameShared: boolean;
  readonly siblings: readonly ConsoleSibling[];
}

export interface ConsoleSibling {
  readonly id: string;
  readonly name: string;
  /** Since it was last heard. */
  readonly heardAgoMs: number;
  /** Messages of it that were lost. */
  readonly missed: number;
  /** Requests that it has booked. */
  readonly requests: number;
  /** Ranks known here that it has booked on. */
  readonly ranks: number;
}

/** How far the recovery of the index from a peer is, or how it ended. */
export interface ConsoleRecovery {
  readonly state: "idle" | "seeking" | "restoring" | "catching_up" | "recovered" | "cold";
  /** Whose index it is. */
  readonly peer: string | undefined;
  readonly blocks: number;
  readonly tookMs: number;
}

/** What the front of the queues holds. */
export interface ConsoleQueueFront {
  readonly isConnected: boolean;
  /** Requests of clients under way. */
  readonly running: number;
  /** Requests that wait for their results. */
  readonly waiting: number;
  readonly queues: readonly {
    readonly name: string;
    /** Requests in it when it was last looked at. */
    readonly depth: number;
  }[];
}

/** One of several processes of a picker. */
export interface ConsoleShard {
  readonly shard: number;
  readonly isReady: boolean;
  /** Whether what it has to tell is in this state; false = it did not answer in time. */
  readonly isTold: boolean;
  /** Times that it was started again. */
  readonly restarts: number;
  /** Its own. */
  readonly totals: ConsoleTotals | undefined;
  /** Requests booked through it. */
  readonly requests: number | undefined;
}

/** The body of every answer that is an error. */
export interface ConsoleError {
  readonly error: { readonly code: string; readonly message: string };
}
