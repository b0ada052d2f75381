import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { type Engine, ensureEngines } from "../../../scripts/oracle/engines/engine-server.ts";
import type { ServedModel } from "../../../scripts/oracle/recording-worker.ts";
import { availableModels } from "../../parity/expectations.ts";
import { type RecordedBody, tokensDigest } from "../../parity/recorded-body.ts";
import { composeBody } from "./bodies/body.ts";
import { type Compared, EngineComparison, type Verdict, verdicts } from "./engine-comparison.ts";
import { withOutcome } from "./outcome.ts";
import { smallestBody } from "./smallest-body.ts";

const { values } = parseArgs({
  options: {
    /** Makes the same bodies again. Default: another one each time. */
    seed: { type: "string" },
    /** How many bodies each model is asked about behind each engine. */
    bodies: { type: "string", default: "700" },
    /** Share of bodies that are changed at one place or more. */
    spoilt: { type: "string", default: "0.1" },
    /** Index of the first one, to look at a single body again. */
    first: { type: "string", default: "0" },
    /** Names, separated by commas. */
    models: { type: "string", default: "qwen3,llama3_1,gemma3" },
    engines: { type: "string", default: "vllm,sglang" },
    /** Release of the engine that ENGINES_HOME holds. Default: the newest that is known. */
    "engine-version": { type: "string" },
    /** How many differences of a model are made small and printed with their bodies. */
    details: { type: "string", default: "10" },
    /** Which of the verdicts is a difference. */
    of: { type: "string", default: "other tokens" },
    /** File for the bodies and what the engines made of them: the fixture of test/parity/engine-bodies.test.ts. */
    record: { type: "string" },
    /** Name under which test-results/ keeps the counts, for CI. */
    outcome: { type: "string" },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
const [first, bodies, details] = [Number(values.first), Number(values.bodies), Number(values.details)];
const engines = values.engines.split(",") as readonly Engine[];
const models = availableModels(values.models.split(","));
const recorded = new Map<string, RecordedBody>();

console.log(`seed ${seed}: ${bodies} bodies for each of ${models.map((model) => model.name).join(", ")}`);
await withOutcome(values.outcome, async () => {
  await ensureEngines();
  let failed = 0;
  for (const engine of engines) for (const model of models) failed += await compareModel(model, engine);
  return { total: bodies * models.length * engines.length, failed };
});
if (values.record !== undefined) {
  const lines = Array.from(recorded.values(), (one) => `${JSON.stringify(one)}\n`);
  await writeFile(values.record, gzipSync(lines.join(""), { level: 9 }));
}

function record({ body, raw, theirs }: Compared, asked: string): void {
  const tokens = { ...recorded.get(body.name)?.tokens, [asked]: tokensDigest(theirs.token_ids) };
  recorded.set(body.name, { path: body.path, raw, tokens });
}

/** Returns the number of differences. */
async function compareModel(model: ServedModel, engine: Engine): Promise<number> {
  const comparison = new EngineComparison(model, engine, values["engine-version"]);
  try {
    const all: Compared[] = [];
    for (let index = first; index < first + bodies; index++) {
      all.push(await comparison.compare(composeBody(seed, index, Number(values.spoilt))));
    }
    for (const one of all) record(one, `${engine} ${model.name}`);
    return await report(comparison, `${engine}, ${model.name}`, all);
  } finally {
    await comparison.close();
  }
}

async function report(comparison: EngineComparison, name: string, all: readonly Compared[]): Promise<number> {
  const groups = Map.groupBy(all, (one) => one.verdict);
  const counts = verdicts.map((verdict) => `${groups.get(verdict)?.length ?? 0} ${verdict}`);
  console.log(`${name}: ${counts.join(", ")}`);
  const differences = groups.get(values.of as Verdict) ?? [];
  for (const difference of differences.slice(0, details)) await printSmallest(comparison, difference);
  return differences.length;
}

async function printSmallest(comparison: EngineComparison, { body, verdict }: Compared): Promise<void> {
  const tree = await smallestBody(
    body.tree,
    async (candidate) => (await comparison.compare({ ...body, tree: candidate })).verdict === verdict,
  );
  const { raw, ours, theirs } = await comparison.compare({ ...body, tree });
  console.log(`  ${body.name} ${body.path}: ${verdict}`);
  console.log(`    smallest body: ${raw.replaceAll(/[\n\t]/g, "")}`);
  console.log(`    ours: ${JSON.stringify(ours.error ?? ours.token_ids)}`);
  console.log(`    the engine's: ${JSON.stringify(theirs.token_ids)} ${theirs.error ?? ""}`);
}
