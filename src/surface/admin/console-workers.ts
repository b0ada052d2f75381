/** One serving process, as the console shows it. */
export interface ConsoleWorker {
  /** Decimal u64. */
  readonly id: string;
  readonly name: string;
  /** `host:port`. */
  readonly endpoint: string;
  readonly role: "aggregated" | "prefill" | "decode" | "encode";
  readonly health: "healthy" | "unhealthy" | "unknown";
  /** Leaving: keeps what it has, gets nothing new. */
  readonly isDraining: boolean;
  /** Neither unhealthy nor draining. */
  readonly isEligible: boolean;
  /** Names of the models it serves; empty = every model. */
  readonly models: readonly string[];
  /** What is wrong with how it is set up; empty = nothing is known to be. */
  readonly problems: readonly ConsoleProblem[];
  /** Ascending by `dpRank`. */
  readonly ranks: readonly ConsoleRank[];
}

export interface ConsoleProblem {
  /** One of few fixed names. */
  readonly kind: string;
  /** For people. */
  readonly message: string;
}

/** Load in requests, tokens and blocks. */
export interface ConsoleLoad {
  readonly requests: number;
  /** Prompt tokens still to prefill. */
  readonly prefillTokens: number;
  /** Blocks in use by running requests. */
  readonly decodeBlocks: number;
}

/** One engine replica inside a worker. */
export interface ConsoleRank {
  readonly dpRank: number;
  /** Booked through this picker (all its shards). */
  readonly booked: ConsoleLoad;
  /** Booked by other replicas; undefined where load is not shared. */
  readonly siblings: ConsoleLoad | undefined;
  /** What the engine reports beyond both; undefined where it reports nothing. */
  readonly foreign: ConsoleLoad | undefined;
  /** Requests sent to it since it is known, running ones among them. */
  readonly requestsTotal: number;
  /** Blocks that it is known to hold from its KV events. A block may be in several tiers: the tiers do not add up to `total`. */
  readonly heldBlocks: {
    readonly total: number;
    readonly device: number;
    readonly host: number;
    readonly disk: number;
    /** In storage that others share. */
    readonly external: number;
  };
  /** Blocks that it is guessed to hold from what was sent to it. */
  readonly guessedBlocks: number;
  /** Blocks its device can hold, in blocks of the model's size; undefined = not known. */
  readonly totalKvBlocks: number | undefined;
  /** Undefined when it publishes no KV events. */
  readonly kvEvents: ConsoleKvEvents | undefined;
  /** What its engine's metrics page says; undefined unless it is read and has answered. */
  readonly engine: ConsoleEngine | undefined;
}

/** How well a rank's cache is known. Counts are since it is followed. */
export interface ConsoleKvEvents {
  /** `live`: events come; `quiet`: connected, no event yet; `connecting`: no connection; `problem`: see `problems`. */
  readonly state: "live" | "quiet" | "connecting" | "problem";
  /** Where it publishes them. */
  readonly endpoint: string;
  /** Sequence number of the last batch applied, decimal; undefined before the first. */
  readonly lastSequence: string | undefined;
  /** Time since the last batch; undefined before the first. */
  readonly lastEventAgeMs: number | undefined;
  /** Between the engine's sending of the last batch and its application here, by both clocks; undefined when not known. */
  readonly lagMs: number | undefined;
  /** Events that changed something. */
  readonly applied: number;
  /** Events left out, by one of few fixed reasons. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Gaps in the sequence numbers, repaired or not. */
  readonly gaps: number;
  /** Times that past events were asked for again. */
  readonly replays: number;
  /** Times that its blocks were forgotten: its engine started anew, or a gap could not be repaired. */
  readonly resets: number;
  readonly problems: readonly ConsoleProblem[];
}

export interface ConsoleEngine {
  readonly runningRequests: number | undefined;
  readonly waitingRequests: number | undefined;
  /** Share of its KV blocks in use, 0 to 1. */
  readonly kvUsage: number | undefined;
  /** Age of these figures. */
  readonly ageMs: number;
}
