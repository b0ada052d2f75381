// Prefix index: blocks stored and removed a second, search times, bytes a block held, and the longest pause of one event.
// Workload: sequences of 512 blocks, the first 256 shared by a family of workers, about 1 M blocks held.
import { chainHashes, PrefixIndex } from "../../src/kv/index.ts";

const heldBlocks = Number(process.argv[2] ?? 1_048_576);
const depth = 512;
const sharedBlocks = 256;

/** Deterministic u32s (xorshift). */
function randomWords(seed: number): (length: number) => Uint32Array {
  let state = seed | 1;
  return (length) =>
    Uint32Array.from({ length }, () => {
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      return state >>> 0;
    });
}

interface Sequence {
  readonly slot: number;
  readonly local: Uint32Array;
  readonly engine: Uint32Array;
}

function sequencesOf(workers: number, random: (length: number) => Uint32Array): Sequence[] {
  const families = Math.ceil(heldBlocks / depth / workers);
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

/** Median and 99th percentile, in us. */
function quantiles(times: number[]): string {
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? Number.NaN).toFixed(2);
  return `p50 ${at(0.5)} p99 ${at(0.99)}`;
}

/** Times in us of `find` over prompts, each the mean of 16 calls in a row. */
function findTimes(index: PrefixIndex, prompts: readonly Uint32Array[], workers: number): string {
  const out = new Int32Array(workers);
  const hashes = prompts.map((local) => ({ count: local.length / 2, local, sequence: chainHashes(local) }));
  const times: number[] = [];
  for (let round = 0; round < 4_000; round++) {
    const prompt = hashes[(round * 7_919) % hashes.length];
    if (prompt === undefined) continue;
    const from = performance.now();
    for (let i = 0; i < 16; i++) index.overlaps(prompt, out);
    times.push(((performance.now() - from) * 1_000) / 16);
  }
  return quantiles(times);
}

for (const workers of [1, 8, 16, 64]) {
  const random = randomWords(workers);
  const sequences = sequencesOf(workers, random);
  const blocks = sequences.length * depth;
  const index = new PrefixIndex({ blockSize: 16, maxBlocks: blocks });
  let longestMs = 0;
  const from = performance.now();
  for (const { slot, local, engine } of sequences) {
    const start = performance.now();
    index.store(slot, { parentHash: undefined, blockHashes: engine, localHashes: local });
    longestMs = Math.max(longestMs, performance.now() - start);
  }
  const storeSeconds = (performance.now() - from) / 1_000;
  const hit = findTimes(
    index,
    sequences.map(({ local }) => local),
    workers,
  );
  const half = findTimes(
    index,
    sequences.slice(0, 500).map(({ local }) => {
      const other = random(2 * depth);
      other.set(local.subarray(0, 2 * sharedBlocks));
      return other;
    }),
    workers,
  );
  const miss = findTimes(
    index,
    Array.from({ length: 500 }, () => random(2 * depth)),
    workers,
  );
  const { usedBytes, prefixes } = index.stats;
  const removeFrom = performance.now();
  for (const { slot, engine } of sequences.slice(0, sequences.length / 2)) index.remove(slot, engine);
  const removeSeconds = (performance.now() - removeFrom) / 1_000;
  const clearFrom = performance.now();
  index.clear(workers - 1);
  const clearMs = performance.now() - clearFrom;
  console.log(
    `${workers} workers, ${blocks} blocks held, ${prefixes} prefixes: store ${(blocks / storeSeconds / 1e6).toFixed(1)} M blocks/s ` +
      `(longest event of 512: ${longestMs.toFixed(2)} ms), remove ${(blocks / 2 / removeSeconds / 1e6).toFixed(1)} M/s, ` +
      `clear of one rank ${clearMs.toFixed(1)} ms, ` +
      `${((usedBytes + 8 * 2 ** Math.ceil(Math.log2(blocks))) / blocks).toFixed(0)} bytes a block with buckets\n` +
      `  find us: all 512 held ${hit}; 256 shared ${half}; nothing ${miss}`,
  );
}
