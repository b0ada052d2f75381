import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TrafficFile } from "../../../src/commands/traffic-file.ts";

let folder: string;
let file: string;
const told: (Error | "full")[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-trace-"));
  file = join(folder, "trace.jsonl");
  told.length = 0;
});
afterEach(() => rm(folder, { recursive: true }));

const opened = (bounds: { maxBytes?: number; maxWaitingBytes?: number } = {}) =>
  TrafficFile.open({ file, maxBytes: 1_000, maxWaitingBytes: 1_000, ...bounds }, (reason) => told.push(reason));

describe("a trace's file", () => {
  it("keeps what it held, and nobody else may read it", async () => {
    const first = await opened();
    first.append("one");
    await first.close();
    const second = await opened();
    second.append("two");
    await second.close();
    expect(await readFile(file, "utf8")).toBe("one\ntwo\n");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    { what: "an unfinished line", before: '{"timestamp":1}\n{"timestamp":2,"inp', kept: '{"timestamp":1}\n' },
    { what: "the first byte of a line", before: '{"timestamp":1}\n{', kept: '{"timestamp":1}\n' },
    { what: "nothing but an unfinished line", before: '{"timestamp":1,"hash_ids":[1', kept: "" },
    { what: "whole lines", before: '{"timestamp":1}\n', kept: '{"timestamp":1}\n' },
    { what: "text of somebody else", before: "notes\nmine", kept: "notes\nmine" },
  ])("goes on behind $what", async ({ before, kept }) => {
    await writeFile(file, before);
    const trace = await opened({ maxBytes: kept.length + 4 });
    trace.append("new");
    trace.append("x");
    await trace.close();
    expect(await readFile(file, "utf8")).toBe(`${kept}new\n`);
  });

  it("ends at its length, with what it held before, and tells once", async () => {
    await writeFile(file, "12345\n");
    const trace = await opened({ maxBytes: 12 });
    for (const line of ["67890", "x", "y"]) trace.append(line);
    await trace.close();
    expect(await readFile(file, "utf8")).toBe("12345\n67890\n");
    expect(told).toEqual(["full"]);
    expect(trace.lines).toEqual({ recorded: 1, dropped: 2 });
  });

  it("leaves out what a slow disk cannot take", async () => {
    const trace = await opened({ maxWaitingBytes: 10 });
    for (const line of ["12345", "6789", "0"]) trace.append(line);
    await trace.close();
    expect(await readFile(file, "utf8")).toBe("12345\n0\n");
    expect(trace.lines).toEqual({ recorded: 2, dropped: 1 });
    expect(told).toEqual([]);
  });

  it("tells what is wrong with the disk, once, and takes lines all the same", async () => {
    file = "/dev/full";
    const trace = await opened({ maxBytes: 1e9 });
    for (const line of ["a", "b"]) trace.append(line);
    await trace.close();
    expect(told).toMatchObject([{ code: "ENOSPC" }]);
    trace.append("c");
    expect(trace.lines.dropped).toBe(1);
  });

  it("is not opened where there is no folder", async () => {
    file = join(folder, "none", "trace.jsonl");
    await expect(opened()).rejects.toMatchObject({ code: "ENOENT" });
  });
});
