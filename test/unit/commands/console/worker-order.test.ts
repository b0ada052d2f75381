import { describe, expect, it } from "vitest";
import { byName, sorted } from "../../../../src/commands/console/worker-order.ts";

/** Runs the steps to their end. */
function run<T>(steps: Generator<undefined, T>, afterEach: () => void = () => undefined): T {
  for (;;) {
    const { done, value } = steps.next();
    afterEach();
    if (done === true) return value;
  }
}

function numbers(count: number, factor: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * factor) % count);
}

describe("the order of workers", () => {
  it("is by name, numbers in it as numbers, and by id of one name", () => {
    const worker = (name: string, id: string) => ({ name, id });
    const list = [
      worker("gpu-10", "1"),
      worker("gpu-2", "10"),
      worker("gpu-2", "9"),
      worker("a", "18446744073709551615"),
    ];
    expect(list.toSorted(byName).map(({ name, id }) => `${name}/${id}`)).toEqual([
      "a/18446744073709551615",
      "gpu-2/9",
      "gpu-2/10",
      "gpu-10/1",
    ]);
    expect(byName(worker("a", "1"), worker("a", "1"))).toBe(0);
    expect(byName({ name: "a", id: 9n }, { name: "a", id: 10n })).toBe(-1);
  });

  it.each([0, 1, 2, 255, 256, 257, 5_000])("is that of Array.sort for %i items", (count) => {
    const items = numbers(count, 7_919);
    expect(run(sorted(items, (a, b) => a - b))).toEqual(items.toSorted((a, b) => a - b));
  });

  it("keeps the order of what is equal", () => {
    const items = numbers(2_000, 7).map((key, at) => ({ key: key % 10, at }));
    expect(run(sorted(items, (a, b) => a.key - b.key))).toEqual(items.toSorted((a, b) => a.key - b.key || a.at - b.at));
  });

  it("is found in steps of some two thousand comparisons, and by one for each item that is in order", () => {
    let compared = 0;
    const compare = (a: number, b: number) => {
      compared += 1;
      return a - b;
    };
    const longest: number[] = [];
    const steps = (items: readonly number[]) => {
      let before = compared;
      return run(sorted(items, compare), () => {
        longest.push(compared - before);
        before = compared;
      });
    };
    const inOrder = steps(numbers(10_000, 7_919));
    expect(Math.max(...longest)).toBeLessThanOrEqual(256 * 8);
    compared = 0;
    steps(inOrder);
    expect(compared).toBeLessThanOrEqual(10_000);
  });
});
