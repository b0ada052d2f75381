import { MergeQueue } from "./merge-queue.ts";
import { type MergeTable, noRank } from "./merge-table.ts";

/** Up to here looking at every pair for the lowest rank is faster than a queue. */
const shortWord = 32;
const gone = -1;

/** Runs the merges of BPE over one word: lowest rank first, leftmost first among equals. */
export class Merger {
  /** The word's symbols before, its tokens after `merge`. */
  symbols = new Int32Array(1 << 10);
  #next = new Int32Array(1 << 10);
  #previous = new Int32Array(1 << 10);
  /** Of a short word: rank and merged id of each symbol and the one after it. */
  readonly #ranks = new Int32Array(shortWord);
  readonly #merged = new Int32Array(shortWord);
  readonly #table: MergeTable;
  #queue: MergeQueue | undefined;

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
   * Merges `symbols[0, count)` in place. O(n^2) up to 32 symbols, about O(n) above.
   * @returns how many tokens are left
   */
  merge(count: number): number {
    if (count < 2) return count;
    return count <= shortWord ? this.#mergeShort(count) : this.#mergeLong(count);
  }

  #mergeShort(count: number): number {
    const { symbols } = this;
    const ranks = this.#ranks;
    const merged = this.#merged;
    for (let index = 0; index < count - 1; index++) this.#look(index);
    let pairs = count - 1;
    while (pairs > 0) {
      const best = this.#lowest(pairs);
      if (best < 0) break;
      symbols[best] = merged[best] as number;
      pairs--;
      for (let index = best + 1; index <= pairs; index++) {
        symbols[index] = symbols[index + 1] as number;
        ranks[index] = ranks[index + 1] as number;
        merged[index] = merged[index + 1] as number;
      }
      if (best > 0) this.#look(best - 1);
      if (best < pairs) this.#look(best);
    }
    return pairs + 1;
  }

  #look(index: number): void {
    const table = this.#table;
    this.#ranks[index] = table.rank(this.symbols[index] as number, this.symbols[index + 1] as number);
    this.#merged[index] = table.merged;
  }

  /** First of the pairs [0, count) with the lowest rank, or -1 when none merges. */
  #lowest(count: number): number {
    const ranks = this.#ranks;
    let lowestRank = noRank;
    let lowest = -1;
    for (let index = 0; index < count; index++) {
      const rank = ranks[index] as number;
      if (rank >= lowestRank) continue;
      lowestRank = rank;
      lowest = index;
    }
    return lowest;
  }

  #mergeLong(count: number): number {
    this.#queue ??= new MergeQueue(this.#table.rankBound);
    for (let index = 0; index < count; index++) {
      this.#next[index] = index + 1 < count ? index + 1 : gone;
      this.#previous[index] = index - 1;
    }
    const queue = this.#queue;
    for (let index = 0; index + 1 < count; index++) this.#enqueue(queue, index, index + 1);
    for (let rank = queue.take(); rank >= 0; rank = queue.take()) this.#applyAll(queue, rank);
    return this.#compact();
  }

  /** Does the merge of one rank at all positions of the queue's batch. */
  #applyAll(queue: MergeQueue, rank: number): void {
    const { batch, length } = queue;
    for (let index = 0; index < length; index++) {
      const position = batch[index] as number;
      const left = this.symbols[position] as number;
      const after = this.#next[position] as number;
      // The pair may have changed since it was queued. A rank is that of one pair.
      if (left === gone || after === gone || this.#table.rank(left, this.symbols[after] as number) !== rank) continue;
      if (this.#apply(queue, position, this.#table.merged) > rank) continue;
      // A merge that comes before the rest of these has become due.
      for (let later = index + 1; later < length; later++) queue.add(rank, batch[later] as number);
      return;
    }
  }

  /**
   * Merges the symbol at `position` with its right neighbour and queues the two pairs that it is then part of.
   * @returns the lower of their ranks
   */
  #apply(queue: MergeQueue, position: number, merged: number): number {
    const right = this.#next[position] as number;
    const after = this.#next[right] as number;
    const before = this.#previous[position] as number;
    this.symbols[position] = merged;
    this.symbols[right] = gone;
    this.#next[position] = after;
    let lowest = noRank;
    if (after !== gone) {
      this.#previous[after] = position;
      lowest = this.#enqueue(queue, position, after);
    }
    return before === gone ? lowest : Math.min(lowest, this.#enqueue(queue, before, position));
  }

  #enqueue(queue: MergeQueue, left: number, right: number): number {
    const rank = this.#table.rank(this.symbols[left] as number, this.symbols[right] as number);
    if (rank !== noRank) queue.add(rank, left);
    return rank;
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
