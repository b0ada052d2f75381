import { describe, expect, it } from "vitest";
import { asciiGlyphs, unicodeGlyphs } from "../../../src/top/index.ts";
import { sumText } from "../../../src/top/why-panel.ts";
import { examplePick } from "../../support/top/example-state.ts";

type Choice = ReturnType<typeof examplePick>["explanation"]["answering"];
type Terms = NonNullable<Choice["candidates"][number]["terms"]>;

function sumOf(terms: Partial<Terms>, choice: Partial<Choice> = {}, glyphs = unicodeGlyphs): string {
  const { answering } = examplePick().explanation;
  const [chosen] = answering.candidates;
  if (chosen?.terms === undefined) throw new Error("the example's first candidate has no cost");
  const plain = { requestBlocks: 0, preferenceFactor: 1 };
  const candidates = [{ ...chosen, pairBlocks: 0, terms: { ...chosen.terms, ...plain, ...terms } }];
  const text = sumText({ ...answering, chosen: 0, candidates, ...choice }, candidates[0], glyphs);
  return text.slice(text.indexOf("Cost = "));
}

describe("what a cost is the sum of", () => {
  const { options } = examplePick().explanation.answering;
  const terms = { prefillBlocks: 14, creditBlocks: 12, decodeBlocks: 26 };
  const scaled = { options: { ...options, prefillLoadScale: 8 } };

  it("has the factor of the prefill in it", () => {
    // 8 * 2 + 26 = 42
    expect(sumOf({ ...terms, cost: 42 }, scaled)).toBe(
      "Cost = 8 × max(0, 14.00 to prefill − 12.00 cache credit) + 26.00 decode",
    );
    expect(sumOf({ ...terms, cost: 42 }, scaled, asciiGlyphs)).toBe(
      "Cost = 8 x max(0, 14.00 to prefill - 12.00 cache credit) + 26.00 decode",
    );
  });

  it("has what is seldom something only where it is", () => {
    expect(sumOf({ ...terms, requestBlocks: 3, preferenceFactor: 0.5 })).toBe(
      "Cost = 0.500 preference × (max(0, 14.00 to prefill − 12.00 cache credit) + 26.00 decode + 3.00 requests)",
    );
  });

  it("credits what decodes alone for the blocks that it need not be sent", () => {
    const decoding = { phase: "decode" as const, options: { ...options, overlapScoreCredit: 1 } };
    expect(sumOf({ ...terms, prefillBlocks: 0 }, decoding)).toBe("Cost = max(0, 26.00 decode − 12.00 cache credit)");
  });
});
