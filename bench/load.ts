/**
 * Cost of booking a request: reserve + release, and the question asked of every rank before.
 * Run: node_modules/.bin/node bench/load.ts
 */
import { LoadTable } from "../src/load/index.ts";

const blocks = 4_096;
const slots = 64;

function randomSequence(count: number): Uint32Array {
  return crypto.getRandomValues(new Uint32Array(2 * count));
}

/** A prompt that agrees with `other` in its first `shared` blocks. */
function continuing(other: Uint32Array, shared: number): Uint32Array {
  const sequence = randomSequence(other.length >>> 1);
  sequence.set(other.subarray(0, 2 * shared));
  return sequence;
}

function medianUs(runs: number, step: (run: number) => void): number {
  for (let run = 0; run < 200; run++) step(run);
  const times = Array.from({ length: runs }, (_, run) => {
    const start = performance.now();
    step(run);
    return performance.now() - start;
  });
  times.sort((a, b) => a - b);
  return Math.round((times[runs >>> 1] ?? 0) * 10_000) / 10;
}

const table = new LoadTable();
const base = randomSequence(blocks);
const request = (sequence: Uint32Array) => ({ promptTokens: 16 * blocks, cachedTokens: 0, sequence, count: blocks });
for (let i = 0; i < 256; i++) table.reserve(i % slots, request(continuing(base, (i * 61) % blocks)));
const cold = Array.from({ length: 64 }, () => randomSequence(blocks));
const warm = Array.from({ length: 64 }, (_, i) => continuing(base, blocks - 8 - i));

const rows = {
  "reserve + release, nothing shared": medianUs(2_000, (run) =>
    table.reserve(run % slots, request(cold[run % 64] ?? base)).release(),
  ),
  "reserve + release, long prefix shared": medianUs(2_000, (run) =>
    table.reserve(run % slots, request(warm[run % 64] ?? base)).release(),
  ),
  [`blocksNotActive on ${slots} slots`]: medianUs(2_000, (run) => {
    for (let slot = 0; slot < slots; slot++) table.blocksNotActive(slot, warm[run % 64] ?? base, blocks);
  }),
};
for (const [name, us] of Object.entries(rows)) process.stdout.write(`${us.toFixed(1).padStart(8)} us  ${name}\n`);
