import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pointsman-loaded-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Loaded before the program: tells at the end, as the last line of the standard error, what was loaded after it. */
const hook = join(folder, "hook.mjs");
writeFileSync(
  hook,
  `import { registerHooks } from "node:module";
   import { writeSync } from "node:fs";
   const urls = [];
   registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
   process.on("exit", () => writeSync(2, JSON.stringify(urls) + "\\n"));`,
);
const config = join(folder, "picker.yaml");
writeFileSync(
  config,
  `models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:8000" }]
health: { listen: "off" }
`,
);
const body = join(folder, "body.json");
writeFileSync(body, '{"model":"m","messages":[{"role":"user","content":"hi"}]}');

interface Loaded {
  /** Files below `src`, without their ending. */
  readonly modules: readonly string[];
  readonly packages: readonly string[];
}

async function loadedBy(args: readonly string[]): Promise<Loaded> {
  const stderr = await new Promise<string>((resolve) => {
    execFile(process.execPath, [`--import=${hook}`, join(root, "src/main.ts"), ...args], (_error, _out, text) =>
      resolve(text),
    );
  });
  const urls = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "") as readonly string[];
  const matches = (pattern: RegExp) => [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].toSorted();
  return { modules: matches(/\/src\/(.*)\.ts$/), packages: matches(/\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//) };
}

/** What does a command's work, by its file below `src/commands`. */
const workers = [
  "cases",
  "check-config",
  "explain-request",
  "replay",
  "serve",
  "shards/serve-shards",
  "sim-worker",
  "top",
];

function workersAmong({ modules }: Loaded): readonly string[] {
  return workers.filter((name) => modules.includes(`commands/${name}`));
}

describe("the command line", () => {
  const names = ["serve", "check-config", "explain", "replay", "top", "sim-worker"];

  it.each([
    ["--help"],
    ["--version"],
    ["no-such-command"],
    ["help serve"],
    ...names.map((name) => [`${name} --help`]),
    ...names.map((name) => [`${name} --no-such-flag`]),
  ])("loads no command, no settings and no package but its parser's for: %s", async (line) => {
    const loaded = await loadedBy(line.split(" "));
    expect(workersAmong(loaded)).toEqual([]);
    expect(loaded.packages).toEqual(["commander"]);
    const others = loaded.modules.filter((module) => !/^(commands|sim-worker)\/|^[\w-]+$/.test(module));
    expect(others).toEqual([]);
    expect(loaded.modules).not.toContain("sim-worker/sim-worker");
  });

  it.each([
    ["check-config", [], ["check-config"]],
    ["explain", [body], ["explain-request"]],
    ["replay", ["/dev/null"], ["replay"]],
    ["serve", ["--set", "extProc.listen=203.0.113.1:1"], ["serve"]],
    ["serve", ["--set", "extProc.listen=203.0.113.1:1", "--shards", "2"], ["shards/serve-shards"]],
  ])("loads what does the work of its command alone: %s %j", async (name, args, expected) => {
    const loaded = await loadedBy([name, "--config", config, ...args]);
    expect(workersAmong(loaded)).toEqual(expected);
  });

  it.each([
    ["top", ["--url", "http://127.0.0.1:1", "--once"]],
    ["sim-worker", ["--host", "203.0.113.1"]],
  ])("loads what does the work of its command alone: %s", async (name, args) => {
    expect(workersAmong(await loadedBy([name, ...args]))).toEqual([name]);
  });
});
