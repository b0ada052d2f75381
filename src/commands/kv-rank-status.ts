/** What is wrong with a rank's KV events; each has a metric label, and one line in the log. */
export type KvProblemKind =
  /** The rank was sent prompts that were new to it, and says nothing of them. */
  | "silent"
  /** Its blocks are of another size than the model's setting. */
  | "block_size_mismatch"
  /** Its hashes stand for other blocks than they did, or none of the prompts sent to it turns up in its cache. */
  | "hash_mismatch"
  /** Events were lost for good, and what is known may be wrong until the engine starts anew or clears its cache. */
  | "stale"
  /** Its messages are no KV events. */
  | "unreadable";

export interface KvProblem {
  readonly kind: KvProblemKind;
  /** For people: what is wrong, and what to look at. No tokens, no hashes. */
  readonly message: string;
}

/** How well the cache of one rank is known. Counts are since it is followed. */
export interface KvRankStatus {
  /** Where it publishes its events. */
  readonly endpoint: string;
  readonly isConnected: boolean;
  /** Sequence number of the last batch applied; undefined before the first. */
  readonly lastSequence: number | undefined;
  /** Time since the last batch, ms; undefined before the first. */
  readonly lastEventAgeMs: number | undefined;
  /** When the engine sent the last batch, by its own clock, ms since 1970; undefined when it does not say. */
  readonly lastSentAtMs: number | undefined;
  /** Blocks that it is known to hold. */
  readonly blocks: number;
  /** Events that changed something: blocks stored or removed, and clears. */
  readonly applied: number;
  /** Events left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Gaps in the sequence numbers, repaired or not. */
  readonly gaps: number;
  /** Times that past events were asked for. */
  readonly replays: number;
  /** Times that its blocks were forgotten: its engine started anew, or a gap could not be repaired. */
  readonly resets: number;
  /** What is wrong at present; empty = nothing is known to be. */
  readonly problems: readonly KvProblem[];
}
