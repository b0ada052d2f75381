import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { testModels } from "../../../scripts/models.ts";
import { ensureOraclePython } from "../../../scripts/oracle/environment.ts";
import { Oracle } from "../../../scripts/oracle/oracle.ts";
import type { ServedModel } from "../../../scripts/oracle/recording-worker.ts";
import { availableModels } from "../../parity/expectations.ts";
import { bodyText, composeBody } from "./bodies/body.ts";
import { plainSpelling } from "./bodies/json-node.ts";
import { Comparison, type Difference } from "./comparison.ts";
import { Explainer } from "./explainer.ts";
import { withOutcome } from "./outcome.ts";
import { smallestBody } from "./smallest-body.ts";

const { values } = parseArgs({
  options: {
    /** Makes the same bodies again. Default: another one each time. */
    seed: { type: "string" },
    /** How many bodies each model is asked about. */
    bodies: { type: "string", default: "2000" },
    /** Share of bodies that are changed at one place or more: mostly what the frontend refuses. */
    spoilt: { type: "string", default: "0.25" },
    /** Index of the first one, to look at a single body again. */
    first: { type: "string", default: "0" },
    /** Names, separated by commas. Default: all test models. */
    models: { type: "string" },
    /** How many unexplained differences of a model are made small and printed with their bodies. */
    details: { type: "string", default: "10" },
    /** Name under which test-results/ keeps the counts, for CI. */
    outcome: { type: "string" },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
const [first, bodies, details] = [Number(values.first), Number(values.bodies), Number(values.details)];

/** Models asked at the same time, each with a frontend of its own. */
const lanes = 2;

console.log(
  `seed ${seed}: ${bodies} bodies for each of ${modelsToAsk()
    .map((model) => model.name)
    .join(", ")}`,
);
const queue = [...modelsToAsk()];
const total = bodies * queue.length;
await withOutcome(values.outcome, async () => {
  // Once, before the lanes would do it at the same time.
  await ensureOraclePython();
  // Each lane ends its own processes, so that one that fails waits for the other.
  const counts = await Promise.allSettled(Array.from({ length: lanes }, () => lane()));
  for (const count of counts) if (count.status === "rejected") throw count.reason;
  const unexplained = counts.reduce((sum, count) => sum + (count.status === "fulfilled" ? count.value : 0), 0);
  console.log(`${unexplained} unexplained differences (seed ${seed})`);
  return { total, failed: unexplained };
});

function modelsToAsk(): readonly ServedModel[] {
  return availableModels(values.models?.split(",") ?? testModels);
}

/** Takes models from the queue until it is empty. Returns the number of unexplained differences. */
async function lane(): Promise<number> {
  let count = 0;
  for (let model = queue.shift(); model !== undefined; model = queue.shift()) count += await compareModel(model);
  return count;
}

async function compareModel(model: ServedModel): Promise<number> {
  const oracle = await Oracle.start([model]);
  const explainer = new Explainer(model.name, model.folder);
  try {
    const comparison = new Comparison(model.name, explainer, oracle);
    const started = performance.now();
    const differences: Difference[] = [];
    for (let index = first; index < first + bodies; index++) {
      const difference = await comparison.compare(composeBody(seed, index, Number(values.spoilt)));
      if (difference !== undefined) differences.push(difference);
    }
    const seconds = (performance.now() - started) / 1_000;
    return await report(comparison, differences, seconds);
  } finally {
    await explainer.close();
    await oracle.stop();
  }
}

async function report(comparison: Comparison, differences: readonly Difference[], seconds: number): Promise<number> {
  const { model } = comparison;
  const unexplained = differences.filter((difference) => difference.reason === undefined);
  console.log(`\n${model}: ${bodies} bodies in ${seconds.toFixed(1)} s, ${bodies - differences.length} equal`);
  for (const [reason, members] of Map.groupBy(differences, (difference) => difference.reason)) {
    if (reason !== undefined) printDeliberate(reason.name, members);
  }
  console.log(`  ${unexplained.length} unexplained`);
  for (const difference of unexplained.slice(0, details)) await printSmallest(comparison, difference);
  for (const { body, kind } of unexplained.slice(details)) console.log(`  ${body.name} ${body.path}: ${kind}`);
  return unexplained.length;
}

function printDeliberate(rule: string, differences: readonly Difference[]): void {
  console.log(`  ${differences.length} deliberate: ${rule}`);
  for (const { body, kind, ours } of differences) {
    console.log(`    ${body.name} ${body.path}: ${kind}${ours.error === null ? "" : `: ${ours.error.message}`}`);
  }
}

async function printSmallest(comparison: Comparison, { ...difference }: Difference): Promise<void> {
  const { body, kind } = difference;
  const tree = await smallestBody(body.tree, (candidate) => comparison.differsAlike(difference, candidate));
  const smallest = (await comparison.compare({ ...body, tree })) ?? difference;
  console.log(`  ${body.name} ${body.path}: ${kind}`);
  console.log(`    smallest body: ${bodyText({ ...body, tree, spelling: plainSpelling }, comparison.model)}`);
  console.log(`    ours: ${JSON.stringify(smallest.ours.error ?? smallest.ours.token_ids)}`);
  console.log(`    frontend's: ${JSON.stringify(smallest.theirs.tokenIds) ?? smallest.theirs.body.slice(0, 400)}`);
}
