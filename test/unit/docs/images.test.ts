import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const images = globSync("docs/images/*", { cwd: root }).sort();

/** The images that a page shows, with the words for those who do not see them. */
function shownBy(page: string): { readonly path: string; readonly words: string }[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, words = "", target = ""]) => ({
    path: join(dirname(page), target),
    words,
  }));
}

describe("pictures of the console", () => {
  const shown = ["README.md", "docs/console.md"].flatMap(shownBy);

  it("are shown: one in the README, all on the console's page", () => {
    expect(shownBy("README.md").map(({ path }) => path)).toContain("docs/images/console-light.png");
    expect(
      shownBy("docs/console.md")
        .map(({ path }) => path)
        .sort(),
    ).toEqual(images);
    expect(images).toEqual([
      "docs/images/console-dark.png",
      "docs/images/console-light.png",
      "docs/images/console-pick.png",
    ]);
  });

  it("are told in words, too", () => {
    expect(shown.filter(({ words }) => words.length < 12)).toEqual([]);
  });

  it.each(images)("%s is a PNG of a screen's size, and small", (image) => {
    const bytes = readFileSync(join(root, image));
    expect(bytes.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
    expect(bytes.readUInt32BE(16)).toBe(1_280);
    expect(bytes.length).toBeLessThan(250_000);
  });
});
