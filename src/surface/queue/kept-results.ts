import type { QueueResult } from "../../queue/index.ts";

export interface KeptResultsOptions {
  /** How long a result is kept, ms. */
  readonly ttlMs: number;
  /** Most results; the oldest are forgotten. */
  readonly maxEntries: number;
  /** Most characters of them all. */
  readonly maxChars: number;
}

interface Entry {
  readonly result: QueueResult;
  readonly untilMs: number;
}

/** Results that may be asked for again, for a while. */
export class KeptResults {
  readonly #options: KeptResultsOptions;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  #chars = 0;

  /** @param now milliseconds on a monotonic scale */
  constructor(options: KeptResultsOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  keep(key: string, result: QueueResult): void {
    this.forget(key);
    this.#entries.set(key, { result, untilMs: this.#now() + this.#options.ttlMs });
    this.#chars += result.payload.length;
    this.#shrink();
  }

  get(key: string): QueueResult | undefined {
    this.#shrink();
    return this.#entries.get(key)?.result;
  }

  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#chars -= entry.result.payload.length;
  }

  /** All live equally long: the oldest are the first to go. */
  #shrink(): void {
    const { maxEntries, maxChars } = this.#options;
    for (const [key, { untilMs }] of this.#entries) {
      const isOver = this.#entries.size > maxEntries || this.#chars > maxChars;
      if (!isOver && untilMs > this.#now()) return;
      this.forget(key);
    }
  }
}
