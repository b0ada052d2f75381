import { describe, expect, it } from "vitest";
import { resolveSimWorkerOptions, simWorkerFlags } from "../../../src/sim-worker/index.ts";

describe("resolveSimWorkerOptions", () => {
  it("multiplies the engine's times by the scale, and nothing else", () => {
    const options = { timeScale: 0.5, ttftBaseMs: 8, interTokenMs: 4, prefillTimePerTokenUs: 100, delayMs: 10 };
    const { timing, faults } = resolveSimWorkerOptions(options);
    expect(timing).toMatchObject({ ttftBaseMs: 4, interTokenMs: 2, prefillTimePerTokenUs: 50, maxNumSeqs: 256 });
    expect(faults.delayMs).toBe(10);
  });

  it("takes undefined as absent", () => {
    expect(resolveSimWorkerOptions({ port: undefined } as object).port).toBe(0);
  });

  it.each([
    [{ blockSize: 0 }, "blockSize must be at least 1, got 0"],
    [{ gpuBlocks: 1.5 }, "gpuBlocks must be a whole number, got 1.5"],
    [{ timeScale: Number.NaN }, "timeScale must be at least 0, got NaN"],
    [{ interTokenMs: -1 }, "interTokenMs must be at least 0, got -1"],
    [{ prefillMode: "both" as "serial" }, "prefillMode must be one of serial, parallel, got both"],
    [{ models: [] }, "models must name at least one model"],
    [{ kvReplayPort: 0 }, "kvReplayPort needs kvEventsPort"],
    [{ failRate: 2 }, "failRate cannot be 2"],
    [{ failStatus: 200 }, "failStatus cannot be 200"],
  ])("refuses %o", (options, message) => {
    expect(() => resolveSimWorkerOptions(options)).toThrow(new RangeError(message));
  });
});

describe("simWorkerFlags", () => {
  it("names each option in kebab case", () => {
    expect(simWorkerFlags.map(({ flags }) => flags)).toContain("--kv-events-port <n>");
  });

  it.each([
    ["--port <n>", "8000", 8000],
    ["--models <a,b>", "a, b", ["a", "b"]],
    ["--is-healthy <true|false>", "false", false],
    ["--hash-seed <text>", "7", "7"],
  ])("%s reads %o", (flags, text, value) => {
    expect(simWorkerFlags.find((flag) => flag.flags === flags)?.parse(text)).toEqual(value);
  });

  it.each([
    ["--port <n>", "x"],
    ["--port <n>", ""],
    ["--is-healthy <true|false>", "yes"],
  ])("%s refuses %o", (flags, text) => {
    expect(() => simWorkerFlags.find((flag) => flag.flags === flags)?.parse(text)).toThrow(RangeError);
  });
});
