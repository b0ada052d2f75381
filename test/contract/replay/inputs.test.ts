import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, it } from "vitest";

const main = new URL("../../../src/main.ts", import.meta.url).pathname;

it("refuses a directory by its name", async () => {
  const stderr = await new Promise((resolve) => {
    execFile(process.execPath, [main, "replay", tmpdir()], (_error, _stdout, text) => resolve(text));
  });
  expect(stderr).toBe(`pointsman: ${tmpdir()} is a directory: a trace is a file\n`);
});
