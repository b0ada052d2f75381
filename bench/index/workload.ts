/** Sequences of 512 blocks, the first 256 shared by a family of workers: the workload of the figures that Dynamo's trees have. */
export const depth = 512;
export const sharedBlocks = 256;

/** Deterministic u32s (xorshift). */
export function randomWords(seed: number): (length: number) => Uint32Array {
  let state = seed | 1;
  return (length) =>
    Uint32Array.from({ length }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state >>> 0;
    });
}

export interface Sequence {
  readonly slot: number;
  readonly local: Uint32Array;
  /** Engines' own hashes: another one for each worker, which Dynamo's trees cannot have. */
  readonly engine: Uint32Array;
}

export function sequencesOf(workers: number, blocks: number, random: (length: number) => Uint32Array): Sequence[] {
  const families = Math.ceil(blocks / depth / workers);
  const sequences: Sequence[] = [];
  for (let family = 0; family < families; family++) {
    const shared = random(2 * sharedBlocks);
    for (let slot = 0; slot < workers; slot++) {
      const local = random(2 * depth);
      local.set(shared);
      sequences.push({ slot, local, engine: random(2 * depth) });
    }
  }
  return sequences;
}

/** The value at that share of the sorted values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** CPU time of `work` in seconds: a busy machine says little by its clock. */
export function cpuSeconds(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}
