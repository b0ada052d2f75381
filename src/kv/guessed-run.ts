import type { GuessHolder, RunHolding } from "./guess-holder.ts";

/**
 * Blocks that follow one another in all prompts that hold the first of them, as far as they have been met: one object, however many
 * blocks. What follows a run is found by its own first block: sequence hashes tell all that was before.
 */
export class GuessedRun {
  readonly holdings: RunHolding[] = [];
  /** Sequence hashes, two u32 a block, with room for more. */
  #sequence: Uint32Array;
  #length: number;

  /** @param sequence two u32 a block; kept */
  constructor(sequence: Uint32Array) {
    this.#sequence = sequence;
    this.#length = sequence.length >>> 1;
  }

  /** Blocks. */
  get length(): number {
    return this.#length;
  }

  /** Key of a block; those of two blocks are practically never equal. */
  keyAt(block: number): number {
    return keyOf(this.#sequence, block);
  }

  /** Whether block number `block` is that of `sequence` at `other`. */
  isBlock(block: number, sequence: Uint32Array, other: number): boolean {
    return (
      this.#sequence[2 * block] === sequence[2 * other] && this.#sequence[2 * block + 1] === sequence[2 * other + 1]
    );
  }

  /**
   * Leading blocks that are those of `sequence` from `depth` on, where the first one is. O(log length): a sequence hash that agrees says that
   * all before do.
   */
  agreement(sequence: Uint32Array, depth: number, count: number): number {
    let differs = Math.min(this.#length, count - depth);
    if (this.isBlock(differs - 1, sequence, depth + differs - 1)) return differs;
    let agrees = 1;
    while (differs - agrees > 1) {
      const middle = (agrees + differs) >>> 1;
      if (this.isBlock(middle - 1, sequence, depth + middle - 1)) agrees = middle;
      else differs = middle;
    }
    return agrees;
  }

  /** Number of the block that `sequence` has at `other`, or -1; looked for from `hint` on. */
  find(sequence: Uint32Array, other: number, hint: number): number {
    for (let step = 0; step < this.#length; step++) {
      const block = (hint + step) % this.#length;
      if (this.isBlock(block, sequence, other)) return block;
    }
    return -1;
  }

  holdingOf(holder: GuessHolder): RunHolding | undefined {
    const { holdings } = this;
    for (let at = 0; at < holdings.length; at++) {
      const holding = holdings[at] as RunHolding;
      if (holding.holder === holder) return holding;
    }
    return undefined;
  }

  drop(holding: RunHolding): void {
    const { holdings } = this;
    holdings[holdings.indexOf(holding)] = holdings[holdings.length - 1] as RunHolding;
    holdings.pop();
  }

  /** Adds the blocks [from, to) of `sequence` at the end. */
  extend(sequence: Uint32Array, from: number, to: number): void {
    const length = this.#length + to - from;
    if (this.#sequence.length < 2 * length) {
      const larger = new Uint32Array(2 * Math.max(length, Math.ceil(1.25 * this.#length)));
      larger.set(this.#sequence.subarray(0, 2 * this.#length));
      this.#sequence = larger;
    }
    this.#sequence.set(sequence.subarray(2 * from, 2 * to), 2 * this.#length);
    this.#length = length;
  }

  /** Gives up the first `count` blocks. @returns them */
  takeHead(count: number): Uint32Array {
    const head = this.#sequence.slice(0, 2 * count);
    this.#sequence = this.#sequence.slice(2 * count, 2 * this.#length);
    this.#length -= count;
    return head;
  }
}

/** Of block number `block`: 53 bits of its sequence hash. */
export function keyOf(sequence: Uint32Array, block: number): number {
  return (sequence[2 * block] as number) + ((sequence[2 * block + 1] as number) & 0x1f_ffff) * 0x1_0000_0000;
}
