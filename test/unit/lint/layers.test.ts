import { readdir, readFile } from "node:fs/promises";
import { relative } from "node:path/posix";
import { beforeAll, describe, expect, it } from "vitest";
import { type Layer, layers } from "./layers.ts";
import { type Finding, lintPlanted } from "./planted-tree.ts";

interface PlantedImport {
  readonly source: string;
  readonly isAllowed: boolean;
}

const projectRoot = new URL("../../../", import.meta.url);
const ioModules = ["node:fs", "node:fs/promises", "node:net", "node:http", "node:child_process", "node:timers"];

let findings: readonly Finding[];
let importsByFolder: ReadonlyMap<string, readonly PlantedImport[]>;

beforeAll(async () => {
  const packages = await runtimePackages();
  importsByFolder = new Map(layers.map((layer) => [layer.folder, plantedImports(layer, packages)]));
  const files = new Map<string, string>();
  for (const [folder, imports] of importsByFolder) {
    files.set(plantedPath(folder), imports.map(({ source }, i) => `import { x${i} } from "${source}";\n`).join(""));
  }
  files.set("src/main.ts", 'import { a } from "./kv/index.ts";\nimport { b } from "./kv/prefix-index.ts";\n');
  findings = await lintPlanted(files);
}, 20_000);

describe("layer rules", () => {
  it.each(layers.map((layer) => layer.folder))("src/%s may import what its layer lists and nothing else", (folder) => {
    const imports = importsByFolder.get(folder) ?? [];
    const refusedLines = new Set(linesOf(plantedPath(folder), "style/noRestrictedImports"));
    const refused = imports.filter((_, i) => refusedLines.has(i + 1)).map(({ source }) => source);
    expect(refused).toEqual(imports.filter(({ isAllowed }) => !isAllowed).map(({ source }) => source));
  });

  it("lets main enter modules by their index only", () => {
    expect(linesOf("src/main.ts", "style/noRestrictedImports")).toEqual([2]);
  });

  it("gives every folder of src exactly one layer", async () => {
    expect(await sourceFolders()).toEqual((await sourceFolders()).filter((f) => layers.some((l) => l.folder === f)));
    const settings = JSON.parse(await readFile(new URL("biome.json", projectRoot), "utf8")) as {
      readonly overrides: readonly { readonly includes: readonly string[]; readonly linter?: unknown }[];
    };
    const governed = settings.overrides
      .filter(({ linter }) => JSON.stringify(linter ?? {}).includes("noRestrictedImports"))
      .map(({ includes }) => includes.join());
    expect(governed.toSorted()).toEqual([...layers.map(({ folder }) => `src/${folder}/**`), "src/*.ts"].toSorted());
  });
});

function plantedPath(folder: string): string {
  return `src/${folder}/planted.ts`;
}

function linesOf(path: string, rule: string): readonly number[] {
  return findings.filter((found) => found.path === path && found.rule === rule).map(({ line }) => line);
}

function plantedImports(layer: Layer, packages: readonly string[]): readonly PlantedImport[] {
  const others = layers.map(({ folder }) => folder).filter((folder) => folder !== layer.folder);
  const up = (folder: string): string => relative(`src/${layer.folder}`, `src/${folder}`);
  return [
    ...others.map((folder) => ({ source: `${up(folder)}/index.ts`, isAllowed: layer.modules.includes(folder) })),
    ...others.map((folder) => ({ source: `${up(folder)}/inner/deep.ts`, isAllowed: false })),
    ...packages.map((name) => ({ source: name, isAllowed: layer.packages.includes(name) })),
    ...ioModules.map((name) => ({ source: name, isAllowed: !layer.isPure })),
    { source: "node:process", isAllowed: false },
    { source: "node:buffer", isAllowed: true },
    { source: "./own-file.ts", isAllowed: true },
    { source: "./http/own-file.ts", isAllowed: true },
  ];
}

async function runtimePackages(): Promise<readonly string[]> {
  const { dependencies } = JSON.parse(await readFile(new URL("package.json", projectRoot), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}

/** Folders of `src` as the layers name them; those of `src/surface` one by one. */
async function sourceFolders(): Promise<readonly string[]> {
  const list = async (path: string): Promise<string[]> =>
    (await readdir(new URL(path, projectRoot), { withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
  const surfaces = (await list("src/surface")).map((name) => `surface/${name}`);
  return [...(await list("src")).filter((name) => name !== "surface"), ...surfaces].toSorted();
}
