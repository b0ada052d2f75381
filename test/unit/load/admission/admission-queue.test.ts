import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../../src/errors/index.ts";
import { AdmissionQueue } from "../../../../src/load/index.ts";
import { FakeTimers } from "./fake-timers.ts";

const never = new AbortController().signal;

/** Workers of two pools with a number of free places each; placed requests are listed by name. */
function setup(options: { maxQueued?: number; maxWaitMs?: number } = {}) {
  const timers = new FakeTimers();
  const ends: string[] = [];
  const queue = new AdmissionQueue(
    { maxQueued: 10, maxWaitMs: 1_000, ...options },
    {
      now: () => timers.now(),
      after: (ms, task) => timers.after(ms, task),
      waited: (end, waitedMs) => ends.push(`${end} ${waitedMs}`),
    },
  );
  const free: Record<string, number> = { m: 0, n: 0 };
  const placed: string[] = [];
  let tries = 0;
  const ask = (
    name: string,
    { priority = 0, flow = "f", pool = "m", needs = "", isPicky = false, signal = never } = {},
  ): Promise<string> =>
    (async () =>
      queue.admit(
        {
          priority,
          flow,
          pool,
          isPicky,
          place: () => {
            tries++;
            const from = needs === "" ? pool : needs;
            if ((free[from] ?? 0) === 0) throw new RoutingError("busy", { code: "saturated" });
            free[from] = (free[from] ?? 0) - 1;
            placed.push(name);
            return name;
          },
        },
        signal,
      ))();
  const release = async (places: number, pool = "m") => {
    free[pool] = (free[pool] ?? 0) + places;
    queue.loadFell();
    await settled();
  };
  return { timers, queue, ask, release, placed, ends, free, tries: () => tries };
}

/** After the microtasks that are due. */
async function settled(): Promise<void> {
  for (let i = 0; i < 8; i++) await Promise.resolve();
}

const code = (name: string) => expect.objectContaining({ code: name });

describe("admission", () => {
  it("places at once while a worker is free", async () => {
    const { ask, free, ends } = setup();
    free["m"] = 1;
    await expect(ask("a")).resolves.toBe("a");
    expect(ends).toEqual([]);
  });

  it("holds a request until load falls", async () => {
    const { ask, release, timers, ends, queue } = setup();
    const waiting = ask("a");
    await settled();
    expect(queue.size).toBe(1);
    timers.advance(300);
    await release(1);
    await expect(waiting).resolves.toBe("a");
    expect([queue.size, timers.pending, ends]).toEqual([0, 0, ["placed 300"]]);
  });

  it("goes by priority, and in it by order of arrival", async () => {
    const { ask, release, placed } = setup();
    void Promise.all([
      ask("a"),
      ask("low", { priority: 0 }),
      ask("high", { priority: 5 }),
      ask("mid", { priority: 2 }),
    ]);
    await settled();
    await release(3);
    expect(placed).toEqual(["high", "mid", "a"]);
  });

  it("gives flows of one priority their turns, however many requests each has", async () => {
    const { ask, release, placed } = setup();
    const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
    void Promise.all(names.map((name) => ask(name, { flow: name[0] ?? "" })));
    await settled();
    await release(3);
    await release(4);
    expect(placed).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  it("lets nobody of equal priority overtake those who wait, and anybody of a higher one", async () => {
    const { ask, free, placed } = setup();
    const first = ask("first");
    await settled();
    free["m"] = 2;
    const late = ask("late");
    const urgent = ask("urgent", { priority: 1 });
    await settled();
    expect(placed).toEqual(["urgent"]);
    free["m"] = 5;
    void [first, late];
    await urgent;
  });

  it("does not hold up one model's requests for another's", async () => {
    const { ask, release, placed, free } = setup();
    void ask("m1");
    await settled();
    free["n"] = 1;
    await expect(ask("n1", { pool: "n" })).resolves.toBe("n1");
    void ask("n2", { pool: "n", flow: "g" });
    await settled();
    await release(1, "n");
    expect(placed).toEqual(["n1", "n2"]);
  });

  it("tries a full pool once a turn, however many wait for it", async () => {
    const { ask, release, tries } = setup();
    void Promise.all(Array.from({ length: 9 }, (_, i) => ask(`r${i}`, { flow: `f${i}` })));
    await settled();
    const before = tries();
    await release(0);
    expect(tries() - before).toBe(1);
  });

  it("does not take a picky request's refusal for the pool's", async () => {
    const { ask, release, placed } = setup();
    void ask("picky", { isPicky: true, needs: "special" });
    void ask("plain", { flow: "g" });
    await settled();
    await release(1);
    expect(placed).toEqual(["plain"]);
  });

  it("refuses after the longest wait, with its own code", async () => {
    const { ask, timers, ends, queue } = setup();
    const waiting = ask("a");
    await settled();
    timers.advance(999);
    expect(queue.size).toBe(1);
    timers.advance(1);
    await expect(waiting).rejects.toEqual(code("queue_timeout"));
    expect([queue.size, ends]).toEqual([0, ["expired 1000"]]);
  });

  it("is bounded: one more is refused at once", async () => {
    const { ask, queue } = setup({ maxQueued: 2 });
    void Promise.all([ask("a"), ask("b")]);
    await settled();
    await expect(ask("c")).rejects.toEqual(code("saturated"));
    expect(queue.size).toBe(2);
  });

  it("gives the place of the least important to a more important one when full", async () => {
    const { ask, queue, release, placed } = setup({ maxQueued: 3 });
    const kept = ask("kept", { priority: 1 });
    const short = ask("short", { flow: "s" });
    const long = ask("long", { flow: "t" });
    await settled();
    void ask("vip", { priority: 2 });
    await expect(short).rejects.toEqual(code("evicted"));
    expect(queue.size).toBe(3);
    await release(3);
    expect(placed).toEqual(["vip", "kept", "long"]);
    await Promise.all([kept, long]);
  });

  it.each([{ priority: -1 }, { maxQueued: 0 }])("has nobody wait with %o", async ({ priority = 0, ...options }) => {
    const { ask, queue } = setup(options);
    await expect(ask("a", { priority })).rejects.toEqual(code("saturated"));
    expect(queue.size).toBe(0);
  });

  it("forgets a client that left", async () => {
    const { ask, queue, timers, ends, release, placed } = setup();
    const gone = new AbortController();
    const waiting = ask("a", { signal: gone.signal });
    await settled();
    gone.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect([queue.size, timers.pending, ends]).toEqual([0, 0, ["left 0"]]);
    await release(1);
    expect(placed).toEqual([]);
    await expect(ask("b", { signal: gone.signal })).resolves.toBe("b");
    await expect(ask("c", { signal: gone.signal })).rejects.toThrow("left");
  });

  it("passes on what else is wrong with a request, and goes on with the next", async () => {
    const { queue, ask, release, placed } = setup();
    let isBusy = true;
    const broken = (async () =>
      queue.admit(
        {
          priority: 0,
          flow: "f",
          pool: "m",
          isPicky: false,
          place: () => {
            throw new RoutingError("x", { code: isBusy ? "saturated" : "no_endpoints" });
          },
        },
        never,
      ))();
    void ask("next");
    await settled();
    isBusy = false;
    await release(1);
    await expect(broken).rejects.toEqual(code("no_endpoints"));
    expect(placed).toEqual(["next"]);
  });

  it("places in turns of bounded length", async () => {
    const { ask, release, placed, timers, queue } = setup({ maxQueued: 200 });
    void Promise.all(Array.from({ length: 150 }, (_, i) => ask(`r${i}`, { flow: `f${i}` })));
    await settled();
    await release(150);
    expect(placed).toHaveLength(64);
    timers.advance(0);
    await settled();
    expect(placed).toHaveLength(128);
    timers.advance(0);
    await settled();
    expect([placed.length, queue.size]).toEqual([150, 0]);
  });

  it.each([{ maxQueued: -1 }, { maxWaitMs: 0 }])("refuses the settings %o", (options) => {
    expect(() => setup(options)).toThrow(RangeError);
  });
});
