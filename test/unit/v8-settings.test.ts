import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const flags = new URL("../../src/v8-settings.ts", import.meta.url).pathname;

/** Calls a function as a process does that serves a thousand requests. @returns what it prints */
async function run(preloaded: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const optimized = 1 << 4;
  const script = `
    const sum = (list) => { let total = 0; for (const each of list) total += each; return total; };
    const list = [1, 2, 3];
    const isOptimized = () => (%GetOptimizationStatus(sum) & ${optimized}) !== 0;
    let calls = 0;
    const request = () => {
      sum(list);
      calls += 1;
      if (calls < 1000) setImmediate(request);
      else if (isOptimized()) console.log("optimized");
      else console.log("not optimized");
    };
    setImmediate(request);`;
  const imports = preloaded.map((file) => `--import=${file}`);
  const args = ["--allow-natives-syntax", "--no-maglev", "--no-concurrent-recompilation", ...imports, "-e", script];
  return await promisify(execFile)(process.execPath, args);
}

it("has what each request calls compiled well within a thousand requests, which V8 by itself does not", async () => {
  expect(await run([])).toEqual({ stdout: "not optimized\n", stderr: "" });
  expect(await run([flags])).toEqual({ stdout: "optimized\n", stderr: "" });
});
