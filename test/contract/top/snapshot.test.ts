import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { exampleState, workerNamed } from "../../support/top/example-state.ts";
import { StandInConsole } from "../../support/top/stand-in-console.ts";

const main = new URL("../../../src/main.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "pointsman-top-"));
afterAll(() => rmSync(folder, { recursive: true }));

let console: StandInConsole;
beforeEach(async () => {
  console = await new StandInConsole().start();
});
afterEach(() => console.stop());

function top(args: readonly string[], env: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const command = [main, "top", "--url", console.url, ...args];
    const options = { env: { ...process.env, LANG: "C.UTF-8", LC_ALL: "", ...env }, maxBuffer: 1 << 26 };
    const child = execFile(process.execPath, command, options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

function fileWith(text: string): string {
  const file = join(folder, `${Math.random()}`);
  writeFileSync(file, text);
  return file;
}

describe("pointsman top without a terminal", { timeout: 60_000 }, () => {
  it("is one snapshot of everything in plain text", async () => {
    const workers = Array.from({ length: 512 }, (_, at) => workerNamed(`worker-${at}`, at));
    console.state = { ...exampleState(), workers };
    const { code, stdout, stderr } = await top([]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^pointsman 0\.1\.0 · ext-proc, query · ready · up 2 min\n/);
    expect(stdout.match(/^worker-\d+ +agg +up +17 +6124 +2024 /gm)).toHaveLength(512);
    expect(stdout).toMatch(/ gpu-0 +80\/88 +1420 Qwen\/Qwen3-8B/);
    expect(stdout).not.toContain("\u001b");
  });

  it("is what the console says, as JSON that does nothing to a terminal", async () => {
    console.state = { ...exampleState(), workers: [workerNamed("\u009b2J\u001b[2J\u202e漢\u{e0001}")] };
    const { code, stdout } = await top(["--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(console.state);
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(stdout).toContain("漢");
  });

  it("fails where there is no picker, with the reason", async () => {
    const { url } = console;
    await console.stop();
    const stderr = `pointsman: ${url}: connection refused: is it running with \`--console\`?\n`;
    expect(await top(["--once"])).toEqual({ code: 1, stdout: "", stderr });
    await console.start();
  });

  it.each([
    [["--token-file", "right"], 0, ""],
    [[], 1, "the console asks for a token: give it with --token-file FILE or in POINTSMAN_CONSOLE_TOKEN"],
    [["--token-file", "wrong"], 1, "the console does not know this token: give it with --token-file FILE"],
    [["--token-file", "empty"], 1, "is empty"],
    [["--token-file", "odd"], 1, "there is a token that no header can carry in it"],
    [["--token-file", "/nowhere"], 1, "--token-file: /nowhere cannot be read"],
  ])("with a token: %o", async (args, code, message) => {
    console.token = "a-secret-of-some-length";
    const files: Record<string, string> = {
      right: `${console.token}\n`,
      wrong: "another",
      empty: "\n",
      odd: "two words\n",
    };
    const named = args.map((arg) => (arg in files ? fileWith(files[arg] ?? "") : arg));
    const outcome = await top(named);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(message);
    expect(outcome.stderr).not.toContain("secret-of");
  });

  it.each([
    ["<html>", "answered with something that is no JSON: is there a console (admin.listen) at this address?"],
    ["{}", "answered with something that is no state of a picker"],
    ["[1]", "answered with something that is no state of a picker"],
  ])("says that there is no console where %s comes", async (body, message) => {
    console.body = body;
    const { code, stderr } = await top([]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it("says that a picker of another version cannot be shown", async () => {
    console.state = { ...exampleState(), version: "9.9.9", workers: [{} as never] };
    const { code, stderr } = await top(["--once"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pointsman: what picker 9\.9\.9 says cannot be shown by this version: /);
  });

  it.each([
    [["--interval", "0"], "expected seconds from 0.1 to 3600"],
    [["--interval", "x"], "expected seconds from 0.1 to 3600"],
    [["--url", "ftp://a"], "--url ftp://a: expected an address such as http://127.0.0.1:9099"],
    [["--url", "http://a:b@c"], "expected an address such as"],
    [["--url", ""], "expected an address such as"],
  ])("refuses %o", async (args, message) => {
    const { code, stderr } = await top(args);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it("is ASCII where the locale is", async () => {
    const { stdout } = await top([], { LC_ALL: "C" });
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
    expect(stdout).toMatch(/ gpu-0 -> gpu-1/);
  });

  it("ends quietly when nobody reads it", async () => {
    const workers = Array.from({ length: 2_000 }, (_, at) => workerNamed(`worker-${at}`, at));
    console.state = { ...exampleState(), workers };
    const child = spawn(process.execPath, [main, "top", "--url", console.url], { stdio: ["ignore", "pipe", "pipe"] });
    const errors: Buffer[] = [];
    child.stderr.on("data", (bytes: Buffer) => errors.push(bytes));
    child.stdout.destroy();
    const [code] = await once(child, "exit");
    expect([code, Buffer.concat(errors).toString()]).toEqual([0, ""]);
  });
});
