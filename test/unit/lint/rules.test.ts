import { beforeAll, describe, expect, it } from "vitest";
import { type Finding, lintPlanted } from "./planted-tree.ts";

interface Breach {
  readonly rule: string;
  readonly path: string;
  readonly source: string;
}

const longFunction = `export function long(a: number): number {\n${"  a += 1;\n".repeat(61)}  return a;\n}\n`;
const longFile = Array.from({ length: 301 }, (_, i) => `export const a${i} = ${i};\n`).join("");
const branches = Array.from({ length: 16 }, (_, i) => `  if (a === ${i}) return ${i};\n`).join("");

const breaches: readonly Breach[] = [
  { rule: "suspicious/noExplicitAny", path: "src/kv/any.ts", source: "export const a: any = 1;\n" },
  {
    rule: "style/noNonNullAssertion",
    path: "src/kv/non-null.ts",
    source: "export const f = (a: string | undefined): string => a!;\n",
  },
  { rule: "style/noDefaultExport", path: "src/kv/default-export.ts", source: "export default 1;\n" },
  { rule: "performance/noReExportAll", path: "src/kv/re-export.ts", source: 'export * from "./clean.ts";\n' },
  {
    rule: "style/useErrorCause",
    path: "src/kv/cause.ts",
    source: 'export function f(): void {\n  try {\n    f();\n  } catch (error) {\n    throw new Error("no");\n  }\n}\n',
  },
  {
    rule: "style/useImportType",
    path: "src/kv/import-type.ts",
    source: 'import { T } from "./clean.ts";\nexport const a = (t: T): T => t;\n',
  },
  {
    rule: "style/useNodejsImportProtocol",
    path: "src/fleet/protocol.ts",
    source: 'import { join } from "path";\nexport const a = join("a", "b");\n',
  },
  {
    rule: "correctness/noUndeclaredDependencies",
    path: "src/fleet/undeclared.ts",
    source: 'import { a } from "not-in-package-json";\nexport const b = a;\n',
  },
  {
    rule: "correctness/noUndeclaredDependencies",
    path: "src/fleet/dev-dependency.ts",
    source: 'import { expect } from "vitest";\nexport const b = expect;\n',
  },
  { rule: "correctness/noUnusedImports", path: "src/kv/unused.ts", source: 'import { a } from "./clean.ts";\n' },
  { rule: "style/useFilenamingConvention", path: "src/kv/CamelCase.ts", source: "export const a = 1;\n" },
  {
    rule: "suspicious/noImportCycles",
    path: "src/load/one.ts",
    source: 'import { two } from "./two.ts";\nexport const one = (): number => two();\n',
  },
  {
    rule: "nursery/noFloatingPromises",
    path: "src/kv/floating.ts",
    source: "async function f(): Promise<void> {}\nexport function g(): void {\n  f();\n}\n",
  },
  {
    rule: "nursery/noMisusedPromises",
    path: "src/kv/misused.ts",
    source:
      "async function f(): Promise<boolean> {\n  return true;\n}\nexport function g(): number {\n  if (f()) return 1;\n  return 2;\n}\n",
  },
  {
    rule: "nursery/useExhaustiveSwitchCases",
    path: "src/kv/switch.ts",
    source:
      'type T = "a" | "b";\nexport function f(t: T): void {\n  switch (t) {\n    case "a":\n      break;\n  }\n}\n',
  },
  { rule: "style/noExcessiveLinesPerFile", path: "src/kv/long-file.ts", source: longFile },
  { rule: "complexity/noExcessiveLinesPerFunction", path: "src/kv/long-function.ts", source: longFunction },
  {
    rule: "complexity/noExcessiveCognitiveComplexity",
    path: "src/kv/complex.ts",
    source: `export function f(a: number): number {\n${branches}  return 0;\n}\n`,
  },
  {
    rule: "style/noRestrictedGlobals",
    path: "src/fleet/process-global.ts",
    source: "export const a = process.pid;\n",
  },
  {
    rule: "nursery/noJsRestrictedProperties",
    path: "src/fleet/process-property.ts",
    source: "export const a = globalThis.process.pid;\n",
  },
  {
    rule: "style/noRestrictedImports",
    path: "src/fleet/process-import.ts",
    source: 'import { env } from "node:process";\nexport const a = env;\n',
  },
  {
    rule: "style/noRestrictedImports",
    path: "src/kv/dynamic-import.ts",
    source: 'export const a = (): Promise<unknown> => import("node:fs");\n',
  },
  {
    rule: "style/noRestrictedImports",
    path: "src/load/type-import.ts",
    source: 'import type { Worker } from "../fleet/index.ts";\nexport const a = (w: Worker): Worker => w;\n',
  },
  { rule: "suspicious/noConsole", path: "src/fleet/console.ts", source: 'console.log("a");\n' },
  {
    rule: "suspicious/noSkippedTests",
    path: "test/unit/skipped.test.ts",
    source: 'import { it } from "vitest";\nit.skip("a", () => undefined);\n',
  },
  {
    rule: "suspicious/noFocusedTests",
    path: "test/unit/focused.test.ts",
    source: 'import { it } from "vitest";\nit.only("a", () => undefined);\n',
  },
];

const clean = new Map([
  ["src/kv/clean.ts", "export interface T {\n  readonly a: number;\n}\nexport const a = 1;\n"],
  ["src/load/two.ts", 'import { one } from "./one.ts";\nexport const two = (): number => one();\n'],
  ["src/kv/tables.generated.ts", `${longFunction}${longFile}`],
  ["src/main.ts", "export const a = process.pid;\n"],
  ["test/unit/long.test.ts", `import { expect } from "vitest";\n${longFunction}expect(long(1)).toBe(62);\n`],
  ["scripts/tool.ts", 'import { test } from "vitest";\nexport const a = test;\n'],
  ["vitest.config.ts", 'import { defineConfig } from "vitest/config";\nexport default defineConfig({});\n'],
]);

let findings: readonly Finding[];

beforeAll(async () => {
  findings = await lintPlanted(new Map([...clean, ...breaches.map(({ path, source }) => [path, source] as const)]));
}, 20_000);

describe("lint rules", () => {
  it.each(breaches)("$rule fires on $path", ({ rule, path }) => {
    expect(findings.filter((found) => found.path === path).map((found) => found.rule)).toContain(rule);
  });

  it.each([...clean.keys()].filter((path) => path !== "src/load/two.ts"))("finds nothing in %s", (path) => {
    expect(findings.filter((found) => found.path === path)).toEqual([]);
  });
});
