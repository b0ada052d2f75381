import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../src/json/index.ts";
import { loadTokenizer } from "../../src/tokenizer/index.ts";
import { type ViewCase, viewCases } from "./tokenizer-view-cases.ts";

interface ViewAnswer {
  readonly name: string;
  readonly view: "transformers5" | "sglang";
  /** Of every text; null when the files cannot be loaded. */
  readonly token_ids: readonly (readonly number[])[] | null;
}

/** `scripts/oracle/engines/record-views.sh` wrote it. */
const recorded = gunzipSync(
  readFileSync(join(import.meta.dirname, "..", "fixtures", "parity", "tokenizer-views.jsonl.gz")),
)
  .toString("utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as ViewAnswer)
  .filter((answer) => answer.token_ids !== null);

const cases = new Map(viewCases().map((one) => [one.name, one]));

async function tokens({ files, texts }: ViewCase, view: ViewAnswer["view"]): Promise<readonly (readonly number[])[]> {
  const tokenizerConfig = parseJson(Buffer.from(JSON.stringify(files["tokenizer_config.json"])));
  if (!(tokenizerConfig instanceof JsonObject)) throw new TypeError("an object expected");
  const { model_type: modelType } = files["config.json"];
  const json = Buffer.from(JSON.stringify(files["tokenizer.json"]));
  const tokenizer = await loadTokenizer(json, tokenizerConfig, { view, modelType });
  return Promise.all(texts.map(async (text) => [...(await tokenizer.encode(text, { addSpecialTokens: true }))]));
}

describe.each(["transformers5", "sglang"] as const)("a model's files as %s reads them", (view) => {
  const answers = recorded.filter((answer) => answer.view === view);

  it("are those of the cases", () => {
    expect(answers.length).toBeGreaterThan(400);
  });

  it("give its tokens, whatever class they are said to have", async () => {
    for (const { name, token_ids: expected } of answers) {
      const found = cases.get(name);
      if (found === undefined) throw new Error(`no case ${name}`);
      expect(await tokens(found, view), name).toEqual(expected);
    }
  });
});
