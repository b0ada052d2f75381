/**
 * Multi-turn KV hit rate through a real Envoy and the picker, against random routing and against one unlimited cache.
 * Run: node bench/hit-rate/main.ts [--runs 3] [--url http://host:port]
 * With --url the requests go to that endpoint instead of an Envoy of this bench's own, once.
 * Exit code 1 when the picker closes less than 90 % of the gap between random and the ceiling.
 */
import { parseArgs } from "node:util";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import type { LoadSummary } from "../../test/support/load/index.ts";
import { measureCeiling, measurePicker, measureRandom, measureUrl } from "./measure.ts";
import { productTokenizer } from "./product-tokenizer.ts";
import { workerOptions } from "./workload.ts";

const barOfGap = 0.9;

const { values } = parseArgs({ options: { runs: { type: "string", default: "3" }, url: { type: "string" } } });
const runs = values.url === undefined ? Number(values.runs) : 1;
const tokenize = await productTokenizer(testModelFolder(), workerOptions.blockSize ?? 16);

console.log("60 conversations x 6 turns, 16 at once, 3 skewed tenants; 4 workers x 1,280 blocks of 16 tokens\n");
console.log("run  routing    hit rate  uncached tokens  prompt tokens  first byte ms p50 / p90 / p99");
const gaps: number[] = [];
for (let run = 1; run <= runs; run += 1) {
  const random = show(run, "random", await measureRandom(tokenize, run));
  const ceiling = show(run, "ceiling", await measureCeiling(tokenize, run));
  const ours = values.url === undefined ? measurePicker(tokenize, run) : measureUrl(values.url, run);
  const picker = show(run, "pointsman", await ours);
  gaps.push((picker.hitRate - random.hitRate) / (ceiling.hitRate - random.hitRate));
}
const closed = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
console.log(
  `\nshare of the gap closed: ${gaps.map(percent).join(", ")}; mean ${percent(closed)} (bar: ${percent(barOfGap)})`,
);
process.exitCode = closed >= barOfGap ? 0 : 1;

function show(run: number, routing: string, summary: LoadSummary): LoadSummary {
  const { hitRate, promptTokens, cachedTokens, firstByteMs } = summary;
  const { p50, p90, p99 } = firstByteMs;
  const columns = [
    String(run).padStart(3),
    ` ${routing.padEnd(10)}`,
    hitRate.toFixed(3).padStart(8),
    String(promptTokens - cachedTokens).padStart(16),
    String(promptTokens).padStart(14),
    `  ${[p50, p90, p99].map((ms) => ms.toFixed(0)).join(" / ")}`,
  ];
  console.log(columns.join(" "));
  return summary;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
