import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { JsonObject, parseJson } from "../../../src/json/index.ts";

const folder = join(import.meta.dirname, "..", "..", "fixtures", "templates");

/** Lines of a packed file under test/fixtures/templates, as text. */
export function fixtureLines(name: string): readonly string[] {
  return gunzipSync(readFileSync(join(folder, name)))
    .toString("utf8")
    .trim()
    .split("\n");
}

/** The real chat templates by name. */
export function realTemplates(): ReadonlyMap<string, string> {
  return new Map(
    fixtureLines("templates.jsonl.gz").map((line) => {
      const { name, source } = JSON.parse(line) as { readonly name: string; readonly source: string };
      return [name, source];
    }),
  );
}

/** The sets of variables by name. */
export function templateCases(): JsonObject {
  const cases = parseJson(readFileSync(join(folder, "cases.json")));
  if (!(cases instanceof JsonObject)) throw new TypeError("an object expected");
  return cases;
}
