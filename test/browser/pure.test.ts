import { describe, expect, it } from "vitest";
import type { ConsoleHistory } from "../../src/surface/admin/index.ts";
import { cut, serverEvents } from "../../src/surface/admin/page/event-stream.js";
import { blocks, duration, percent, rate } from "../../src/surface/admin/page/format.js";
import { movingHitShare, stretchesOf } from "../../src/surface/admin/page/history.js";
import { wasCounted } from "../../src/surface/admin/page/pick-numbers.js";

/** A history of one point each second from the given one on. */
function history(firstSecond: number, promptBlocks: readonly number[], heldBlocks: readonly number[]): ConsoleHistory {
  const ones = promptBlocks.map(() => 1);
  return {
    intervalMs: 1_000,
    spanMs: 8_000,
    atMs: promptBlocks.map((_, i) => 1_000 * (firstSecond + i)),
    picks: ones,
    refusals: ones,
    promptBlocks,
    heldBlocks,
    picksPerSecond: ones,
    requests: promptBlocks.map((_, i) => i),
    latest: { picksPerSecond: 1, refusalsPerSecond: 1, promptBlocks: 0, heldBlocks: 0, hitRatio: undefined },
  };
}

describe("a pick's number", () => {
  it.each([
    ["17", ["912", "911"], true],
    ["17", ["2", "1"], false],
    ["17", [], false],
    ["0", ["2", "1"], false],
    ["2-17", ["1-40", "2-20", "2-19"], true],
    ["2-17", ["1-40", "2-2"], false],
    ["17", ["1-40"], false],
  ])("%s beside %j", (id, latest, isOver) => {
    expect(wasCounted(id, latest)).toBe(isOver);
  });
});

describe("the history in stretches", () => {
  it("ends each at a multiple of its length, so that none changes as time goes on", () => {
    const stretches = stretchesOf(history(1, [10, 20, 30, 40, 50], [1, 2, 3, 4, 5]), 4);
    expect(
      stretches.map(({ atMs, promptBlocks, heldBlocks, picks }) => [atMs, promptBlocks, heldBlocks, picks]),
    ).toEqual([
      [2_000, 30, 3, 2],
      [4_000, 70, 7, 2],
      [6_000, 50, 5, 1],
    ]);
    expect(stretches.map(({ requests }) => requests)).toEqual([1, 3, 4]);
  });

  it("gives each point the hit rate of the time before it, by blocks and not by points", () => {
    const stretches = stretchesOf(history(1, [100, 300, 0, 0, 0, 100], [100, 0, 0, 0, 0, 50]), 8);
    expect(movingHitShare(stretches, 2_000).map(({ value }) => value)).toEqual([1, 0.25, 0, undefined, undefined, 0.5]);
  });
});

describe("server-sent events", () => {
  it("are cut at empty lines, wherever a piece ends; what has no end is kept", () => {
    expect(
      cut('event: state\ndata: {"a":1}\n\n: a comment\n\nevent: pick\r\ndata: x\r\ndata: y\r\n\r\ndata: z'),
    ).toEqual({
      events: [
        { event: "state", text: '{"a":1}' },
        { event: "pick", text: "x\ny" },
      ],
      remainder: "data: z",
    });
  });

  it.each([1, 2, 3, 7, 1_000])("come whole in pieces of %i bytes", async (size) => {
    const bytes = new TextEncoder().encode(
      "event: a\ndata: ä…\n\n: none\n\nevent: b\r\ndata: x\r\ndata: y\r\n\r\ndata: no end",
    );
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const events: unknown[] = [];
    for await (const event of serverEvents(body)) events.push(event);
    expect(events).toEqual([
      { event: "a", text: "ä…" },
      { event: "b", text: "x\ny" },
    ]);
  });
});

describe("figures", () => {
  it.each([
    [percent(0), "0 %"],
    [percent(0.004), "0.4 %"],
    [percent(0.876), "88 %"],
    [percent(1880 / 1881), "99.9 %"],
    [percent(1), "100 %"],
    [percent(undefined), "–"],
    [rate(0), "0 /s"],
    [rate(3.25), "3.3 /s"],
    [rate(12_345), "12.3K /s"],
    [blocks(817.75), "817.8"],
    [blocks(801), "801"],
    [duration(850), "850 ms"],
    [duration(4_200), "4.2 s"],
    [duration(6_000), "6 s"],
    [duration(119_000), "119 s"],
    [duration(180_000), "3 min"],
    [duration(5 * 3_600_000 + 12 * 60_000), "5 h 12 min"],
    [duration(76 * 3_600_000), "3 d 4 h"],
  ])("are written as %s", (written, expected) => {
    expect(written).toBe(expected);
  });
});
