import { describe, expect, it } from "vitest";
import { type Waiting, WaitingExchanges } from "../../../src/dispatch/waiting-exchanges.ts";

/** One timer, which is fired by hand. */
class FakeClock {
  nowMs = 0;
  #timer: { atMs: number; callback: () => void } | undefined;

  now(): number {
    return this.nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.nowMs + delayMs, callback };
    this.#timer = timer;
    return () => {
      if (this.#timer === timer) this.#timer = undefined;
    };
  }

  get isArmed(): boolean {
    return this.#timer !== undefined;
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    while (this.#timer !== undefined && this.#timer.atMs <= untilMs) {
      const { atMs, callback } = this.#timer;
      this.nowMs = atMs;
      this.#timer = undefined;
      callback();
    }
    this.nowMs = untilMs;
  }
}

function waiting(given: string[], name: string): Waiting {
  return { giveUp: () => given.push(name) };
}

describe("waits for connections", () => {
  it("end at their deadline, each at its own, and not when they ended before", () => {
    const clock = new FakeClock();
    const waits = new WaitingExchanges(100, clock);
    const given: string[] = [];
    const [a, b, c] = ["a", "b", "c"].map((name) => waiting(given, name)) as [Waiting, Waiting, Waiting];
    waits.begin(a);
    clock.advance(40);
    waits.begin(b);
    waits.begin(c);
    waits.end(b);
    clock.advance(59);
    expect(given).toEqual([]);
    clock.advance(1);
    expect(given).toEqual(["a"]);
    clock.advance(40);
    expect(given).toEqual(["a", "c"]);
    expect(clock.isArmed).toBe(false);
  });

  it("have no timer once they are closed, or without a limit", () => {
    const clock = new FakeClock();
    const given: string[] = [];
    new WaitingExchanges(0, clock).begin(waiting(given, "a"));
    expect(clock.isArmed).toBe(false);
    const waits = new WaitingExchanges(5, clock);
    waits.begin(waiting(given, "b"));
    waits.close();
    clock.advance(10);
    expect(given).toEqual([]);
  });
});
