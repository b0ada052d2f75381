/** What is counted of a rank's event stream. */
export type KvEventCounter =
  | "batches"
  | "replayed_batches"
  | "duplicate_batches"
  | "bad_batches"
  | "failed_batches"
  | "blocks_stored"
  | "blocks_removed"
  /** Put into a lower tier by their hashes alone. */
  | "blocks_moved"
  | "clears"
  /** Events that change nothing; the reason is a `FilterReason` of src/kv. */
  | "filtered_events"
  /** Events that were not understood; the reason is a `SkipReason` of src/kv. */
  | "skipped_events"
  /** Events of a data-parallel rank that nobody knows. */
  | "unknown_rank_events"
  | "gaps"
  | "restarts"
  | "replays"
  | "replay_failures"
  /** Gaps that could not be repaired. */
  | "lost_tracks";

/** Where the subscriber counts. */
export interface KvEventCounters {
  add(counter: KvEventCounter, slot: number, amount: number, reason?: string): void;
}

/** Where the subscriber reports; shaped as pino. No tokens and no hashes are given to it. */
export interface KvEventLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
