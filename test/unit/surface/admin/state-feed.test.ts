import { beforeEach, describe, expect, it } from "vitest";
import type { ConsoleRank, ConsoleSource, ConsoleState, ConsoleWorker } from "../../../../src/surface/admin/index.ts";
import { StateFeed, type StateUpdate } from "../../../../src/surface/admin/index.ts";
import { readingOf, stateOf } from "../../../support/console/states.ts";

class FakeClock {
  #now = 0;
  readonly tasks = new Set<{ readonly atMs: number; readonly run: () => void }>();
  now(): number {
    return this.#now;
  }
  after(delayMs: number, run: () => void): () => void {
    const task = { atMs: this.#now + delayMs, run };
    this.tasks.add(task);
    return () => this.tasks.delete(task);
  }
  advance(ms: number): void {
    this.#now += ms;
    for (const task of [...this.tasks]) if (task.atMs <= this.#now && this.tasks.delete(task)) task.run();
  }
}

let clock: FakeClock;
let made: number;
let feed: StateFeed;
let make: () => Promise<ConsoleState>;
const signal = new AbortController().signal;
const turns = { isSpent: false, nextTurn: () => Promise.resolve() };

function textOf({ pieces }: Pick<StateUpdate, "pieces">): string {
  return Buffer.concat(pieces).toString();
}

beforeEach(() => {
  clock = new FakeClock();
  made = 0;
  make = async () => stateOf({ nowAtMs: ++made });
  const source: ConsoleSource = {
    state: async () => readingOf(await make()),
    picks: async () => [],
    explain: async () => undefined,
  };
  feed = new StateFeed(source, { updateIntervalMs: 1_000 }, clock, turns);
});

function workerOf(): ConsoleWorker {
  const [worker] = stateOf().workers;
  if (worker === undefined) throw new Error("the example has workers");
  return worker;
}

function numberIn(update: StateUpdate): number {
  return (JSON.parse(textOf(update)) as ConsoleState).nowAtMs;
}

describe("the latest state", () => {
  it("is the whole one, as JSON", async () => {
    expect(JSON.parse(textOf(await feed.current()))).toEqual(JSON.parse(JSON.stringify(stateOf({ nowAtMs: 1 }))));
  });

  it("is made when somebody asks, once for all who ask at that time", async () => {
    expect(made).toBe(0);
    const all = await Promise.all([feed.current(), feed.next(0, signal), feed.current()]);
    expect(made).toBe(1);
    expect(new Set(all).size).toBe(1);
    await feed.current();
    expect(made).toBe(1);
    clock.advance(250);
    expect(numberIn(await feed.current())).toBe(2);
  });

  it("is followed by the next one after the interval, made once for all readers", async () => {
    const first = await feed.next(0, signal);
    const waiting = [feed.next(first.number, signal), feed.next(first.number, signal)];
    clock.advance(999);
    expect(made).toBe(1);
    clock.advance(1);
    const [one, other] = await Promise.all(waiting);
    expect(made).toBe(2);
    expect(one).toBe(other);
  });

  it("is what a late reader gets, and not those in between", async () => {
    let latest = await feed.next(0, signal);
    for (let i = 0; i < 5; i++) {
      const next = feed.next(latest.number, signal);
      clock.advance(1_000);
      latest = await next;
    }
    expect(numberIn(await feed.next(1, signal))).toBe(6);
    expect(made).toBe(6);
  });

  it("is a fresh one for who comes when nobody has asked for long", async () => {
    await feed.next(0, signal);
    clock.advance(60_000);
    const all = await Promise.all([feed.next(0, signal), feed.next(0, signal)]);
    expect(all.map(numberIn)).toEqual([2, 2]);
  });

  it("is not made while nobody waits, and no timer is left behind by who leaves", async () => {
    const { number } = await feed.next(0, signal);
    const leaving = new AbortController();
    const waiting = feed.next(number, leaving.signal);
    expect(clock.tasks.size).toBe(1);
    leaving.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect(clock.tasks.size).toBe(0);
    clock.advance(60_000);
    expect(made).toBe(1);
    await expect(feed.next(number, leaving.signal)).rejects.toThrow("left");
  });

  it("that cannot be made is an error for who asked, and is tried again", async () => {
    const works = make;
    make = () => Promise.reject(new Error("broken"));
    await expect(feed.current()).rejects.toThrow("broken");
    make = works;
    expect(numberIn(await feed.current())).toBe(1);
  });

  it("comes less often when it takes long", async () => {
    const slow = {
      toJSON: () => {
        clock.advance(100);
        return {};
      },
    } as unknown as ConsoleRank;
    make = async () => stateOf({ nowAtMs: ++made, workers: [{ ...workerOf(), ranks: [slow] }] });
    const first = await feed.next(0, signal);
    const waiting = feed.next(first.number, signal);
    clock.advance(1_900);
    await Promise.resolve();
    expect(made).toBe(1);
    clock.advance(100);
    await waiting;
    expect(made).toBe(2);
  });

  it("gives way while it is made, rank by rank, and counts its own time only", async () => {
    const rank = {
      toJSON: () => {
        clock.advance(0.3);
        return {};
      },
    } as unknown as ConsoleRank;
    let startedAtMs = 0;
    const longest: number[] = [];
    const shared = {
      get isSpent() {
        return clock.now() - startedAtMs >= 1;
      },
      nextTurn: async () => {
        longest.push(clock.now() - startedAtMs);
        // The others'.
        clock.advance(50);
        startedAtMs = clock.now();
      },
    };
    const workers = [{ ...workerOf(), ranks: Array.from({ length: 100 }, () => rank) }];
    let begun = 0;
    const source: ConsoleSource = {
      state: async () => {
        begun++;
        return readingOf(stateOf({ workers }));
      },
      picks: async () => [],
      explain: async () => undefined,
    };
    feed = new StateFeed(source, { updateIntervalMs: 100 }, clock, shared);
    const first = await feed.next(0, signal);
    expect(longest.length).toBeGreaterThan(20);
    expect(Math.max(...longest)).toBeLessThan(1.3);
    expect(JSON.parse(textOf(first)).workers[0].ranks).toHaveLength(100);
    // 30 ms were its own: 600 until the next one.
    const next = feed.next(first.number, signal);
    clock.advance(599);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(1);
    clock.advance(2);
    expect((await next).number).toBe(2);
  });
});
