import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Oracle } from "../../../scripts/oracle/oracle.ts";
import type { ServedModel } from "../../../scripts/oracle/recording-worker.ts";
import { bodyText } from "../parity/bodies/body.ts";
import { plainSpelling } from "../parity/bodies/json-node.ts";
import { Comparison, type Difference } from "../parity/comparison.ts";
import { Explainer } from "../parity/explainer.ts";
import { smallestBody } from "../parity/smallest-body.ts";
import { textOfBytes } from "./byte-model.ts";
import { composeTemplateBody } from "./template-body.ts";
import { templateNames, writeTemplateModels } from "./template-models.ts";

const { values } = parseArgs({
  options: {
    /** Makes the same bodies again. Default: another one each time. */
    seed: { type: "string" },
    /** How many bodies each template is asked about. */
    bodies: { type: "string", default: "40" },
    /** Share of bodies that are changed at one place or more. */
    spoilt: { type: "string", default: "0.1" },
    /** Index of the first one, to look at a single body again. */
    first: { type: "string", default: "0" },
    /** Part of the names of templates. Default: all. */
    only: { type: "string", default: "" },
    /** How many unexplained differences of a template are made small and printed. */
    details: { type: "string", default: "2" },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
const [first, bodies, details] = [Number(values.first), Number(values.bodies), Number(values.details)];

/** A frontend watches files for each model, of which a machine allows few. */
const modelsAtOnce = 12;

// The only tokenizer of the frontend's that reads a tokenizer.json and takes Kimi K3's segments; its ids are those of the others.
process.env["DYN_TOKENIZER"] = "fastokens";
const folder = await mkdtemp(join(tmpdir(), "template-models-"));
const models = writeTemplateModels(
  folder,
  templateNames().filter((name) => name.includes(values.only)),
);
console.log(`seed ${seed}: ${bodies} bodies for each of ${models.length} templates`);
let unexplained = 0;
try {
  for (let from = 0; from < models.length; from += modelsAtOnce) {
    unexplained += await compareModels(models.slice(from, from + modelsAtOnce));
  }
} finally {
  await rm(folder, { recursive: true });
}
console.log(`${unexplained} unexplained differences (seed ${seed})`);
process.exitCode = unexplained === 0 ? 0 : 1;

async function compareModels(served: readonly ServedModel[]): Promise<number> {
  const oracle = await Oracle.start(served);
  let count = 0;
  try {
    for (const model of served) count += await compareModel(model, oracle);
  } finally {
    await oracle.stop();
  }
  return count;
}

async function compareModel(model: ServedModel, oracle: Oracle): Promise<number> {
  const explainer = new Explainer(model.name, model.folder);
  try {
    const comparison = new Comparison(model.name, explainer, oracle);
    const differences: Difference[] = [];
    for (let index = first; index < first + bodies; index++) {
      const difference = await comparison.compare(composeTemplateBody(seed, index, Number(values.spoilt)));
      if (difference !== undefined && difference.reason === undefined) differences.push(difference);
    }
    console.log(`${model.name}: ${bodies - differences.length} of ${bodies} equal`);
    for (const difference of differences.slice(0, details)) await printSmallest(comparison, difference);
    return differences.length;
  } catch (error) {
    console.log(`${model.name}: ${error}`);
    return 1;
  } finally {
    await explainer.close().catch(() => undefined);
  }
}

async function printSmallest(comparison: Comparison, { ...difference }: Difference): Promise<void> {
  const { body, kind } = difference;
  const tree = await smallestBody(body.tree, (candidate) => comparison.differsAlike(difference, candidate));
  const smallest = (await comparison.compare({ ...body, tree })) ?? difference;
  console.log(`  ${body.name} ${body.path}: ${kind}`);
  console.log(`    smallest body: ${bodyText(tree, plainSpelling, comparison.model)}`);
  console.log(`    ours: ${shown(smallest.ours.error?.message ?? smallest.ours.token_ids)}`);
  console.log(`    frontend's: ${shown(smallest.theirs.tokenIds?.[0] ?? smallest.theirs.body.slice(0, 400))}`);
}

function shown(answer: unknown): string {
  return Array.isArray(answer) ? JSON.stringify(textOfBytes(answer as number[])) : String(answer);
}
