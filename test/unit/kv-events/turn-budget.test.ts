import { describe, expect, it } from "vitest";
import { TurnBudget } from "../../../src/kv-events/index.ts";

class FakeClock {
  #now = 0;
  now(): number {
    return this.#now;
  }
  advance(ms: number): void {
    this.#now += ms;
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("TurnBudget", () => {
  it("is spent after its time, and fresh in the next turn", async () => {
    const clock = new FakeClock();
    const budget = new TurnBudget(clock, 2);
    expect(budget.isSpent).toBe(false);
    clock.advance(1.9);
    expect(budget.isSpent).toBe(false);
    clock.advance(0.1);
    expect(budget.isSpent).toBe(true);
    await budget.nextTurn();
    expect(budget.isSpent).toBe(false);
    await turn();
    await turn();
    expect(budget.isSpent).toBe(false);
  });

  it("lets one waiter on a turn, in order", async () => {
    const clock = new FakeClock();
    const budget = new TurnBudget(clock, 2);
    const order: string[] = [];
    let turns = 0;
    const counting = (async () => {
      while (order.length < 3) {
        await turn();
        turns++;
      }
    })();
    await Promise.all(["a", "b", "c"].map((name) => budget.nextTurn().then(() => order.push(`${name}${turns}`))));
    await counting;
    expect(order.map((entry) => entry[0])).toEqual(["a", "b", "c"]);
    expect(new Set(order.map((entry) => entry.slice(1))).size).toBe(3);
  });

  it("does not let newcomers pass those who wait", () => {
    const budget = new TurnBudget(new FakeClock(), 2);
    void budget.nextTurn();
    expect(budget.isSpent).toBe(true);
  });

  it.each([0, -1, Number.NaN])("refuses %s ms", (budgetMs) => {
    expect(() => new TurnBudget(new FakeClock(), budgetMs)).toThrow(RangeError);
  });
});
