import { describe, expect, it } from "vitest";
import { leasts } from "../../soak/verdict/leasts.ts";

const line = (ys: readonly number[]) => ys.map((y, x) => ({ x, y }));

describe("leasts", () => {
  it.each([
    { what: "the lowest point of each window", ys: [5, 3, 9, 4, 4, 8], windows: 3, xs: [1, 3, 4] },
    { what: "every point where there are fewer than windows", ys: [5, 3, 9], windows: 10, xs: [0, 1, 2] },
    { what: "whole windows only", ys: [1, 2, 3, 4, 5, 6, 0], windows: 3, xs: [0, 2, 4] },
    { what: "nothing of nothing", ys: [], windows: 3, xs: [] },
  ])("is $what", ({ ys, windows, xs }) => {
    expect(leasts(line(ys), windows).map(({ x }) => x)).toEqual(xs);
  });
});
