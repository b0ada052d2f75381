import { describe, expect, it } from "vitest";
import { KnownPicks } from "../../../../src/surface/admin/known-picks.ts";
import { pickOf } from "../../../support/console/states.ts";

/** The latest decisions, the newest first. */
function latest(...ids: readonly string[]) {
  return ids.map((id) => pickOf(id));
}

function told(known: KnownPicks, ...ids: readonly string[]) {
  const { picks, leftOut } = known.take(latest(...ids));
  return [picks.map(({ id }) => id), leftOut];
}

describe("which decisions a reader is told of", () => {
  it("none at first, then those that are new, the oldest first", () => {
    const known = new KnownPicks();
    expect(told(known, "7", "6")).toEqual([[], 0]);
    expect(told(known, "7", "6")).toEqual([[], 0]);
    expect(told(known, "9", "8", "7")).toEqual([["8", "9"], 0]);
  });

  it("all that come to who began without any", () => {
    const known = new KnownPicks();
    expect(told(known)).toEqual([[], 0]);
    expect(told(known, "2", "1")).toEqual([["1", "2"], 0]);
  });

  it("counts those that came and went between two states", () => {
    const known = new KnownPicks();
    told(known, "3", "2", "1");
    expect(told(known, "10", "9")).toEqual([["9", "10"], 5]);
  });

  it("keeps the processes apart", () => {
    const known = new KnownPicks();
    told(known, "0-5", "1-90");
    expect(told(known, "1-91", "0-7", "0-6", "0-5", "1-90")).toEqual([["0-6", "0-7", "1-91"], 0]);
    expect(told(known, "2-1", "1-95")).toEqual([["1-95", "2-1"], 3]);
  });

  it("counts no decision of a process that came before the reader did, and was too old to be listed", () => {
    const known = new KnownPicks();
    told(known, "0-60", "0-59");
    expect(told(known, "1-5001", "0-60")).toEqual([["1-5001"], 0]);
    expect(told(known, "1-5004", "0-61")).toEqual([["0-61", "1-5004"], 2]);
  });

  it("counts all of a process where there were none at the beginning", () => {
    const known = new KnownPicks();
    told(known);
    expect(told(known, "1-9", "0-3")).toEqual([["0-3", "1-9"], 10]);
  });

  it("begins again with a process that does", () => {
    const known = new KnownPicks();
    told(known, "0-100");
    expect(told(known, "0-2", "0-1")).toEqual([["0-1", "0-2"], 0]);
    expect(told(known, "0-3", "0-2", "0-1")).toEqual([["0-3"], 0]);
  });
});
