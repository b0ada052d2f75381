import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureModelFolder, testModels } from "../../scripts/models.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "parity");

/** What the Dynamo frontend did with a case. */
export interface Expectation {
  readonly name: string;
  readonly model: string;
  readonly status: number;
  /** Absent when the request was refused. */
  readonly token_ids?: unknown;
}

function readLines(file: string): readonly string[] {
  return readFileSync(join(fixtures, file), "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** The cases, a JSON line each. */
export function caseLines(): readonly string[] {
  return readLines("cases.jsonl");
}

/** The frontend's answers by model and case name. */
export function expectations(): ReadonlyMap<string, ReadonlyMap<string, Expectation>> {
  const byModel = new Map<string, Map<string, Expectation>>();
  for (const line of readLines("expected.jsonl")) {
    const expectation = JSON.parse(line) as Expectation;
    const answers = byModel.get(expectation.model) ?? new Map<string, Expectation>();
    byModel.set(expectation.model, answers.set(expectation.name, expectation));
  }
  return byModel;
}

/** Folders of the models that are there: those from development dependencies, and others put under `.cache/models` by hand. */
export function availableModels(
  names: Iterable<string>,
): readonly { readonly name: string; readonly folder: string }[] {
  const found: { name: string; folder: string }[] = [];
  for (const name of names) {
    const testModel = testModels.find((candidate) => candidate === name);
    const folder =
      testModel === undefined
        ? join(import.meta.dirname, "..", "..", ".cache", "models", name)
        : ensureModelFolder(testModel);
    if (existsSync(folder)) found.push({ name, folder });
  }
  return found;
}
