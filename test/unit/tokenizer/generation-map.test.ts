import { describe, expect, it } from "vitest";
import { CacheBudget } from "../../../src/tokenizer/cache-budget.ts";
import { GenerationMap } from "../../../src/tokenizer/generation-map.ts";

// A quarter of a budget is for prompts: of 800 bytes, each generation of the maps gets 300.
describe("GenerationMap", () => {
  it("keeps what fits", () => {
    const map = new GenerationMap<number>(new CacheBudget(800));
    for (const key of ["a", "b", "c"]) map.set(key, key.charCodeAt(0), 100);
    expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([97, 98, 99]);
  });

  it("forgets what two generations have not used, and keeps what they have", () => {
    const map = new GenerationMap<number>(new CacheBudget(800));
    map.set("used", 1, 100);
    map.set("unused", 2, 100);
    for (let index = 0; index < 8; index++) {
      map.set(`filler ${index}`, index, 100);
      map.get("used");
    }
    expect(map.get("used")).toBe(1);
    expect(map.get("unused")).toBeUndefined();
  });

  it("shares its budget with other maps", () => {
    const budget = new CacheBudget(800);
    const [map, other] = [new GenerationMap<number>(budget), new GenerationMap<number>(budget)];
    map.set("a", 1, 100);
    for (let index = 0; index < 8; index++) other.set(`filler ${index}`, index, 100);
    expect(map.get("a")).toBeUndefined();
  });

  it("never holds more than the budget's bytes", () => {
    const map = new GenerationMap<number>(new CacheBudget(8000));
    const keys = Array.from({ length: 1000 }, (_, index) => `key ${index}`);
    for (const key of keys) map.set(key, 1, 50);
    expect(keys.filter((key) => map.get(key) !== undefined).length * 50).toBeLessThanOrEqual(6000);
  });

  it("refuses a size that is none", () => {
    expect(() => new CacheBudget(-1)).toThrow(RangeError);
    expect(() => new CacheBudget(Number.NaN)).toThrow(RangeError);
  });
});
