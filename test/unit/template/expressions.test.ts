import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, type TemplateDialect, UnsupportedTemplateError } from "../../../src/template/index.ts";
import { fixtureLines } from "../../support/templates/fixtures.ts";

interface Vector {
  readonly source: string;
  /** What each prints; absent where it raises. */
  readonly huggingface?: string;
  readonly dynamo?: string;
}

const vectors = fixtureLines("expressions.jsonl.gz").map((line) => JSON.parse(line) as Vector);
const contextPath = join(import.meta.dirname, "..", "..", "fixtures", "templates", "expressions-context.json");
const context = parseJson(readFileSync(contextPath));

const unknown = Symbol("unknown");

/** The text; undefined when it is refused. */
function render(source: string, dialect: TemplateDialect): string | undefined | typeof unknown {
  if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
  try {
    return compileTemplate(source, { dialect }).render(context);
  } catch (error) {
    if (error instanceof RoutingError) return undefined;
    if (error instanceof UnsupportedTemplateError) return unknown;
    throw error;
  }
}

describe.each(["huggingface", "dynamo"] as const)("expressions in %s's dialect", (dialect) => {
  const results = vectors.map((vector) => ({ vector, result: render(vector.source, dialect) }));

  it("print what they print there, or are reported as unknown", () => {
    const wrong = results.filter(({ vector, result }) => result !== unknown && result !== vector[dialect]);
    expect(wrong.map(({ vector, result }) => ({ ...vector, result }))).toEqual([]);
  });

  it("are known where they print something, but for one in fifty", () => {
    // Python prints addresses of functions and generators.
    const printing = results.filter(({ vector }) => vector[dialect]?.includes(" at 0x") === false);
    const unknowns = printing.filter(({ result }) => result === unknown);
    expect(unknowns.length / printing.length).toBeLessThan(0.02);
  });
});
