import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Outcome, VitestReport } from "./outcome.ts";

export const projectRoot = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(projectRoot, "test-results");

/** Path of the JSON report that vitest is told to write for a project. */
export function reportPath(project: string): string {
  return join(folder, `${project}.json`);
}

/** Forgets what an earlier run left for a project, so that it cannot be counted again. */
export async function clearResults(project: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await rm(reportPath(project), { force: true });
  await rm(outcomePath(project), { force: true });
}

export async function readReport(project: string): Promise<VitestReport | undefined> {
  return readJson<VitestReport>(reportPath(project));
}

export async function writeOutcome(project: string, outcome: Outcome): Promise<void> {
  await writeFile(outcomePath(project), JSON.stringify(outcome));
}

/** The kept outcome; a project that left none did not run, which is a failure. */
export async function readOutcome(project: string): Promise<Outcome> {
  const outcome = await readJson<Outcome>(outcomePath(project));
  return outcome ?? { passed: 0, failed: 1, problems: ["did not run"] };
}

/** Full names of the tests that may be skipped: the lines of `test/allowed-skips.txt` that are not comments. */
export async function readAllowedSkips(): Promise<ReadonlySet<string>> {
  const text = await readFile(join(projectRoot, "test/allowed-skips.txt"), "utf8");
  return new Set(text.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
}

function outcomePath(project: string): string {
  return join(folder, `${project}.outcome.json`);
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch {
    return undefined;
  }
}
