import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { collectorFlags } from "../../../src/commands/collector-policy.ts";

it.each(collectorFlags)("%s is a flag of this Node", (flag) => {
  const name = flag.slice(2).split("=")[0];
  expect(execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })).toMatch(
    new RegExp(`^  --${name} `, "m"),
  );
});
