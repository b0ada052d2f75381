/** A run of consecutive prompt blocks that the same requests hold, below the run of the blocks before it. */
export interface Run {
  /** Sequence hashes, lo,hi pairs; this run's are those of blocks [start, end). */
  hashes: Uint32Array;
  start: number;
  readonly end: number;
  /** Run of the blocks before; undefined at the root. */
  parent: Run | undefined;
  /** Requests that hold these blocks. */
  holders: number;
  /** What one block of this run counts for, in [0,1]. */
  weight: number;
  /** Runs that continue this one, by key of their first block. */
  children: Map<number, Run> | undefined;
}

const noHashes = new Uint32Array(0);

/**
 * The prompt blocks that a rank's running requests hold: a compressed prefix tree, one node a run of blocks.
 *
 * Sequence hashes are chained, so that two prompts that agree at block i agree at every block before it. Every step is
 * therefore a binary search in a run and a whole prompt costs O(runs * log blocks) plus one copy of its new hashes,
 * where a table of blocks would cost one random memory access a block (bench/load).
 */
export class PrefixRuns {
  readonly #root: Run = newRun(new Uint32Array(0), 0, 0, undefined);
  #uniqueBlocks = 0;
  #discountBlocks = 0;

  /** Unique blocks held, each counted with its weight. Not rounded. */
  get weightedBlocks(): number {
    return this.#uniqueBlocks - this.#discountBlocks;
  }

  /** Length in blocks of the longest prefix of `sequence` that is held. */
  matchedBlocks(sequence: Uint32Array, count: number): number {
    let run = this.#root;
    let matched = 0;
    while (matched < count) {
      const child = run.children?.get(firstKey(sequence, matched));
      if (child === undefined) break;
      const length = commonBlocks(child, sequence, matched, count);
      matched += length;
      if (length < child.end - child.start) break;
      run = child;
    }
    return matched;
  }

  /** Holds the first `count` blocks of `sequence` once more. @returns the last run of the prompt, to be given to `release` */
  hold(sequence: Uint32Array, count: number): Run {
    let run = this.#root;
    let held = 0;
    while (held < count) {
      let child = run.children?.get(firstKey(sequence, held));
      if (child === undefined) return this.#append(run, sequence.slice(2 * held, 2 * count), true);
      const length = commonBlocks(child, sequence, held, count);
      if (length < child.end - child.start) child = splitRun(child, child.start + length);
      child.holders++;
      held += length;
      run = child;
    }
    return run;
  }

  /** Holds the blocks for one request alone: nothing is shared with them, now or later. */
  holdAlone(sequence: Uint32Array, count: number): Run {
    return count === 0 ? this.#root : this.#append(this.#root, sequence.slice(0, 2 * count), false);
  }

  /** Undoes one `hold` or `holdAlone`. */
  release(last: Run): void {
    for (let run = last; run.parent !== undefined; run = run.parent) {
      run.holders--;
      if (run.holders > 0) continue;
      const blocks = run.end - run.start;
      this.#uniqueBlocks -= blocks;
      this.#discountBlocks -= blocks * (1 - run.weight);
      const siblings = run.parent.children;
      const key = firstKey(run.hashes, run.start);
      if (siblings?.get(key) === run) siblings.delete(key);
      // A map that is much changed leaves tables behind that keep what was in them until the next full collection.
      run.hashes = noHashes;
    }
    // Sums of fractions drift; an empty tree is the moment to forget it.
    if (this.#uniqueBlocks === 0) this.#discountBlocks = 0;
  }

  /** Sets the weight of the blocks of a prompt that no other request holds. */
  weighUnshared(last: Run, weight: number): void {
    for (let run = last; run.parent !== undefined && run.holders === 1; run = run.parent) {
      this.#discountBlocks += (run.end - run.start) * (run.weight - weight);
      run.weight = weight;
    }
  }

  #append(parent: Run, hashes: Uint32Array, isShareable: boolean): Run {
    const blocks = hashes.length >>> 1;
    const run = newRun(hashes, 0, blocks, parent);
    run.holders = 1;
    if (isShareable) adopt(parent, run);
    this.#uniqueBlocks += blocks;
    return run;
  }
}

/** The sequence hashes of a whole prompt, from its last run; lo,hi pairs. */
export function sequenceOf(last: Run): Uint32Array {
  let blocks = 0;
  for (let run: Run | undefined = last; run !== undefined; run = run.parent) blocks += run.end - run.start;
  const sequence = new Uint32Array(2 * blocks);
  for (let run: Run | undefined = last; run !== undefined; run = run.parent) {
    blocks -= run.end - run.start;
    sequence.set(run.hashes.subarray(2 * run.start, 2 * run.end), 2 * blocks);
  }
  return sequence;
}

function newRun(hashes: Uint32Array, start: number, end: number, parent: Run | undefined): Run {
  return { hashes, start, end, parent, holders: 0, weight: 1, children: undefined };
}

function adopt(parent: Run, child: Run): void {
  parent.children ??= new Map();
  parent.children.set(firstKey(child.hashes, child.start), child);
}

/** Puts the blocks of `run` before `at` into a new parent of it. @returns that parent; `run` keeps its end, so that holders of it stay right */
function splitRun(run: Run, at: number): Run {
  const head = newRun(run.hashes, run.start, at, run.parent);
  head.holders = run.holders;
  head.weight = run.weight;
  if (run.parent !== undefined) adopt(run.parent, head);
  run.start = at;
  run.parent = head;
  adopt(head, run);
  return head;
}

/** 53 of the hash's 64 bits: a number is exact, and a collision merely miscounts a few blocks. */
function firstKey(hashes: Uint32Array, block: number): number {
  return (hashes[2 * block] ?? 0) + ((hashes[2 * block + 1] ?? 0) & 0x1f_ffff) * 0x1_0000_0000;
}

/** Blocks of `run` that `sequence` continues with from block `from`; at least 1, the caller having found the run by its first. */
function commonBlocks(run: Run, sequence: Uint32Array, from: number, count: number): number {
  const { hashes, start } = run;
  let same = 1;
  let limit = Math.min(run.end - start, count - from);
  if (isSameBlock(hashes, start + limit - 1, sequence, from + limit - 1)) return limit;
  while (same < limit) {
    const middle = (same + limit) >>> 1;
    if (isSameBlock(hashes, start + middle, sequence, from + middle)) same = middle + 1;
    else limit = middle;
  }
  return same;
}

function isSameBlock(a: Uint32Array, blockOfA: number, b: Uint32Array, blockOfB: number): boolean {
  return a[2 * blockOfA] === b[2 * blockOfB] && a[2 * blockOfA + 1] === b[2 * blockOfB + 1];
}
