/**
 * Multi-turn KV hit rate through a real Envoy and the picker, against random routing and against one unlimited cache.
 * Run: node_modules/.bin/node bench/hit-rate/main.ts [--runs 2] [--first-seed 1] [--url http://host:port]
 * Each run has conversations of its own, made from its number as the seed.
 * With --url the requests go to that endpoint, whose caches must be empty, instead of an Envoy of this bench's own; once.
 * Exit code 1 when less than 90 % of the gap between random and the ceiling is closed.
 */
import { parseArgs } from "node:util";
import { promptTokenizer } from "../../src/commands/prompt-tokenizer.ts";
import { readModelFolder } from "../../src/config/index.ts";
import { Model, profileByName } from "../../src/model/index.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import type { LoadSummary } from "../../test/support/load/index.ts";
import { measureCeiling, measurePicker, measureRandom, measureUrl } from "./measure.ts";
import { blockSize, routings } from "./workload.ts";

const barOfGap = 0.9;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2" },
    "first-seed": { type: "string", default: "1" },
    url: { type: "string" },
  },
});
const { url } = values;
const firstSeed = Number(values["first-seed"]);
const runs = url === undefined ? Number(values.runs) : 1;
const model = { name: "bench", profile: profileByName("dynamo"), blockSize };
/** The tokens that the picker makes, for the requests that reach a worker without them. */
const tokenize = promptTokenizer(await Model.load(model, await readModelFolder(testModelFolder())));

console.log("60 conversations x 6 turns, 16 at once, 3 skewed tenants; 4 workers x 1,280 blocks of 16 tokens\n");
console.log(
  "seed routing                        hit rate  of the gap  uncached  prompt tokens  first byte ms p50/p90/p99",
);
const shares: number[] = [];
for (let run = firstSeed; run < firstSeed + runs; run += 1) {
  const random = await measureRandom(tokenize, run);
  const ceiling = await measureCeiling(tokenize, run);
  const shareOf = ({ hitRate }: LoadSummary) => (hitRate - random.hitRate) / (ceiling.hitRate - random.hitRate);
  show(run, "random", random, 0);
  show(run, "ceiling: one unlimited cache", ceiling, 1);
  for (const [index, [name, summary]] of (await measureRoutings(run)).entries()) {
    show(run, name, summary, shareOf(summary));
    if (index === 0) shares.push(shareOf(summary));
  }
}
const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
console.log(`\nshare of the gap closed: ${percent(mean)} (bar: ${percent(barOfGap)})`);
process.exitCode = mean >= barOfGap ? 0 : 1;

async function measureRoutings(seed: number): Promise<readonly (readonly [string, LoadSummary])[]> {
  if (url !== undefined) return [[url, await measureUrl(url, seed)]];
  const measured: [string, LoadSummary][] = [];
  for (const [name, routing] of Object.entries(routings)) {
    measured.push([name, await measurePicker(tokenize, seed, routing)]);
  }
  return measured;
}

function show(run: number, routing: string, summary: LoadSummary, share: number): void {
  const { hitRate, promptTokens, cachedTokens, firstByteMs } = summary;
  const times = [firstByteMs.p50, firstByteMs.p90, firstByteMs.p99].map((ms) => ms.toFixed(0));
  const columns = [
    String(run).padStart(3),
    ` ${routing.padEnd(30)}`,
    hitRate.toFixed(3).padStart(8),
    percent(share).padStart(11),
    String(promptTokens - cachedTokens).padStart(9),
    String(promptTokens).padStart(14),
    ` ${times.join("/")}`,
  ];
  console.log(columns.join(" "));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
