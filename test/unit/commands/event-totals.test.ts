import { expect, it } from "vitest";
import { EventTotals } from "../../../src/commands/event-totals.ts";

it("sums what was applied, and what was left out by its reason", () => {
  const totals = new EventTotals();
  totals.add("blocks_stored", 5);
  totals.add("blocks_removed", 2);
  totals.add("clears", 1);
  totals.add("batches", 9);
  totals.add("filtered_events", 1, "unknown_medium");
  totals.add("filtered_events", 2, "unknown_medium");
  totals.add("bad_batches", 1);
  totals.add("gaps", 3);
  totals.add("lost_tracks", 1);
  totals.add("restarts", 1);
  totals.add("replays", 4);
  const dropped = { unknown_medium: 3, bad_batches: 1 };
  expect(totals.sample()).toEqual({ applied: 8, dropped, gaps: 3, replays: 4, resets: 2 });
});

it("keeps no more reasons than it has room for", () => {
  const totals = new EventTotals();
  for (let i = 0; i < 100; i++) totals.add("skipped_events", 1, `reason ${i}`);
  const { dropped } = totals.sample();
  expect(Object.keys(dropped)).toHaveLength(65);
  expect(dropped["other"]).toBe(36);
});
