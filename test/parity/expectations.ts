import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureModelFolder, type TestModel, testModels } from "../../scripts/models.ts";

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

/** The models of some names, with their folders. Those that this project has no files of are left out. */
export function availableModels(
  names: Iterable<string>,
): readonly { readonly name: TestModel; readonly folder: string }[] {
  const wanted = new Set(names);
  return testModels.filter((name) => wanted.has(name)).map((name) => ({ name, folder: ensureModelFolder(name) }));
}
