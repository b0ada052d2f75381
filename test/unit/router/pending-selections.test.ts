import { describe, expect, it } from "vitest";
import { type PendingOptions, PendingSelections } from "../../../src/router/pending-selections.ts";
import type { Selection } from "../../../src/router/selection.ts";
import { completion, fixture } from "./fixture.ts";

const workers = ["a", "b", "c"].map((name, i) => ({ name, endpoint: `10.0.0.${i + 1}:80` }));
const anywhere = { subset: undefined, requestedEndpoints: undefined };

async function selectionOf(text = "abcdefgh"): Promise<Selection> {
  const { router } = fixture({ workers });
  return router.select(await router.prepare(completion(text)), anywhere);
}

function setUp(options: Partial<PendingOptions> = {}) {
  const clock = { ms: 0 };
  const pending = new PendingSelections({ ttlMs: 100, maxEntries: 3, maxBytes: 1 << 20, ...options }, () => clock.ms);
  return { clock, pending };
}

describe("selections that wait to be reserved", () => {
  it("keep who was picked, and nothing of the others", async () => {
    const { pending } = setUp();
    const selection = await selectionOf();
    pending.put("k", selection);
    const kept = pending.get("k");
    expect(kept?.answering.rank).toBe(selection.answering.rank);
    expect(kept?.answering.candidates).toEqual([selection.answering.picked]);
    const { choice } = selection.answering;
    expect(kept?.answering.choice).toEqual({ chosen: 0, costs: Float64Array.of(choice.costs[choice.chosen] ?? 0) });
    expect(kept?.subject).toBe(selection.subject);
  });

  it("wait for their time, not longer", async () => {
    const { clock, pending } = setUp();
    pending.put("k", await selectionOf());
    clock.ms = 99;
    expect(pending.get("k")).toBeDefined();
    clock.ms = 100;
    expect(pending.get("k")).toBeUndefined();
    expect(pending.size).toBe(0);
  });

  it("are replaced by another of the same key, and removed once", async () => {
    const { pending } = setUp();
    const [first, second] = [await selectionOf(), await selectionOf()];
    pending.put("k", first);
    pending.put("k", second);
    expect([pending.size, pending.get("k")?.subject]).toEqual([1, second.subject]);
    pending.remove("k");
    pending.remove("k");
    expect([pending.size, pending.get("k")]).toEqual([0, undefined]);
  });

  it("go oldest first when there are too many", async () => {
    const { pending } = setUp();
    const selection = await selectionOf();
    for (const key of ["a", "b", "c", "d"]) pending.put(key, selection);
    expect(["a", "b", "c", "d"].map((key) => pending.get(key) !== undefined)).toEqual([false, true, true, true]);
  });

  it("go oldest first when they take too much memory, of which long prompts take more", async () => {
    const short = await selectionOf("abcdefgh");
    const long = await selectionOf("abcdefgh".repeat(500));
    const { pending } = setUp({ maxEntries: 1_000, maxBytes: 20_000 });
    for (let i = 0; i < 20; i++) pending.put(`s${i}`, short);
    expect(pending.size).toBe(20);
    pending.put("long", long);
    expect(pending.get("long")).toBeDefined();
    expect(pending.get("s0")).toBeUndefined();
    const tight = setUp({ maxBytes: 5_000 }).pending;
    tight.put("short", short);
    tight.put("long", long);
    expect(tight.get("long")).toBeUndefined();
    expect(tight.get("short")).toBeDefined();
  });

  it("may be none at all", async () => {
    const { pending } = setUp({ maxEntries: 0 });
    pending.put("k", await selectionOf());
    expect(pending.size).toBe(0);
  });

  it("give memory back: a thousand that come and go leave room for the next", async () => {
    const { pending } = setUp({ maxEntries: 1_000, maxBytes: 5_000 });
    const selection = await selectionOf();
    for (let i = 0; i < 1_000; i++) {
      pending.put("k", selection);
      pending.remove("k");
    }
    pending.put("a", selection);
    pending.put("b", selection);
    expect(pending.size).toBe(2);
  });
});
