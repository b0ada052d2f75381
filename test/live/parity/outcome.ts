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
  try {
    const { total, failed } = await compare();
    process.exitCode = failed === 0 ? 0 : 1;
    if (name !== undefined) await writeOutcome(name, { passed: total - failed, failed, problems: [] });
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    const [problem = ""] = String(error).split("\n", 1);
    if (name !== undefined) await writeOutcome(name, { passed: 0, failed: 1, problems: [problem] });
  }
}
