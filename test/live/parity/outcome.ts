import type { Outcome } from "../../../scripts/testing/outcome.ts";
import { clearResults, writeOutcome } from "../../../scripts/testing/results-folder.ts";

/** How a comparison came out, in bodies. */
export interface ComparisonCounts {
  readonly total: number;
  readonly failed: number;
}

/**
 * Runs a comparison and sets the exit code: 0 when nothing failed.
 * @param name keeps the counts in test-results/ for CI's closing line; a comparison that could not run counts as one failure
 */
export async function withOutcome(name: string | undefined, compare: () => Promise<ComparisonCounts>): Promise<void> {
  if (name !== undefined) await clearResults(name);
  const outcome = await outcomeOfComparison(compare);
  for (const problem of outcome.problems) console.error(problem);
  process.exitCode = outcome.failed === 0 ? 0 : 1;
  if (name !== undefined) await writeOutcome(name, outcome);
}

/** Each body is a test. A comparison that could not run, or that compared nothing, is a failed one. */
export async function outcomeOfComparison(compare: () => Promise<ComparisonCounts>): Promise<Outcome> {
  try {
    const { total, failed } = await compare();
    if (total === 0) return { passed: 0, failed: 1, problems: ["nothing was compared"] };
    return { passed: total - failed, failed, problems: [] };
  } catch (error) {
    return {
      passed: 0,
      failed: 1,
      problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    };
  }
}
