import { describe, expect, it } from "vitest";
import { LoadTable, LoadView, SiblingLoads } from "../../../src/load/index.ts";
import { FakeClock } from "./fake-clock.ts";
import { sequenceOfNumbers } from "./sequences.ts";

const size = { totalKvBlocks: 1_000, blockSize: 16 };
const nothing = {
  runningRequests: undefined,
  waitingRequests: undefined,
  kvUsage: undefined,
  totalKvBlocks: undefined,
  blockTokens: undefined,
};

function setup(thresholds = {}) {
  const clock = new FakeClock();
  const loads = new LoadTable();
  const limits = { maxPrefillTokens: 0, maxKvUsage: 0, maxRequests: 0, ...thresholds };
  const siblings = new SiblingLoads();
  const view = new LoadView(loads, limits, clock, { staleAfterMs: 1_000, waitingRequestTokens: 500 }, siblings);
  const book = () =>
    loads.reserve(3, { promptTokens: 32, cachedTokens: 0, sequence: sequenceOfNumbers([1, 2]), count: 2 });
  const figures = () => {
    const { requests, prefillTokens, decodeBlocks } = view.loadOn(3);
    return [requests, prefillTokens, decodeBlocks];
  };
  return { clock, loads, siblings, view, book, figures };
}

describe("the load of a rank", () => {
  it("is what was booked, while no engine reports", () => {
    const { book, figures, view } = setup();
    book();
    expect(figures()).toEqual([1, 32, 2]);
    expect(view.foreignLoad(3)).toBeUndefined();
  });

  it("is what was booked and what the engine reports beyond it", () => {
    const { book, figures, view } = setup();
    book();
    view.reported(3, { ...nothing, runningRequests: 4, waitingRequests: 2, kvUsage: 0.1 }, size);
    // 6 requests, 1 of them ours; of the waiting ones none is taken for ours; 100 blocks, 2 of them ours.
    expect(figures()).toEqual([6, 32 + 2 * 500, 100]);
    expect(view.foreignLoad(3)).toMatchObject({ requests: 5, waitingRequests: 2, decodeBlocks: 98 });
  });

  it("is also what other replicas have booked, beyond which the engine's figures are a surplus", () => {
    const { book, figures, view, siblings } = setup();
    book();
    siblings.set("other", 3, { requests: 3, prefillTokens: 64, decodeBlocks: 8 });
    expect(figures()).toEqual([4, 96, 10]);
    view.reported(3, { ...nothing, runningRequests: 6, kvUsage: 0.1 }, size);
    expect(view.foreignLoad(3)).toMatchObject({ requests: 2, decodeBlocks: 90 });
    expect(figures()).toEqual([6, 96, 100]);
    expect(view.booked(3)).toEqual({ requests: 4, prefillTokens: 96, decodeBlocks: 10 });
    siblings.dropSibling("other");
    expect(figures()).toEqual([3, 32, 92]);
  });

  it("is also what other replicas are guessed to be booking, which limits do not count", () => {
    const { book, figures, view, siblings } = setup({ maxRequests: 3 });
    book();
    siblings.guessUnheard((slot) => ({ requests: slot, prefillTokens: 16, decodeBlocks: 1 }));
    expect(figures()).toEqual([4, 48, 3]);
    expect(view.booked(3).requests).toBe(1);
    expect(view.isTooBusy(3, undefined)).toBe(false);
  });

  it("is never less than what was booked, though an engine has not seen it yet", () => {
    const { book, figures, view } = setup();
    for (let i = 0; i < 3; i++) book();
    view.reported(3, { ...nothing, runningRequests: 1, waitingRequests: 1, kvUsage: 0 }, size);
    expect(figures()).toEqual([3, 96, 2]);
  });

  it("follows bookings between reports", () => {
    const { book, figures, view } = setup();
    view.reported(3, { ...nothing, runningRequests: 4 }, size);
    const first = book();
    expect(figures()[0]).toBe(5);
    first.release();
    expect(figures()[0]).toBe(4);
  });

  it("counts an engine's pages in the router's blocks", () => {
    const { view, figures } = setup();
    view.reported(3, { ...nothing, kvUsage: 0.5, totalKvBlocks: 3_200, blockTokens: 1 }, size);
    expect(figures()[2]).toBe(100);
    expect(view.foreignLoad(3)?.totalKvBlocks).toBe(200);
  });

  it("stands until the next report, however late that is, and goes with the rank", () => {
    const { view, figures, clock } = setup();
    view.reported(3, { ...nothing, runningRequests: 4 }, size);
    clock.advance(3_600_000);
    expect(figures()[0]).toBe(4);
    view.removeSlot(3);
    expect(figures()[0]).toBe(0);
  });
});

describe("a rank that is too busy", () => {
  it("is so by what others sent there, while the report is fresh", () => {
    const { view, clock } = setup({ maxRequests: 4 });
    view.reported(3, { ...nothing, runningRequests: 4 }, size);
    expect(view.isTooBusy(3, undefined)).toBe(true);
    clock.advance(1_000);
    expect(view.isTooBusy(3, undefined)).toBe(true);
    clock.advance(1);
    expect(view.isTooBusy(3, undefined)).toBe(false);
  });

  it("is so by what was booked, however old the report", () => {
    const { view, clock, book } = setup({ maxRequests: 1 });
    view.reported(3, nothing, size);
    clock.advance(9_999);
    expect(view.isTooBusy(3, undefined)).toBe(false);
    book();
    expect(view.isTooBusy(3, undefined)).toBe(true);
  });

  it("is so by what all replicas have booked", () => {
    const { view, book, siblings } = setup({ maxRequests: 2 });
    book();
    siblings.set("other", 3, { requests: 1, prefillTokens: 0, decodeBlocks: 0 });
    expect(view.isTooBusy(3, undefined)).toBe(true);
    siblings.set("other", 3, { requests: 0, prefillTokens: 0, decodeBlocks: 0 });
    expect(view.isTooBusy(3, undefined)).toBe(false);
  });

  it("is measured by the engine's own number of blocks where none is configured", () => {
    const { view, book } = setup({ maxKvUsage: 0.01 });
    book();
    expect(view.isTooBusy(3, undefined)).toBe(false);
    view.reported(
      3,
      { ...nothing, kvUsage: 0, totalKvBlocks: 100, blockTokens: 16 },
      { ...size, totalKvBlocks: undefined },
    );
    expect(view.isTooBusy(3, undefined)).toBe(true);
    expect(view.isTooBusy(3, 1_000)).toBe(false);
  });
});
