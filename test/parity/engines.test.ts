import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { answers, type CaseAnswer } from "./answers.ts";
import { availableModels, caseLines } from "./expectations.ts";

type Engine = "vllm" | "sglang";

interface EngineAnswer {
  readonly name: string;
  readonly model: string;
  readonly profile: Engine;
  /** Of every prompt of the request; null when the engine refuses it. */
  readonly token_ids: readonly (readonly number[])[] | null;
}

/** What the engines' own servers make of the cases; `scripts/oracle/engines/answer.py` wrote it. */
const expected = gunzipSync(readFileSync(join(import.meta.dirname, "..", "fixtures", "parity", "engines.jsonl.gz")))
  .toString("utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as EngineAnswer);

const paths = new Map(
  caseLines().map((line) => {
    const { name, path } = JSON.parse(line) as { readonly name: string; readonly path: string };
    return [name, path] as const;
  }),
);

const given = new Map<string, Promise<ReadonlyMap<string, CaseAnswer>>>();

/** Our answers for a model behind an engine, by name. */
function ours(model: string, profile: Engine): Promise<ReadonlyMap<string, CaseAnswer>> {
  const key = `${model} ${profile}`;
  const found = given.get(key) ?? answerAll(model, profile);
  given.set(key, found);
  return found;
}

async function answerAll(model: string, profile: Engine): Promise<ReadonlyMap<string, CaseAnswer>> {
  const [{ folder } = { folder: "" }] = availableModels([model]);
  const all = await answers({ modelDir: folder, model, profile }, caseLines());
  return new Map(all.map((answer) => [answer.name, answer]));
}

/** The ids of one prompt, or of several, one after the other. */
function idsOf({ token_ids: ids }: Pick<CaseAnswer, "token_ids">): string | null {
  return ids === null ? null : ids.flat().join(" ");
}

const models = availableModels(new Set(expected.map((answer) => answer.model))).map((model) => model.name);
const apis = ["/v1/chat/completions", "/v1/completions", "/v1/messages", "/v1/responses"];
const combinations = models
  .flatMap((model) =>
    (["vllm", "sglang"] as const).flatMap((profile) => apis.map((path) => ({ model, profile, path }))),
  )
  .filter(({ model, profile, path }) => recordedOf(model, profile, path).length > 0);

function recordedOf(model: string, profile: Engine, path: string): readonly EngineAnswer[] {
  return expected.filter(
    (answer) => answer.model === model && answer.profile === profile && paths.get(answer.name) === path,
  );
}

describe.each(combinations)("$profile's tokens of $path on $model", ({ model, profile, path }) => {
  const cases = recordedOf(model, profile, path);

  it("are ours, and none are claimed of what it refuses", async () => {
    expect(cases.length).toBeGreaterThan(25);
    const own = await ours(model, profile);
    const different = cases.filter((answer) => idsOf(own.get(answer.name) ?? { token_ids: null }) !== idsOf(answer));
    expect(different.map(({ name }) => name)).toEqual([]);
  });
});
