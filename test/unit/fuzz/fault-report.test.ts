import { expect, it } from "vitest";
import { faultReport } from "../../fuzz/framework/fault-report.ts";

it("a fault is told with a command of the pinned Node, which reads .ts files", () => {
  const fault = { seed: 7, path: "12:0:3", shown: "x", error: new Error("wrong") };
  const again = "again: node_modules/.bin/node test/fuzz/run.ts --target json --seed 7 --path 12:0:3";
  expect(faultReport("json", fault).split("\n").at(-1)).toBe(again);
});
