import { describe, expect, it } from "vitest";
import { type Part, roundsOf } from "../../soak/restarts/rounds.ts";

function loss(name: string, ...touches: readonly Part[]) {
  return { name, touches };
}

describe("roundsOf", () => {
  it("puts losses into one round that have nothing to do with each other", () => {
    const losses = [loss("a", "gateway"), loss("b", "proxy"), loss("c"), loss("d", "route", "queue")];
    expect(roundsOf(losses)).toEqual([losses]);
  });

  it("never puts two into one round that touch the same part, and keeps the order", () => {
    const losses = [
      loss("a", "gateway", "workers"),
      loss("b", "workers"),
      loss("c", "gateway"),
      loss("d", "gateway", "queue"),
      loss("e", "queue"),
    ];
    expect(roundsOf(losses).map((round) => round.map(({ name }) => name))).toEqual([["a", "e"], ["b", "c"], ["d"]]);
  });

  it("makes no round of nothing", () => {
    expect(roundsOf([])).toEqual([]);
  });
});
