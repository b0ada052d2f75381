// Usage: node chromium-path.ts   Prints the Chromium that the browser's tests drive; fails where there is none.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome"];

/**
 * The Chromium to drive: what `CHROMIUM` names, else the first of the usual names in `PATH`.
 * @throws Error that says how to get one; tests that need it fail rather than being left out
 */
export function chromiumPath(environment: NodeJS.ProcessEnv = process.env): string {
  const { CHROMIUM: named, PATH: path = "" } = environment;
  if (named !== undefined && named !== "") {
    if (isExecutable(named)) return named;
    throw new Error(`CHROMIUM names ${named}, which cannot be run`);
  }
  const folders = path.split(delimiter);
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
  if (found !== undefined) return found;
  throw new Error(
    "no Chromium: install Debian's package (apt-get install chromium), or name one in the environment variable CHROMIUM",
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) console.log(chromiumPath());
