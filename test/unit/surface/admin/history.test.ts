import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { History } from "../../../../src/surface/admin/index.ts";

const minute = { historyMinutes: 1, historyIntervalMs: 5_000 };

function totals(picks: number, { refusals = 0, promptBlocks = 0, heldBlocks = 0 } = {}) {
  return { picks, refusals, promptBlocks, heldBlocks };
}

describe("the history", () => {
  it("is empty until some time has gone by", () => {
    const history = new History(minute);
    history.add(totals(100), 3, 1_000_000, 0);
    expect(history.state()).toMatchObject({ intervalMs: 5_000, spanMs: 60_000, atMs: [], picks: [], requests: [] });
  });

  it("has what was counted between two points, and what was booked at the later one", () => {
    const history = new History(minute);
    history.add(totals(100), 3, 1_000_000, 0);
    history.add(totals(130, { refusals: 2, promptBlocks: 50, heldBlocks: 40 }), 7, 1_005_003, 5_003);
    history.add(totals(130, { refusals: 2, promptBlocks: 50, heldBlocks: 40 }), 0, 1_009_998, 9_998);
    expect(history.state()).toMatchObject({
      atMs: [1_005_000, 1_010_000],
      picks: [30, 0],
      refusals: [2, 0],
      promptBlocks: [50, 0],
      heldBlocks: [40, 0],
      picksPerSecond: [6, 0],
      requests: [7, 0],
    });
  });

  it("counts by the time that a point really took", () => {
    const history = new History(minute);
    history.add(totals(0), 0, 1_000_000, 0);
    history.add(totals(100), 0, 1_020_000, 20_000);
    expect(history.state()).toMatchObject({ atMs: [1_020_000], picks: [100], picksPerSecond: [5] });
  });

  it("knows the rates of the last ten seconds", () => {
    const history = new History(minute);
    expect(history.state().latest).toEqual({
      picksPerSecond: 0,
      refusalsPerSecond: 0,
      promptBlocks: 0,
      heldBlocks: 0,
      hitRatio: undefined,
    });
    history.add(totals(0), 0, 1_000_000, 0);
    history.add(totals(1_000, { promptBlocks: 100, heldBlocks: 0 }), 0, 1_005_000, 5_000);
    history.read(totals(1_040, { promptBlocks: 140, heldBlocks: 30, refusals: 20 }), 15_000);
    expect(history.state().latest).toEqual({
      picksPerSecond: 4,
      refusalsPerSecond: 2,
      promptBlocks: 40,
      heldBlocks: 30,
      hitRatio: 0.75,
    });
  });

  it("keeps the latest points, as many as it has room for, as a list would", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 60 }), (counts) => {
        const history = new History(minute);
        const points: { at: number; picks: number }[] = [];
        let sum = 0;
        history.add(totals(0), 0, 0, 0);
        counts.forEach((count, i) => {
          sum += count;
          history.add(totals(sum), i, (i + 1) * 5_000, (i + 1) * 5_000);
          points.push({ at: (i + 1) * 5_000, picks: count });
        });
        const kept = points.slice(-12);
        const { atMs, picks, requests } = history.state();
        expect(atMs).toEqual(kept.map(({ at }) => at));
        expect(picks).toEqual(kept.map(({ picks: each }) => each));
        expect(requests).toEqual(counts.map((_, i) => i).slice(-12));
      }),
    );
  });
});
