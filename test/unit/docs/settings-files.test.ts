import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/index.ts";
import { settingTree } from "../../../src/config/setting-tree.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const sections = new Set(settingTree().map(({ path }) => path.replace("[]", "")));
const pages = ["README.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })].sort();

/** YAML of a page that is a settings file, whole or in part; other YAML belongs to other programs. */
function settingsIn(page: string): readonly string[] {
  const blocks = [...readFileSync(`${root}/${page}`, "utf8").matchAll(/^```yaml\n([\s\S]*?)^```$/gm)];
  return blocks
    .map(([, block = ""]) => block)
    .filter((block) => [...block.matchAll(/^([a-zA-Z]+):/gm)].some(([, key = ""]) => sections.has(key)));
}

/** Where a page leaves out what is the reader's own. */
function filledIn(settings: string): string {
  return settings.replaceAll(/sha256: "[^"]*"/g, `sha256: "${"0".repeat(64)}"`);
}

const files = pages.flatMap((page) => settingsIn(page).map((settings, i) => ({ name: `${page} ${i + 1}`, settings })));

describe("settings files in the manual", () => {
  it.each(files)("$name is taken as it stands", ({ settings }) => {
    expect(() => loadConfig({ text: filledIn(settings), env: {} })).not.toThrow();
  });

  it("are found", () => {
    expect(files.length).toBeGreaterThan(12);
  });
});
