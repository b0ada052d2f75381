import { describe, expect, it } from "vitest";
import { StreamPosition } from "../../../src/kv-events/stream-position.ts";

const payload = (text: string) => Buffer.from(text);

function positionAt(...sequences: number[]): StreamPosition {
  const position = new StreamPosition();
  for (const sequence of sequences) position.accept(sequence, payload(`batch ${sequence}`));
  return position;
}

describe("StreamPosition", () => {
  it.each([
    { name: "anything, at the start", applied: [], sequence: 5, content: "x", verdict: "first" },
    { name: "the one after the last", applied: [0, 1], sequence: 2, content: "x", verdict: "next" },
    { name: "one further on", applied: [0, 1], sequence: 3, content: "x", verdict: "gap" },
    {
      name: "one that a replay has brought",
      applied: [0, 1, 2],
      sequence: 1,
      content: "batch 1",
      verdict: "duplicate",
    },
    { name: "a known number with another content", applied: [0, 1, 2], sequence: 1, content: "x", verdict: "restart" },
    { name: "a number that was never applied", applied: [5, 6], sequence: 3, content: "x", verdict: "restart" },
  ])("judges $name as $verdict", ({ applied, sequence, content, verdict }) => {
    expect(positionAt(...applied).judgeLive(sequence, payload(content))).toBe(verdict);
  });

  it("knows that a live stream never repeats itself", () => {
    const position = positionAt(0, 1);
    position.noteLive(1);
    expect(position.judgeLive(1, payload("batch 1"))).toBe("restart");
    expect(position.judgeLive(0, payload("batch 0"))).toBe("restart");
  });

  it("remembers the last 4,096 batches", () => {
    const position = positionAt(...Array.from({ length: 5_000 }, (_, i) => i));
    expect(position.isSame(4_999, payload("batch 4999"))).toBe(true);
    expect(position.isSame(904, payload("batch 904"))).toBe(true);
    expect(position.isSame(903, payload("batch 903"))).toBe(false);
  });

  it("starts anew when reset", () => {
    const position = positionAt(7);
    position.reset();
    expect(position.last).toBeUndefined();
    expect(position.judgeLive(7, payload("batch 7"))).toBe("first");
  });
});
