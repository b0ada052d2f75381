import { globSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readMarkdown } from "./markdown-page.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const inFolders = ["docs", "bench", "envoy", "k8s"].flatMap((folder) => globSync(`${folder}/**/*.md`, { cwd: root }));
const pages = [...globSync("*.md", { cwd: root }), ...inFolders].sort();

/** Why a link of a page leads nowhere; empty when it leads somewhere, or out of the repository. */
function faultOf(page: string, target: string): string {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return "";
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), decodeURIComponent(path));
  const found = statSync(join(root, file), { throwIfNoEntry: false });
  if (file.startsWith("..") || found === undefined) return `${target}: there is no ${file}`;
  if (anchor === undefined || !found.isFile()) return "";
  const { anchors } = readMarkdown(readFileSync(join(root, file), "utf8"));
  return anchors.has(anchor) ? "" : `${target}: ${file} has no such heading`;
}

function targetsOf(page: string): readonly string[] {
  return readMarkdown(readFileSync(join(root, page), "utf8")).targets;
}

describe("links of the manual", () => {
  it.each(pages)("%s leads to what exists", (page) => {
    expect(
      targetsOf(page)
        .map((target) => faultOf(page, target))
        .filter((fault) => fault !== ""),
    ).toEqual([]);
  });

  it.each(["README.md", "docs/index.md"])("%s lists every page", (page) => {
    const linked = targetsOf(page).map((target) => join(dirname(page), target.split("#")[0] ?? ""));
    const others = pages.filter((other) => dirname(other) === "docs" && other !== page);
    expect(others.filter((other) => !linked.includes(other))).toEqual([]);
  });
});

describe("reading a page", () => {
  it("finds links and images, and none in code", () => {
    const text = "See [a](a.md#b), ![c](d.png) and `[e](f.md)`.\n\n```md\n[g](h.md)\n# Not a heading\n```\n";
    expect(readMarkdown(text)).toEqual({ targets: ["a.md#b", "d.png"], anchors: new Set() });
  });

  it("names headings as GitHub does", () => {
    const text = "# A `POST /v1/x` of [ours](o.md)\n\n## Twice\n\n## Twice\n\n### What's 8,000?\n";
    expect([...readMarkdown(text).anchors]).toEqual(["a-post-v1x-of-ours", "twice", "twice-1", "whats-8000"]);
  });
});
