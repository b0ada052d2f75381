import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Setting, settingTree } from "../../../src/config/setting-tree.ts";

function pathsOf(settings: readonly Setting[]): readonly string[] {
  return settings.flatMap(({ path, children }) => [path, ...pathsOf(children)]);
}

const root = fileURLToPath(new URL("../../..", import.meta.url));
const pages = ["README.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })].sort();

const paths = pathsOf(settingTree());
const sections = new Set(paths.map((path) => path.split(/[.[]/)[0] ?? ""));

/** A file of a model, and a span of a trace. */
const otherNames = ["tokenizer.json", "proxy.request"];

function textOf(file: string): Promise<string> {
  return readFile(new URL(`../../../${file}`, import.meta.url), "utf8");
}

/** Names in code quotes that begin with the name of a section; a value or more members may follow. */
function settingsNamedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([a-zA-Z]+(?:\[\])?(?:\.[a-zA-Z]+)+)(?:[:=][^`]*)?`/g)]
    .map(([, name = ""]) => name)
    .filter((name) => sections.has(name.split(/[.[]/)[0] ?? "") && !otherNames.includes(name));
}

describe("settings in the pages for operators", () => {
  it.each(pages)("%s names none that is not there", async (file) => {
    const named = settingsNamedIn(await textOf(file));
    expect(named.filter((name) => !paths.includes(name))).toEqual([]);
  });

  it("SECURITY.md tells of every file with a secret", async () => {
    const named = settingsNamedIn(await textOf("SECURITY.md"));
    const isNamed = (path: string): boolean => named.some((name) => path === name || path.startsWith(`${name}.`));
    const secrets = paths.filter(
      (path) => /(token|password|key|headers)file$/i.test(path) || path.endsWith("kubeconfig"),
    );
    expect(secrets).toContain("hub.tokenFile");
    expect(secrets.filter((path) => !isNamed(path))).toEqual([]);
  });
});
