import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { compareWithFrontend } from "./compare-frontend.ts";
import { compareWithTransformers } from "./compare-transformers.ts";

// Renders composed snippets of templates by our engine and by the backend's, and prints every difference; see docs/parity.md.
// Usage: node_modules/.bin/node test/live/snippets/run.ts [--seed N] [--snippets N] [--dialect dynamo|huggingface]

const { values } = parseArgs({
  options: {
    /** Makes the same snippets again. Default: others each time. */
    seed: { type: "string" },
    snippets: { type: "string", default: "5000" },
    dialect: { type: "string", default: "huggingface" },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
const compare = values.dialect === "dynamo" ? compareWithFrontend : compareWithTransformers;
const { compared, unknown, differences } = await compare(seed, Number(values.snippets));
for (const difference of differences) console.log(JSON.stringify(difference));
console.log(
  `seed ${seed}, ${values.dialect}: ${compared} snippets, ${unknown} by load, ${differences.length} differences`,
);
process.exitCode = differences.length === 0 ? 0 : 1;
