interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Virtual time: what is due next happens next, without waiting. */
export class EventQueue {
  /** A binary heap, the earliest first. */
  readonly #heap: Event[] = [];
  #nowMs = 0;
  #order = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): void {
    this.#heap.push({ atMs: this.#nowMs + delayMs, order: this.#order++, run });
    this.#rise(this.#heap.length - 1);
  }

  /** When the next thing is due; Infinity = nothing is left to happen. */
  get nextAtMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  /** Time passes without anything happening. @param atMs not after `nextAtMs` */
  advanceTo(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /** Until nothing is left to happen. */
  run(): void {
    while (this.runNext());
  }

  /** @returns false when nothing was left to happen */
  runNext(): boolean {
    const next = this.#take();
    if (next === undefined) return false;
    this.#nowMs = next.atMs;
    next.run();
    return true;
  }

  #take(): Event | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #rise(at: number): void {
    const parent = (at - 1) >> 1;
    if (at === 0 || !this.#isBefore(at, parent)) return;
    this.#swap(at, parent);
    this.#rise(parent);
  }

  #sink(at: number): void {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < this.#heap.length && this.#isBefore(child, least)) least = child;
    }
    if (least === at) return;
    this.#swap(at, least);
    this.#sink(least);
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x === undefined || y === undefined) return false;
    return x.atMs < y.atMs || (x.atMs === y.atMs && x.order < y.order);
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x === undefined || y === undefined) return;
    this.#heap[a] = y;
    this.#heap[b] = x;
  }
}
