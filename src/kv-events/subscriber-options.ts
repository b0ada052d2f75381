/** What happens to a rank's prefixes when events were lost for good. */
export type LostTrackPolicy = "reset" | "stale";

export interface KvEventSubscriberOptions {
  /** Address of the engine's event publisher, `tcp://host:port`. */
  readonly endpoint: string;
  /** Address of its replay socket; absent = lost events cannot be fetched again. */
  readonly replayEndpoint?: string | undefined;
  /** Topic of the events. Default "": all. */
  readonly topic?: string | undefined;
  /** Slot of the rank. */
  readonly slot: number;
  /** Slot of another data-parallel rank whose events this stream carries too; absent = all events are of `slot`. */
  readonly slotOfRank?: ((dataParallelRank: number) => number | undefined) | undefined;
  /** Tokens in a block of the index. */
  readonly blockSize: number;
  /**
   * After a gap that no replay filled: "reset" forgets the rank's prefixes and goes on, "stale" keeps them and says so in the
   * status until the engine clears its cache, restarts, or a replay gives a whole picture. Default "reset".
   */
  readonly onLostTrack?: LostTrackPolicy | undefined;
  /** Longest wait for the next message of a replay, ms. Live events wait as long. Default 2,000. */
  readonly replayIdleMs?: number | undefined;
  /** Longest replay, ms. Default 10,000. */
  readonly replayTotalMs?: number | undefined;
  /** After a failed replay no other is tried for this long, ms. Default 30,000. */
  readonly replayBackoffMs?: number | undefined;
  /** First pause before connecting again, ms; it doubles each time. Default 100. */
  readonly reconnectMinMs?: number | undefined;
  /** Longest such pause, ms. Default 5,000. */
  readonly reconnectMaxMs?: number | undefined;
  /** Most batches that wait in memory while others are applied; then the engine's side buffers. Default 4,096. */
  readonly maxPendingBatches?: number | undefined;
  /** Longest batch that is decoded, bytes; a longer one is left out, as one that cannot be read. Default 8 MiB. */
  readonly maxBatchBytes?: number | undefined;
}

/** The options with their defaults. Throws RangeError for a bad one. */
export function resolveSubscriberOptions(options: KvEventSubscriberOptions) {
  const resolved = {
    ...options,
    topic: options.topic ?? "",
    onLostTrack: options.onLostTrack ?? "reset",
    replayIdleMs: options.replayIdleMs ?? 2_000,
    replayTotalMs: options.replayTotalMs ?? 10_000,
    replayBackoffMs: options.replayBackoffMs ?? 30_000,
    reconnectMinMs: options.reconnectMinMs ?? 100,
    reconnectMaxMs: options.reconnectMaxMs ?? 5_000,
    maxPendingBatches: options.maxPendingBatches ?? 4_096,
    maxBatchBytes: options.maxBatchBytes ?? 8 * 1_048_576,
  };
  for (const name of [
    "replayIdleMs",
    "replayTotalMs",
    "reconnectMinMs",
    "reconnectMaxMs",
    "maxPendingBatches",
    "maxBatchBytes",
    "blockSize",
  ] as const) {
    if (!(resolved[name] > 0)) throw new RangeError(`${name} must be > 0, got ${resolved[name]}`);
  }
  if (!(resolved.replayBackoffMs >= 0)) {
    throw new RangeError(`replayBackoffMs must be >= 0, got ${resolved.replayBackoffMs}`);
  }
  return resolved;
}
