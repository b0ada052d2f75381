// Ours, for `main.ts`: `trees.ts WORKERS BLOCKS` prints one JSON line with the build rate, search times and bytes a block.
import { chainHashes, PrefixIndex } from "../../src/kv/index.ts";
import { cpuSeconds, depth, quantile, randomWords, sequencesOf, sharedBlocks } from "./workload.ts";

const workers = Number(process.argv[2] ?? 8);
const random = randomWords(workers);
const sequences = sequencesOf(workers, Number(process.argv[3] ?? 1_048_576), random);
const blocks = sequences.length * depth;

/** A first index is built for the compiler: what it learns is not measured, as nothing is there to learn for the peer's. */
function build(): { index: PrefixIndex; seconds: number } {
  const index = new PrefixIndex({ blockSize: 16, maxBlocks: blocks });
  const seconds = cpuSeconds(() => {
    for (const { slot, local, engine } of sequences) {
      index.store(slot, { parentHash: undefined, blockHashes: engine, localHashes: local });
    }
  });
  return { index, seconds };
}

/** Microseconds of one search, p50 and p99, each the mean of 16 in a row. */
function findTimes(index: PrefixIndex, prompts: readonly Uint32Array[]): [number, number] {
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
  return [quantile(times, 0.5), quantile(times, 0.99)];
}

build();
const before = process.memoryUsage().rss;
const { index, seconds } = build();
const grown = process.memoryUsage().rss - before;
const half = sequences.slice(0, 500).map(({ local }) => {
  const other = random(2 * depth);
  other.set(local.subarray(0, 2 * sharedBlocks));
  return other;
});
const find = {
  hit: findTimes(
    index,
    sequences.map(({ local }) => local),
  ),
  shared: findTimes(index, half),
  miss: findTimes(
    index,
    Array.from({ length: 500 }, () => random(2 * depth)),
  ),
};
const from = performance.now();
index.clear(0);
const clearMs = performance.now() - from;
console.log(
  JSON.stringify({
    name: "PrefixIndex",
    blocks,
    build_blocks_per_second: blocks / seconds,
    bytes_per_block: index.stats.usedBytes / index.stats.blocks,
    rss_per_block: grown / blocks,
    find_us: find,
    clear_ms: clearMs,
  }),
);
