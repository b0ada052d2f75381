import { describe, expect, it } from "vitest";
import { Canvas } from "../../../src/top/canvas.ts";
import { asciiGlyphs, unicodeGlyphs } from "../../../src/top/index.ts";
import { sumText, whyRows } from "../../../src/top/why-panel.ts";
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

/** The panel of the example with another choice of who answers. */
function panelOf(changed: (choice: Choice) => Choice): string {
  const pick = examplePick();
  const { explanation } = pick;
  const rows = whyRows(
    { ...pick, explanation: { ...explanation, answering: changed(explanation.answering) } },
    200,
    unicodeGlyphs,
  );
  const canvas = new Canvas(200, rows.length);
  for (const [row, draw] of rows.entries()) draw(canvas, row);
  return canvas.lines().join("\n");
}

describe("why this one", () => {
  it("counts what a shared cache holds, and complete blocks alone", () => {
    // 1,420 tokens are 88 complete blocks of 16 and a part of one.
    const panel = panelOf((choice) => ({
      ...choice,
      candidates: choice.candidates.map((candidate, at) =>
        at === 0 ? { ...candidate, overlapBlocks: { device: 40, host: 20, disk: 5, sharedCache: 7 } } : candidate,
      ),
    }));
    expect(panel).toContain("It holds 72 of 88 blocks.");
    expect(panel).toMatch(/^=> +\S+ +[\d.]+ +72 /m);
  });

  const dearer = (temperature: number) => (choice: Choice) => ({
    ...choice,
    chosen: 1,
    options: { ...choice.options, temperature },
  });

  it("blames chance for a dearer one only where there is chance", () => {
    expect(panelOf(dearer(0))).toContain("its session or the pair outweighs that.");
    expect(panelOf(dearer(0))).not.toContain("chance");
    expect(panelOf(dearer(0.5))).toContain("chance decided (temperature 0.5).");
  });

  it("says of equals that none costs less only where none does", () => {
    const tied = panelOf((choice) => ({ ...choice, tied: 2 }));
    expect(tied).toContain("2 candidates cost 817.75 blocks, none less; gpu-0 by the tie-break fewest-requests.");
    expect(panelOf((choice) => ({ ...dearer(0)(choice), tied: 2 }))).not.toContain("none less");
  });
});
