/** What one vitest project came to. */
export interface Outcome {
  readonly passed: number;
  /** Failed tests, plus one for each problem that no test stands for. */
  readonly failed: number;
  /** One line for each thing counted in `failed` that is not itself a failed test. */
  readonly problems: readonly string[];
}

/** The part of vitest's JSON report (`--reporter=json`) that is read here. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/**
 * Counts a report so that nothing broken looks green: a file that does not load, a run that fails outside of its tests
 * (an unhandled error), a run without tests and a skipped test that is not in `allowedSkips` each count as a failure.
 * @param report undefined when vitest wrote none
 * @param exitCode of vitest; null when a signal ended it
 */
export function outcomeOf(
  report: VitestReport | undefined,
  exitCode: number | null,
  allowedSkips: ReadonlySet<string>,
): Outcome {
  if (report === undefined)
    return { passed: 0, failed: 1, problems: [`vitest gave no report (exit code ${exitCode})`] };
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === "passed").length;
  const failed = tests.filter(({ status }) => status === "failed").length;
  const problems = [...unloadedFiles(report), ...forbiddenSkips(tests, allowedSkips)];
  if (tests.length === 0) problems.push("no test ran");
  if (exitCode !== 0 && failed + problems.length === 0) problems.push(`vitest failed outside of a test (${exitCode})`);
  return { passed, failed: failed + problems.length, problems };
}

/** The closing line that people and CI read. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const total = (key: "passed" | "failed"): number => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
  return `${total("passed")} passed, ${total("failed")} failed`;
}

function unloadedFiles({ testResults }: VitestReport): string[] {
  return testResults
    .filter(
      ({ status, assertionResults }) => status === "failed" && assertionResults.every((t) => t.status !== "failed"),
    )
    .map(({ name, message }) => `${name}: ${message?.split("\n", 1)[0] || "the file or a hook failed"}`);
}

function forbiddenSkips(
  tests: readonly { readonly fullName: string; readonly status: string }[],
  allowedSkips: ReadonlySet<string>,
): string[] {
  return tests
    .filter(({ fullName, status }) => status !== "passed" && status !== "failed" && !allowedSkips.has(fullName))
    .map(({ fullName, status }) => `${status}: ${fullName}`);
}
