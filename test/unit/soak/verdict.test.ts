import { describe, expect, it } from "vitest";
import type { SoakSample } from "../../soak/samples.ts";
import type { SoakRecord } from "../../soak/soak.ts";
import { longBounds, shortBounds } from "../../soak/verdict/bounds.ts";
import { plotsSvg } from "../../soak/verdict/plot.ts";
import { verdictOf } from "../../soak/verdict/verdict.ts";

const MiB = 1_048_576;

/** Thirty minutes with a sample each. @param heapAt of the one process, in bytes, by minute */
function recordOf(heapAt: (minute: number) => number, changes: Partial<SoakRecord> = {}): SoakRecord {
  const samples = Array.from({ length: 31 }, (_, minute): SoakSample => {
    const heap = { pid: 1, heapUsed: heapAt(minute), external: 0, arrayBuffers: 0, threadHeaps: 0, handles: {} };
    const own = { pid: 1, rssBytes: 100 * MiB, files: 20, sockets: 10, cpuS: minute, heap };
    const load = { requests: minute, failures: 0, underWay: 0 };
    return { atS: minute * 60, processes: { picker: own }, gauges: {}, ...load };
  });
  const counts = { minutes: 30, seed: 1, samples, counts: {}, failures: [], failureCount: 0, requests: 9, heldBack: 0 };
  const end = {
    workersChanged: 0,
    leftOver: [],
    indexFaults: [],
    endings: { picker: "exit code 0" },
    cores: 1,
    traces: 1,
  };
  return { ...counts, ...end, ...changes };
}

const flat = (): number => 50 * MiB;

describe("verdictOf", () => {
  it("reports what grew in less than three minutes, and does not judge it", () => {
    const steep = (minute: number) => minute * 50 * MiB;
    for (const [minutes, isGood] of [
      [2.9, true],
      [3, false],
    ] as const) {
      const verdict = verdictOf(recordOf(steep, { minutes }), shortBounds);
      expect(verdict.isGood).toBe(isGood);
      expect(verdict.growths.some(({ isFlat }) => !isFlat)).toBe(true);
    }
  });

  it("is good where memory is flat, nothing failed and nothing is left", () => {
    expect(verdictOf(recordOf(flat), longBounds)).toMatchObject({ isGood: true, faults: [] });
  });

  it("does not count what fills in the first third", () => {
    expect(
      verdictOf(
        recordOf((minute) => Math.min(minute, 10) * 20 * MiB),
        longBounds,
      ).isGood,
    ).toBe(true);
  });

  it("finds a heap that grows by 300 KB a minute", () => {
    const { isGood, faults } = verdictOf(
      recordOf((minute) => 50 * MiB + minute * 300_000),
      longBounds,
    );
    expect([isGood, faults.length]).toEqual([false, 1]);
    expect(faults[0]).toMatch(/^picker: heapUsed grew by 6000000 /);
  });

  it("does not count what the requests of a moment hold, and finds what stays under it", () => {
    const held = (minute: number) => (minute % 3) * 8 * MiB + (minute > 20 && minute % 2 === 0 ? 30 * MiB : 0);
    const record = (stays: number) => recordOf((minute) => 50 * MiB + held(minute) + minute * stays);
    expect(verdictOf(record(0), longBounds).isGood).toBe(true);
    expect(verdictOf(record(500_000), longBounds).faults).toEqual([expect.stringContaining("heapUsed grew by ")]);
  });

  it.each([
    { what: "a failure", changes: { failureCount: 1 }, fault: /1 requests failed/ },
    { what: "no sample", changes: { samples: [] }, fault: /no heap was measured/ },
    { what: "no request", changes: { requests: 0 }, fault: /nothing was asked/ },
    { what: "something left", changes: { leftOver: ["a: pointsman_leases 1"] }, fault: /left over: a: / },
    { what: "another index", changes: { indexFaults: ["a: 1 blocks"] }, fault: /a: 1 blocks/ },
    { what: "a crash", changes: { endings: { picker: "SIGSEGV" } }, fault: /picker ended with SIGSEGV/ },
  ])("is bad with $what", ({ changes, fault }) => {
    const { isGood, faults } = verdictOf(recordOf(flat, changes), longBounds);
    expect([isGood, faults.length]).toEqual([false, 1]);
    expect(faults[0]).toMatch(fault);
  });
});

describe("plotsSvg", () => {
  it("draws each line within its plot", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 10, y: 5 },
    ];
    const svg = plotsSvg([{ title: "Heap", unit: "MiB", lines: [{ name: "picker", points }] }], "minutes", 3);
    const [, path = ""] = /<polyline points="([^"]+)"/.exec(svg) ?? [];
    const places = path.split(" ").map((pair) => pair.split(",").map(Number));
    expect(places).toHaveLength(2);
    expect(places.every(([x = -1, y = -1]) => x >= 64 && x <= 730 && y >= 28 && y <= 202)).toBe(true);
    expect(svg).toContain(">picker</text>");
  });
});
