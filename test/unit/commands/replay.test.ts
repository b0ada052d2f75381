import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProgressBar } from "../../../src/commands/progress-bar.ts";
import { type ReplayOptions, replay } from "../../../src/commands/replay.ts";
import { ConfigError, loadConfig } from "../../../src/config/index.ts";
import { TraceError } from "../../../src/replay/index.ts";

const options: ReplayOptions = {
  workers: 2,
  blockSize: 512,
  speed: 1,
  limit: 1_000,
  seed: 1,
  cacheTokens: 65_536,
  prefillUsPerToken: 50,
  stepMs: 8,
  maxRunning: 16,
  guessMs: undefined,
  policy: [],
  svg: undefined,
  json: false,
};
const line = (timestamp: number, ids: readonly number[]) =>
  JSON.stringify({ timestamp, input_length: 512 * ids.length, output_length: 4, hash_ids: ids });
/** Two conversations of one long beginning each, that take turns. */
const trace = Array.from({ length: 20 }, (_, at) =>
  line(500 * at, [100 * (at % 2), 100 * (at % 2) + 1, 1_000 + at]),
).join("\n");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-replay-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function run(
  input: string | Buffer,
  changed: Partial<ReplayOptions> = {},
  progress = new PassThrough(),
  set: readonly string[] = [],
): Promise<string> {
  const output = new PassThrough();
  const config = loadConfig({ env: {}, text: "{}", flags: { set } });
  const done = replay(
    { name: "trace.jsonl", bytes: Readable.from([Buffer.from(input)]), sizeBytes: Buffer.byteLength(input) },
    config,
    { ...options, ...changed },
    output,
    new ProgressBar(progress),
  );
  await done.finally(() => output.end());
  return text(output);
}

describe("pointsman replay", () => {
  it("passes over a byte order mark", async () => {
    expect(await run(`\ufeff${trace}`)).toBe(await run(trace));
  });

  it.each([
    { name: "gzip", compressed: gzipSync(trace) },
    { name: "zstd", compressed: zstdCompressSync(trace) },
  ])("says that a trace is compressed: $name", async ({ name, compressed }) => {
    const message = `trace.jsonl is compressed: give its text, as from ${name} -dc, to standard input (-)`;
    await expect(run(compressed)).rejects.toThrow(new ConfigError([message]));
  });

  it.each([{ workers: 16_385 }, { workers: 1e15 }, { speed: 1e-9 }, { speed: 1e-300 }, { speed: 1e308 }])(
    "refuses what cannot be simulated: %j",
    async (changed) => {
      await expect(run(trace, changed)).rejects.toThrow(ConfigError);
    },
  );

  it("takes a fleet whose caches could hold more blocks than an index", async () => {
    const report = await run(trace, { workers: 100, blockSize: 1, cacheTokens: 1_000_000 });
    expect(report).toMatch(/^20 requests, 100 workers\n/);
  });

  it("compares the settings with plain policies", async () => {
    const report = await run(trace);
    expect(report).toMatch(/^20 requests, 2 workers\n/);
    for (const name of ["random", "round-robin", "load-only", "dynamo", "configured"])
      expect(report).toContain(`\n${name}`);
  });

  it("plays further policies, each by its own settings", async () => {
    const report = await run(trace, {
      json: true,
      policy: ["blind=routing.overlapScoreCredit=0,routing.prefillLoadScale=1"],
    });
    const byName = new Map(
      report
        .trim()
        .split("\n")
        .map((result) => [JSON.parse(result).policy, JSON.parse(result)]),
    );
    expect(byName.get("blind")).toEqual({ ...byName.get("load-only"), policy: "blind" });
    // Each conversation's first two blocks are met again nine times.
    expect(byName.get("configured").hitRate).toBeCloseTo((2 * 9 * 2) / 60, 9);
  });

  it("takes requests in any order, from the earliest on", async () => {
    const late = Array.from({ length: 20 }, (_, at) => 1_796_000_000_000 + 500 * at);
    const shifted = trace.split("\n").map((text, at) => JSON.stringify({ ...JSON.parse(text), timestamp: late[at] }));
    expect(await run(shifted.toReversed().join("\n"))).toBe(await run(trace));
  });

  it("says how many requests are too short for a block", async () => {
    expect(await run(trace)).not.toContain("shorter than a block");
    expect(await run(trace, { blockSize: 1_024 })).not.toContain("shorter than a block");
    const report = await run(trace, { blockSize: 4_096 });
    expect(report).toContain("20 of them are shorter than a block of 4096 tokens");
  });

  it("says when the ids are those of blocks of another size", async () => {
    expect(await run(trace)).not.toContain("--block-size");
    const report = await run(trace, { blockSize: 64 });
    expect(report).toContain("the hash_ids of 20 prompts are not one a block of 64 tokens: give --block-size 512\n");
  });

  it("says which block size fits where prompts have more ids than blocks, however short they are", async () => {
    const short = (ids: readonly number[], tokens: number) =>
      JSON.stringify({ timestamp: 0, input_length: tokens, output_length: 4, hash_ids: ids });
    const recorded = Array.from({ length: 40 }, (_, at) => short([1, 2, 10 + at], 207)).join("\n");
    const told = "the hash_ids of 40 prompts are not one a block of 512 tokens: give --block-size 64\n";
    expect(await run(recorded)).toContain(told);
    expect(await run(recorded, { blockSize: 64 })).not.toContain("--block-size");
    expect(await run(`${trace}\n${short([1, 2, 3], 207)}`)).toContain(
      "the hash_ids of 1 prompts are not one a block of 512 tokens; those of most others are\n",
    );
  });

  it("takes the block size of the settings' recorder where none is given", async () => {
    const given = { workers: 2, blockSize: undefined };
    expect(await run(trace, given)).toBe(await run(trace));
    const recorder = ["recorder.blockTokens=64"];
    expect(await run(trace, given, new PassThrough(), recorder)).toContain("are not one a block of 64 tokens");
    expect(await run(trace, { blockSize: 512 }, new PassThrough(), recorder)).not.toContain("are not one a block");
  });

  it("reads no more than it may, empty lines apart", async () => {
    expect(await run(`\n${trace}\nnot read`, { limit: 20 })).toMatch(/^20 requests/);
  });

  it.each([
    [{ policy: ["nameless"] }, "--policy nameless: expected NAME=routing.KEY=VALUE,..."],
    [{ policy: ["a=log.level=debug"] }, "--policy a: log.level=debug is no setting of routing"],
    [{ policy: ["a=routing.temprature=1"] }, "routing.temprature"],
    [{ policy: ["random=routing.temperature=1"] }, "--policy random: there is a policy of this name"],
  ])("refuses %o", async (changed, message) => {
    const refused = run(trace, changed);
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(message);
  });

  it("names the line of a trace that is none, and says when there is nothing in it", async () => {
    await expect(run(`${trace}\n{}`)).rejects.toThrow(TraceError);
    await expect(run(`mode: proxy\n`)).rejects.toThrow("trace.jsonl: line 1: expected a JSON object");
    await expect(run("\n")).rejects.toThrow("trace.jsonl: the trace holds no request");
    await expect(run("\n")).rejects.toThrow("the trace holds no request");
  });

  it("draws the waiting times", async () => {
    const svg = join(folder, "waits.svg");
    await run(trace, { svg });
    expect(await readFile(svg, "utf8")).toContain(">configured</text>");
  });

  it("shows on a terminal how far it has come, and nothing elsewhere", async () => {
    const long = Array.from({ length: 3_000 }, (_, at) => line(at, [at])).join("\n");
    const [plain, terminal] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
    await run(long, { limit: 5_000 }, plain);
    await run(long, { limit: 5_000 }, terminal);
    expect(plain.read()).toBeNull();
    const shown = String(terminal.read());
    expect(shown).toMatch(/\r\S*[█░]{30} \d+ % reading, 1000 requests/);
    expect(shown).toMatch(/\r\S*[█░]{30} \d+ % random, 1 of 5/);
    expect(shown).toMatch(/\r\S*[█░]{30} \d+ % configured, 5 of 5/);
    expect(shown.endsWith("\r\u001b[2K")).toBe(true);
  });

  it("takes its bar off the screen before it says what is wrong", async () => {
    const long = Array.from({ length: 3_000 }, (_, at) => line(at, [at])).join("\n");
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    await expect(run(`${long}\n{}`, { limit: 5_000 }, terminal)).rejects.toThrow("line 3001: ");
    expect(String(terminal.read()).endsWith("\r\u001b[2K")).toBe(true);
  });
});
