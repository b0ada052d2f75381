import { describe, expect, it } from "vitest";
import { closingLine, outcomeOf, type VitestReport } from "../../../scripts/testing/outcome.ts";

function report(...statuses: readonly string[]): VitestReport {
  const assertionResults = statuses.map((status, i) => ({ fullName: `test ${i}`, status }));
  const status = statuses.includes("failed") ? "failed" : "passed";
  return { testResults: [{ name: "a.test.ts", status, assertionResults }] };
}

const unloaded: VitestReport = {
  testResults: [{ name: "b.test.ts", status: "failed", message: "cannot find module\nat x", assertionResults: [] }],
};

describe("outcomeOf", () => {
  it.each([
    { name: "passed tests", of: report("passed", "passed"), exit: 0, passed: 2, problems: [] },
    { name: "a failed test", of: report("passed", "failed"), exit: 1, passed: 1, problems: [], failed: 1 },
    { name: "an error outside of a test", of: report("passed"), exit: 1, passed: 1, problems: [/outside of a test/] },
    { name: "a killed run", of: undefined, exit: null, passed: 0, problems: [/no report/] },
    { name: "no tests", of: { testResults: [] }, exit: 0, passed: 0, problems: [/no test ran/] },
    { name: "a skipped test", of: report("passed", "skipped"), exit: 0, passed: 1, problems: [/^skipped: test 1$/] },
    { name: "a todo", of: report("passed", "todo"), exit: 0, passed: 1, problems: [/^todo: test 1$/] },
  ])("counts $name", ({ of, exit, passed, problems, failed = problems.length }) => {
    const outcome = outcomeOf(of, exit, new Set());
    expect(outcome).toMatchObject({ passed, failed });
    expect(outcome.problems).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });

  it("counts a file that does not load, with its message", () => {
    expect(outcomeOf(unloaded, 1, new Set()).problems).toContain("b.test.ts: cannot find module");
  });

  it("lets a listed test be skipped", () => {
    expect(outcomeOf(report("passed", "skipped"), 0, new Set(["test 1"]))).toMatchObject({ passed: 1, failed: 0 });
  });
});

describe("closingLine", () => {
  it("sums all projects", () => {
    const outcomes = [
      { passed: 3, failed: 0, problems: [] },
      { passed: 4, failed: 2, problems: [] },
    ];
    expect(closingLine(outcomes)).toBe("7 passed, 2 failed");
  });
});
