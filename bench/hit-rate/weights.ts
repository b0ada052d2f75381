/**
 * The workload of this bench with several values of `routing.prefillLoadScale`, in another order for each seed.
 * Run: node_modules/.bin/node bench/hit-rate/weights.ts [--weights 8,16] [--runs 3] [--first-seed 41] [--pace 2]
 * All engines take --pace times their time, so that a busy machine tells less in what is measured.
 */
import { parseArgs } from "node:util";
import { promptTokenizer } from "../../src/commands/prompt-tokenizer.ts";
import { readModelFolder } from "../../src/config/index.ts";
import { Model, profileByName } from "../../src/model/index.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { measurePicker } from "./measure.ts";
import { blockSize } from "./workload.ts";

const { values } = parseArgs({
  options: {
    weights: { type: "string", default: "8,16" },
    runs: { type: "string", default: "3" },
    "first-seed": { type: "string", default: "41" },
    pace: { type: "string", default: "2" },
  },
});
const weights = values.weights.split(",").map(Number);
const firstSeed = Number(values["first-seed"]);
const model = { name: "bench", profile: profileByName("dynamo"), blockSize };
const tokenize = promptTokenizer(await Model.load(model, await readModelFolder(testModelFolder())));

console.log("seed weight  hit rate  first byte ms p50/p90/p99");
for (let seed = firstSeed; seed < firstSeed + Number(values.runs); seed += 1) {
  const first = seed % weights.length;
  for (const weight of [...weights.slice(first), ...weights.slice(0, first)]) {
    const routing = { prefillLoadScale: weight };
    const { hitRate, firstByteMs } = await measurePicker(tokenize, seed, routing, Number(values.pace));
    const times = [firstByteMs.p50, firstByteMs.p90, firstByteMs.p99].map((ms) => ms.toFixed(0)).join("/");
    console.log(
      `${String(seed).padStart(4)} ${String(weight).padStart(6)}  ${hitRate.toFixed(3).padStart(8)}  ${times}`,
    );
  }
}
