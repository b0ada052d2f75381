import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Numbers of two characters and more, as they are written: `0.345`, `5,043`. */
function numbersIn(text: string): readonly string[] {
  return text.match(/\d[\d.,]*\d/g) ?? [];
}

it("the comparison has no figures but those of the benches", () => {
  const page = readFileSync(`${root}/docs/comparison.md`, "utf8");
  const [, figures = ""] = /^## Figures\n([\s\S]*?)^## /m.exec(page) ?? [];
  const measured = new Set(numbersIn(readFileSync(`${root}/bench/README.md`, "utf8")));
  expect(numbersIn(figures).length).toBeGreaterThan(40);
  expect(numbersIn(figures).filter((number) => !measured.has(number))).toEqual([]);
});
