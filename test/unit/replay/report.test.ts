import { describe, expect, it } from "vitest";
import { barsOf, curvesOf, type PolicyResult, summarize, tableOf } from "../../../src/replay/index.ts";

const outcome = {
  requests: [3, 1],
  tokens: [300, 100],
  peaks: [2, 1],
  ttftMs: [10, 20, 30, 40],
  totalMs: [100, 200, 300, 400],
  promptTokens: 400,
  cachedTokens: 100,
};

describe("the figures of a run", () => {
  it("are parts, quantiles and the busiest worker against the mean", () => {
    expect(summarize(outcome)).toEqual({
      requests: 4,
      hitRate: 0.25,
      ttftMs: { p50: 30, p90: 40, p99: 40 },
      totalMs: { p50: 300, p90: 400, p99: 400 },
      imbalance: 1.5,
      peak: 2,
    });
  });

  it("are printed in columns and as bars", () => {
    const half = { ...summarize(outcome), hitRate: 0.125 };
    const results: PolicyResult[] = [
      { name: "a", summary: summarize(outcome) },
      { name: "longer", summary: half },
    ];
    const [head, first, second] = tableOf(results).split("\n");
    expect(head).toHaveLength(first?.length ?? 0);
    expect(first?.split(/\s+/)).toEqual(["a", "0.250", "30", "40", "40", "300", "400", "1.50", "2"]);
    expect(second).toMatch(/^longer\s+0\.125 /);
    expect(barsOf("hit rate", results, ({ hitRate }) => hitRate)).toBe(
      `hit rate\na       ${"█".repeat(40)} 0.250\nlonger  ${"█".repeat(20)} 0.125\n`,
    );
  });
});

describe("the drawing", () => {
  it("has a line for each policy and escapes their names", () => {
    const svg = curvesOf("waits", [
      { name: "<b> & c", values: [3, 1, 2] },
      { name: "none", values: [] },
    ]);
    expect(svg).toContain("&lt;b&gt; &amp; c");
    expect(svg.match(/stroke-width="2"/g)).toHaveLength(1);
    expect(svg).not.toContain("NaN");
  });
});
