import { describe, expect, it } from "vitest";
import type { Outcome } from "../../soak/load/outcome.ts";
import { isExcused } from "../../soak/restarts/excuses.ts";

const excuse = { ways: ["gateway"], fromMs: 100, toMs: 200 } as const;

function failed(startMs: number, endMs: number, changes: Partial<Outcome> = {}): Outcome {
  const common = { id: "i", kind: "chat", way: "gateway", status: 503, worker: undefined } as const;
  return { ...common, startMs, endMs, failure: "status 503", ...changes };
}

describe("isExcused", () => {
  it.each([
    { what: "was under way when it began", outcome: failed(50, 100), is: true },
    { what: "began and ended within", outcome: failed(120, 150), is: true },
    { what: "was under way all the time", outcome: failed(50, 900), is: true },
    { what: "ended before", outcome: failed(50, 99), is: false },
    { what: "began after it", outcome: failed(201, 300), is: false },
    { what: "went another way", outcome: failed(120, 150, { way: "proxy" }), is: false },
    { what: "had no end", outcome: failed(50, 9_000, { failure: "no end within 90000 ms" }), is: false },
  ])("is $is for a request that $what", ({ outcome, is }) => {
    expect(isExcused(outcome, [excuse])).toBe(is);
  });

  it("takes any of several excuses, and none of nothing", () => {
    const other = { ways: ["proxy"], fromMs: 0, toMs: 9_999 } as const;
    expect(isExcused(failed(120, 150), [other, excuse])).toBe(true);
    expect(isExcused(failed(120, 150), [])).toBe(false);
  });
});
