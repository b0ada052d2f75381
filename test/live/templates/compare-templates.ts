import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Oracle } from "../../../scripts/oracle/oracle.ts";
import { bodyText } from "../parity/bodies/body.ts";
import { plainSpelling } from "../parity/bodies/json-node.ts";
import { Comparison, type Difference } from "../parity/comparison.ts";
import { Explainer } from "../parity/explainer.ts";
import { smallestBody } from "../parity/smallest-body.ts";
import { textOfBytes } from "./byte-model.ts";
import { composeTemplateBody } from "./template-body.ts";
import { segmentTokenizer, type TemplateModel, templateSource, writeTemplateModels } from "./template-models.ts";
import { variableNames } from "./template-variables.ts";

export interface TemplateComparisonOptions {
  /** Makes the same bodies again. */
  readonly seed: number;
  /** Index of the first body. */
  readonly first: number;
  /** How many each template is asked about. */
  readonly bodies: number;
  /** Share of bodies that are changed at one place or more. */
  readonly spoilt: number;
  /** How many differences of a template are made small. */
  readonly details: number;
}

/** What the bodies of one template came to. */
export interface TemplateOutcome {
  readonly name: string;
  readonly equal: number;
  readonly differences: number;
  /** Some of the differences, in words. */
  readonly details: readonly string[];
}

/** A frontend watches files for each model, of which a machine allows few. */
const modelsAtOnce = 12;

/** Renders composed bodies with templates, by the code of `explain --cases` and by a frontend of our own, and compares status and tokens. */
export async function* compareTemplates(
  names: readonly string[],
  options: TemplateComparisonOptions,
): AsyncGenerator<TemplateOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "template-models-"));
  try {
    const models = writeTemplateModels(folder, names);
    for (let from = 0; from < models.length; from += modelsAtOnce) {
      yield* compareModels(models.slice(from, from + modelsAtOnce), options);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* compareModels(
  models: readonly TemplateModel[],
  options: TemplateComparisonOptions,
): AsyncGenerator<TemplateOutcome> {
  const oracle = await Oracle.start(models, segmentTokenizer);
  try {
    for (const model of models) yield await compareModel(model, oracle, options);
  } finally {
    await oracle.stop();
  }
}

async function compareModel(
  { name, folder, frontend }: TemplateModel,
  oracle: Oracle,
  { seed, first, bodies, spoilt, details }: TemplateComparisonOptions,
): Promise<TemplateOutcome> {
  const explainer = new Explainer(name, folder, "dynamo", { frontend });
  const variables = variableNames(templateSource(name));
  try {
    const comparison = new Comparison(name, explainer, oracle);
    const found: Difference[] = [];
    for (let index = first; index < first + bodies; index++) {
      const difference = await comparison.compare(composeTemplateBody(seed, index, spoilt, variables));
      if (difference !== undefined && difference.reason === undefined) found.push(difference);
    }
    const words: string[] = [];
    for (const difference of found.slice(0, details)) words.push(await described(comparison, difference));
    return { name, equal: bodies - found.length, differences: found.length, details: words };
  } finally {
    await explainer.close();
  }
}

async function described(comparison: Comparison, difference: Difference): Promise<string> {
  const { body, kind } = difference;
  const tree = await smallestBody(body.tree, (candidate) => comparison.differsAlike(difference, candidate));
  const smallest = (await comparison.compare({ ...body, tree })) ?? difference;
  return [
    `${body.name} ${body.path}: ${kind}`,
    `smallest body: ${bodyText({ ...body, tree, spelling: plainSpelling }, comparison.model)}`,
    `ours: ${shown(smallest.ours.error?.message ?? smallest.ours.token_ids)}`,
    `frontend's: ${shown(smallest.theirs.tokenIds?.[0] ?? smallest.theirs.body.slice(0, 400))}`,
  ].join("\n    ");
}

function shown(answer: unknown): string {
  return Array.isArray(answer) ? JSON.stringify(textOfBytes(answer as number[])) : String(answer);
}
