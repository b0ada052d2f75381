import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { JsonObject, parseJson } from "../../../src/json/index.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const folder = join(root, "test", "fixtures", "templates");

/** Lines of a packed file under test/fixtures/templates, as text. */
export function fixtureLines(name: string): readonly string[] {
  return gunzipSync(readFileSync(join(folder, name)))
    .toString("utf8")
    .trim()
    .split("\n");
}

/** The real chat templates by name; fetched once, as their licences are their models'. */
export function realTemplates(): ReadonlyMap<string, string> {
  execFileSync(join(root, "scripts", "fetch-templates.sh"), { stdio: ["ignore", "ignore", "inherit"] });
  const cache = join(root, ".cache", "templates");
  return new Map(
    readdirSync(cache)
      .toSorted()
      .map((file) => [basename(file, ".jinja"), readFileSync(join(cache, file), "utf8")]),
  );
}

/** The sets of variables by name. */
export function templateCases(): JsonObject {
  const cases = parseJson(readFileSync(join(folder, "cases.json")));
  if (!(cases instanceof JsonObject)) throw new TypeError("an object expected");
  return cases;
}
