import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { nodeProblem, oldestNode } from "../../src/node-version.ts";

it.each(["18.0.0", "20.20.2", "21.9.9", "22.12.0", "22.18.9"])("Node.js %s is too old, and is told so", (version) => {
  expect(nodeProblem(version)).toContain(`this is ${version}`);
});

it.each(["22.19.0", "23.0.0", "24.21.0", "30.1.0"])("Node.js %s will do", (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

it("package.json asks for the same one", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(engines.node).toBe(`>=${oldestNode}`);
});
