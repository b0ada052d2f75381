import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const reference = metricsIn(readFileSync(`${root}/docs/metrics.md`, "utf8"));
const pages = ["README.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })].sort();

/** With `_*` at the end all that begin so are meant. */
function metricsIn(text: string): readonly string[] {
  return [...text.matchAll(/`(pointsman_[a-z_]+\*?)/g)].map(([, name = ""]) => name);
}

function isThere(name: string): boolean {
  if (!name.endsWith("*")) return reference.includes(name);
  return reference.some((other) => !other.endsWith("*") && other.startsWith(name.slice(0, -1)));
}

describe("metrics that pages name", () => {
  it.each(pages)("%s names none that is not there", (page) => {
    const named = metricsIn(readFileSync(`${root}/${page}`, "utf8"));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });
});
