import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { valuesSchemaText } from "../../../scripts/kubernetes/values-schema.ts";
import { renderReference } from "../../../src/config/index.ts";
import { environmentName, type Setting, settableSettings, settingTree } from "../../../src/config/setting-tree.ts";

function everySetting(settings: readonly Setting[] = settingTree()): readonly Setting[] {
  return settings.flatMap((setting) => [setting, ...everySetting(setting.children)]);
}

describe("the configuration reference", () => {
  it("is up to date (npm run docs)", async () => {
    expect(await readFile(new URL("../../../docs/configuration.md", import.meta.url), "utf8")).toBe(renderReference());
  });

  it("and the schema of the chart's values as well", async () => {
    const file = await readFile(new URL("../../../k8s/chart/values.schema.json", import.meta.url), "utf8");
    expect(file).toBe(valuesSchemaText());
  });

  it.each(everySetting())("describes $path", ({ description }) => {
    expect(description).toMatch(/^.{10,}[.:]?/);
  });

  it("has a table of what is in the entries of a list inside of a section", () => {
    const page = renderReference();
    for (const path of ["proxy.apiKeys", "admission.objectives"]) expect(page).toContain(`\n### ${path}[]\n`);
    for (const { path } of everySetting().filter(({ kind }) => kind !== "section" && kind !== "list")) {
      expect(page).toContain(`\n| \`${path}\` | `);
    }
  });

  it("names an environment variable just where it works", () => {
    const named = renderReference().match(/(?<=\| `)POINTSMAN_[A-Z0-9_]+/g);
    expect(named?.toSorted()).toEqual(
      settableSettings()
        .map(({ path }) => environmentName(path))
        .toSorted(),
    );
  });

  it("has as many cells in each row as its table has columns", () => {
    const widths = renderReference()
      .split("\n\n")
      .filter((block) => block.startsWith("| "))
      .map((block) => {
        return new Set(
          block
            .trim()
            .split("\n")
            .map((row) => row.split(/(?<!\\)\|/).length),
        ).size;
      });
    expect(new Set(widths)).toEqual(new Set([1]));
  });

  it("names each environment variable once", () => {
    const names = settableSettings().map(({ path }) => environmentName(path));
    expect(new Set(names).size).toBe(names.length);
  });

  it("names no variable that could be one of Kubernetes'", () => {
    const names = settableSettings().map(({ path }) => environmentName(path));
    expect(names.filter((name) => /_SERVICE_(HOST|PORT)|_PORT$|_PORT_\d/.test(name))).toEqual([]);
  });
});
