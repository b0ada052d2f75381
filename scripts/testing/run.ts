// Usage: node_modules/.bin/node scripts/testing/run.ts PROJECT...   Runs vitest projects one after the other, then prints "N passed, N failed".
import { spawn } from "node:child_process";
import { closingLine, type Outcome, outcomeOf } from "./outcome.ts";
import { clearResults, projectRoot, readAllowedSkips, readReport, reportPath, writeOutcome } from "./results-folder.ts";

const projects = process.argv.slice(2);
const allowedSkips = await readAllowedSkips();
const outcomes: Outcome[] = [];
for (const project of projects) outcomes.push(await runProject(project));
console.log(closingLine(outcomes));
process.exitCode = outcomes.some(({ failed }) => failed > 0) || outcomes.length === 0 ? 1 : 0;

async function runProject(project: string): Promise<Outcome> {
  await clearResults(project);
  const exitCode = await runVitest(project);
  const outcome = outcomeOf(await readReport(project), exitCode, allowedSkips);
  for (const problem of outcome.problems) console.error(`${project}: ${problem}`);
  await writeOutcome(project, outcome);
  return outcome;
}

function runVitest(project: string): Promise<number | null> {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportPath(project)}`];
  const args = ["node_modules/vitest/vitest.mjs", "run", "--project", project, ...reporters];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: projectRoot, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", resolve);
  });
}
