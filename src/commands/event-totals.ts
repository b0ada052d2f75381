import type { KvEventCounter } from "../kv-events/index.ts";
import type { KvEventSample } from "../telemetry/index.ts";

/** Reasons are few and fixed; the bound keeps a surprise from growing the metrics. */
const maxReasons = 64;

const appliedCounters: ReadonlySet<KvEventCounter> = new Set<KvEventCounter>([
  "blocks_stored",
  "blocks_removed",
  "blocks_moved",
  "clears",
]);
const droppedCounters: ReadonlySet<KvEventCounter> = new Set<KvEventCounter>([
  "filtered_events",
  "skipped_events",
  "unknown_rank_events",
  "bad_batches",
  "failed_batches",
]);

/** What came of one rank's KV events since it is followed. */
export class EventTotals {
  readonly #totals = new Map<KvEventCounter, number>();
  readonly #dropped = new Map<string, number>();

  add(counter: KvEventCounter, amount: number, reason?: string): void {
    this.#totals.set(counter, this.#of(counter) + amount);
    if (!droppedCounters.has(counter)) return;
    const name = reason ?? counter;
    const key = this.#dropped.has(name) || this.#dropped.size < maxReasons ? name : "other";
    this.#dropped.set(key, (this.#dropped.get(key) ?? 0) + amount);
  }

  sample(): Omit<KvEventSample, "lastEventAgeMs" | "problems"> & { readonly replays: number } {
    let applied = 0;
    for (const counter of appliedCounters) applied += this.#of(counter);
    return {
      applied,
      dropped: Object.fromEntries(this.#dropped),
      gaps: this.#of("gaps"),
      replays: this.#of("replays"),
      resets: this.#of("lost_tracks") + this.#of("restarts"),
    };
  }

  #of(counter: KvEventCounter): number {
    return this.#totals.get(counter) ?? 0;
  }
}
