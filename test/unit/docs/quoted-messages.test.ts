import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const page = readFileSync(`${root}/docs/troubleshooting.md`, "utf8");
const source = globSync("src/**/*.ts", { cwd: root })
  .map((file) => readFileSync(`${root}/${file}`, "utf8"))
  .join("\n");

it("troubleshooting quotes what the product says", () => {
  const quoted = [...page.matchAll(/`"([^`"]+)"`/g)].map(([, text = ""]) => text);
  expect(quoted.length).toBeGreaterThan(20);
  // A client's JSON and a shell's text are quoted too.
  expect(quoted.filter((text) => text.includes(" ") && !source.includes(text))).toEqual([]);
});
