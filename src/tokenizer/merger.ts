import { MergeQueue } from "./merge-queue.ts";
import type { MergeTable } from "./merge-table.ts";

/** Up to here looking at every pair for the lowest rank is faster than a queue. */
const shortWord = 32;
const gone = -1;

/** Runs the merges of BPE over one word: lowest rank first, leftmost first among equals. */
export class Merger {
  /** The word's symbols before, its tokens after `merge`. */
  symbols = new Int32Array(1 << 10);
  #next = new Int32Array(1 << 10);
  #previous = new Int32Array(1 << 10);
  readonly #table: MergeTable;

  constructor(table: MergeTable) {
    this.#table = table;
  }

  /** Makes room for `count` symbols; those that were set are lost. */
  reserve(count: number): void {
    if (count <= this.symbols.length) return;
    const capacity = 2 ** Math.ceil(Math.log2(count));
    this.symbols = new Int32Array(capacity);
    this.#next = new Int32Array(capacity);
    this.#previous = new Int32Array(capacity);
  }

  /** Gives memory back after an unusually long word. */
  shrink(capacity: number): void {
    if (this.symbols.length <= capacity) return;
    this.symbols = new Int32Array(0);
    this.reserve(capacity);
  }

  /**
   * Merges `symbols[0, count)` in place. O(n^2) up to 32 symbols, O(n log n) above.
   * @returns how many tokens are left
   */
  merge(count: number): number {
    if (count < 2) return count;
    return count <= shortWord ? this.#mergeShort(count) : this.#mergeLong(count);
  }

  #mergeShort(count: number): number {
    const { symbols } = this;
    const table = this.#table;
    const handles = this.#next;
    for (let index = 0; index < count - 1; index++) {
      handles[index] = table.find(symbols[index] as number, symbols[index + 1] as number);
    }
    let length = count;
    for (;;) {
      const best = this.#lowest(length - 1);
      if (best < 0) return length;
      symbols[best] = table.mergedOf(handles[best] as number);
      length--;
      for (let index = best + 1; index < length; index++) {
        symbols[index] = symbols[index + 1] as number;
        handles[index] = handles[index + 1] as number;
      }
      if (best > 0) handles[best - 1] = table.find(symbols[best - 1] as number, symbols[best] as number);
      if (best < length - 1) handles[best] = table.find(symbols[best] as number, symbols[best + 1] as number);
    }
  }

  /** First of the pairs [0, count) with the lowest rank, or -1 when none merges. */
  #lowest(count: number): number {
    const handles = this.#next;
    const table = this.#table;
    let lowestRank = 0x7fff_ffff;
    let lowest = -1;
    for (let index = 0; index < count; index++) {
      const handle = handles[index] as number;
      if (handle < 0) continue;
      const rank = table.rankOf(handle);
      if (rank >= lowestRank) continue;
      lowestRank = rank;
      lowest = index;
    }
    return lowest;
  }

  #mergeLong(count: number): number {
    const queue = new MergeQueue();
    for (let index = 0; index < count; index++) {
      this.#next[index] = index + 1 < count ? index + 1 : gone;
      this.#previous[index] = index - 1;
    }
    for (let index = 0; index + 1 < count; index++) this.#enqueue(queue, index, index + 1);
    while (!queue.isEmpty) {
      const { position, merged } = queue;
      queue.pop();
      if (this.#isCurrent(position, merged)) this.#apply(queue, position, merged);
    }
    return this.#compact();
  }

  /** An entry is stale when its pair has changed since it was queued. */
  #isCurrent(position: number, merged: number): boolean {
    const left = this.symbols[position] as number;
    const right = this.#next[position] as number;
    if (left === gone || right === gone) return false;
    const handle = this.#table.find(left, this.symbols[right] as number);
    return handle >= 0 && this.#table.mergedOf(handle) === merged;
  }

  /** Merges the symbol at `position` with its right neighbour and queues the two pairs that it is then part of. */
  #apply(queue: MergeQueue, position: number, merged: number): void {
    const right = this.#next[position] as number;
    const after = this.#next[right] as number;
    const before = this.#previous[position] as number;
    this.symbols[position] = merged;
    this.symbols[right] = gone;
    this.#next[position] = after;
    if (after !== gone) {
      this.#previous[after] = position;
      this.#enqueue(queue, position, after);
    }
    if (before !== gone) this.#enqueue(queue, before, position);
  }

  #enqueue(queue: MergeQueue, left: number, right: number): void {
    const handle = this.#table.find(this.symbols[left] as number, this.symbols[right] as number);
    if (handle >= 0) queue.push(this.#table.rankOf(handle), left, this.#table.mergedOf(handle));
  }

  /** Closes the gaps between the tokens left. */
  #compact(): number {
    const { symbols } = this;
    const next = this.#next;
    let length = 0;
    for (let index = 0; index !== gone; ) {
      const following = next[index] as number;
      symbols[length++] = symbols[index] as number;
      index = following;
    }
    return length;
  }
}
