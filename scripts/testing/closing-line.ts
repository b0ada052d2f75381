// Usage: node_modules/.bin/node scripts/testing/closing-line.ts PROJECT...   Sums what `run.ts` left in test-results/; a project that did not run counts as failed.
import { closingLine } from "./outcome.ts";
import { readOutcome } from "./results-folder.ts";

const projects = process.argv.slice(2);
const outcomes = await Promise.all(projects.map(readOutcome));
for (const [i, { problems }] of outcomes.entries()) {
  for (const problem of problems) console.error(`${projects[i]}: ${problem}`);
}
console.log(closingLine(outcomes));
process.exitCode = outcomes.some(({ failed }) => failed > 0) || outcomes.length === 0 ? 1 : 0;
