import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const pages = globSync(["README.md", "SECURITY.md", "docs/*.md", "{k8s,envoy,bench,test}/**/README*.md"]);
const programs = globSync("{bench,scripts,test}/**/*.ts").filter((file) => !/^test\/(?:e2e|unit)\/docs\//.test(file));

/** Lines for people: a page's own, a program's comments and what it prints as the way to see a fault again. */
function linesOf(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return file.endsWith(".ts") ? lines.filter((line) => /^\s*(?:\/\/|\/?\*)|again: /.test(line)) : lines;
}

it("commands of .ts files name the pinned Node: others do not read them", () => {
  const unpinned = /(?<![\w./-])node (?:bench|scripts|test)\/\S+\.ts/;
  const found = [...pages, ...programs].flatMap((file) =>
    linesOf(file).flatMap((line) => (unpinned.test(line) ? [`${file}: ${line}`] : [])),
  );
  expect(found).toEqual([]);
});
