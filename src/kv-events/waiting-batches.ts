import type { NumberedPayload } from "./frames.ts";

/** Bounds what the batches of all streams together take in memory while they wait. One object for the whole process. */
export class BatchMemory {
  readonly #maxBytes: number;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  /** @param maxBytes of the batches that wait. Default 256 MiB */
  constructor(maxBytes = 256 * 1_048_576) {
    if (!(maxBytes > 0)) throw new RangeError(`maxBytes must be > 0, got ${maxBytes}`);
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  take(bytes: number): void {
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
    if (this.isFull) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls once when there is memory again. */
  whenGiven(wake: () => void): void {
    this.#waiting.add(wake);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}

/** Batches of one stream that have come in and are not applied yet, in their order: bounded in number, and in bytes together with others. */
export class WaitingBatches {
  readonly #memory: BatchMemory;
  readonly #maxBatches: number;
  readonly #batches = new Set<NumberedPayload>();
  readonly #wake = (): void => this.#onRoom?.();
  #onRoom: (() => void) | undefined;
  #isClosed = false;

  constructor(memory: BatchMemory, maxBatches: number) {
    this.#memory = memory;
    this.#maxBatches = maxBatches;
  }

  get count(): number {
    return this.#batches.size;
  }

  /** The one that came first. */
  get oldest(): NumberedPayload | undefined {
    return this.#batches.values().next().value;
  }

  /** Whether the engine has started anew while they came in. */
  get hasRestart(): boolean {
    let last = -1;
    for (const { sequence } of this.#batches) {
      if (sequence <= last) return true;
      last = sequence;
    }
    return false;
  }

  /** Nothing is kept once it is closed. */
  add(message: NumberedPayload): void {
    if (this.#isClosed) return;
    this.#batches.add(message);
    this.#memory.take(costOf(message));
  }

  /** Takes out the oldest; undefined when none waits. */
  shift(): NumberedPayload | undefined {
    const { oldest } = this;
    if (oldest !== undefined) this.#drop(oldest);
    return oldest;
  }

  /**
   * Resolves when one more may wait, or all is over. A stream of which none waits always has room: whoever fills the memory cannot
   * starve it.
   */
  async room(): Promise<void> {
    while (!this.#isClosed && this.#isFull()) {
      if (this.#memory.isFull) this.#memory.whenGiven(this.#wake);
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
    this.#onRoom = undefined;
  }

  /** Drops the batches up to the last one that is known: what they tell is known as well. */
  dropKnown(isKnown: (batch: NumberedPayload) => boolean): void {
    const all = [...this.#batches];
    for (const batch of all.slice(0, all.findLastIndex(isKnown) + 1)) this.#drop(batch);
  }

  /** Drops all, for good. */
  close(): void {
    this.#isClosed = true;
    this.#memory.forget(this.#wake);
    for (const batch of [...this.#batches]) this.#drop(batch);
    this.#wake();
  }

  #drop(batch: NumberedPayload): void {
    this.#batches.delete(batch);
    this.#memory.give(costOf(batch));
    this.#wake();
  }

  #isFull(): boolean {
    if (this.#batches.size === 0) return false;
    return this.#batches.size >= this.#maxBatches || this.#memory.isFull;
  }
}

/** Memory of a batch beside its bytes. */
const batchOverheadBytes = 256;

function costOf({ payload }: NumberedPayload): number {
  return payload.length + batchOverheadBytes;
}
