import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { renderReference } from "../../../src/config/index.ts";
import { environmentName, type Setting, scalarSettings, settingTree } from "../../../src/config/setting-tree.ts";

function everySetting(settings: readonly Setting[] = settingTree()): readonly Setting[] {
  return settings.flatMap((setting) => [setting, ...everySetting(setting.children)]);
}

describe("the configuration reference", () => {
  it("is up to date (npm run docs)", async () => {
    expect(await readFile(new URL("../../../docs/configuration.md", import.meta.url), "utf8")).toBe(renderReference());
  });

  it.each(everySetting())("describes $path", ({ description }) => {
    expect(description).toMatch(/^.{10,}[.:]?/);
  });

  it("names each environment variable once", () => {
    const names = scalarSettings().map(({ path }) => environmentName(path));
    expect(new Set(names).size).toBe(names.length);
  });

  it("names no variable that could be one of Kubernetes'", () => {
    const names = scalarSettings().map(({ path }) => environmentName(path));
    expect(names.filter((name) => /_SERVICE_(HOST|PORT)|_PORT$|_PORT_\d/.test(name))).toEqual([]);
  });
});
