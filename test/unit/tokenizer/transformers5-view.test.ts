import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { loadTokenizer, readNativeTokenizer, type Tokenizer } from "../../../src/tokenizer/index.ts";
import { type ModelCase, modelCases } from "./transformers5-cases.ts";

interface Recorded {
  readonly texts: readonly string[];
  readonly cases: readonly (Readonly<Record<"plain" | "special", readonly (readonly number[])[]>> | null)[];
}

const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/tokenizer/transformers5.json", import.meta.url), "utf8"),
) as Recorded;
const cases = modelCases(recorded.cases.length, 11);

function filesOf({ tokenizer, tokenizerConfig, modelType }: ModelCase) {
  const config = parseJson(Buffer.from(JSON.stringify(tokenizerConfig)));
  if (!(config instanceof JsonObject)) throw new TypeError("an object expected");
  return [Buffer.from(JSON.stringify(tokenizer)), config, { view: "transformers5", modelType } as const] as const;
}

async function idsOf(tokenizer: Tokenizer, addSpecialTokens: boolean): Promise<readonly (readonly number[])[]> {
  const lists: number[][] = [];
  for (const text of recorded.texts) lists.push([...(await tokenizer.encode(text, { addSpecialTokens }))]);
  return lists;
}

describe("the view of transformers 5 gives AutoTokenizer's ids", () => {
  it("of every kind of file", () => {
    expect(recorded.cases.filter((ids) => ids !== null).length).toBeGreaterThan(80);
  });

  it.each(cases.map((one, at) => ({ ...one, expected: recorded.cases[at] })))(
    "$name",
    async ({ expected, ...model }) => {
      if (expected === null || expected === undefined) return;
      for (const tokenizer of [await loadTokenizer(...filesOf(model)), readNativeTokenizer(...filesOf(model))]) {
        expect(await idsOf(tokenizer, false)).toEqual(expected.plain);
        expect(await idsOf(tokenizer, true)).toEqual(expected.special);
      }
    },
  );
});
