import { RankSet } from "./rank-set.ts";

const none = -1;
/** Length of the lists that are kept for the next word. */
const keptLength = 1 << 16;

/** Positions in a word by the rank of the merge that is due there. Each takes the same time, however long the word is. */
export class MergeQueue {
  /** Number of positions in `batch` that `take` returned. */
  length = 0;
  /** Positions that `take` returned, in order. */
  batch = new Int32Array(1 << 6);
  readonly #ranks: RankSet;
  /** First entry of each rank's list. */
  readonly #heads: Int32Array;
  /** Of each entry its position, and the place of the next entry in its list. */
  #entries = new Int32Array(1 << 10);
  #used = 0;
  #free = none;

  /** @param rankBound one more than the highest rank */
  constructor(rankBound: number) {
    this.#ranks = new RankSet(rankBound);
    this.#heads = new Int32Array(rankBound).fill(none);
  }

  add(rank: number, position: number): void {
    let entry = this.#free;
    if (entry === none) {
      entry = this.#used;
      this.#used += 2;
      if (entry === this.#entries.length) this.#resize(2 * entry);
    } else this.#free = this.#entries[entry + 1] as number;
    const head = this.#heads[rank] as number;
    this.#entries[entry] = position;
    this.#entries[entry + 1] = head;
    this.#heads[rank] = entry;
    if (head === none) this.#ranks.add(rank);
  }

  /** The lowest rank, whose positions are then in `batch` and no more in the queue; -1 when it is empty. */
  take(): number {
    const rank = this.#ranks.takeLowest();
    this.length = 0;
    if (rank < 0) {
      this.#shrink();
      return rank;
    }
    let entry = this.#heads[rank] as number;
    this.#heads[rank] = none;
    const entries = this.#entries;
    while (entry !== none) {
      const following = entries[entry + 1] as number;
      this.#append(entries[entry] as number);
      entries[entry + 1] = this.#free;
      this.#free = entry;
      entry = following;
    }
    // A list has its last position first. They were added from left to right: a token is made by the same merges wherever it stands, so a pair becomes
    // due everywhere in one pass over the word.
    this.batch.subarray(0, this.length).reverse();
    return rank;
  }

  #append(position: number): void {
    if (this.length === this.batch.length) {
      const batch = new Int32Array(2 * this.length);
      batch.set(this.batch);
      this.batch = batch;
    }
    this.batch[this.length++] = position;
  }

  #resize(length: number): void {
    const entries = new Int32Array(length);
    entries.set(this.#entries.subarray(0, length));
    this.#entries = entries;
  }

  /** Of an empty queue. */
  #shrink(): void {
    this.#used = 0;
    this.#free = none;
    if (this.#entries.length > keptLength) this.#entries = new Int32Array(keptLength);
    if (this.batch.length > keptLength) this.batch = new Int32Array(1 << 6);
  }
}
