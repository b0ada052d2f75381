import { describe, expect, it } from "vitest";
import { SiblingLoads } from "../../../src/load/index.ts";

const load = (requests: number, prefillTokens = 0, decodeBlocks = 0) => ({ requests, prefillTokens, decodeBlocks });

describe("SiblingLoads", () => {
  it("sums the totals of all siblings by slot, each in place of those of before", () => {
    const loads = new SiblingLoads();
    loads.set("a", 3, load(1, 10, 2));
    loads.set("b", 3, load(2, 20, 4));
    loads.set("a", 3, load(5, 50, 6));
    expect(loads.requests).toBe(7);
    expect([loads.on(3), loads.on(0), loads.on(99)]).toEqual([load(7, 70, 10), load(0), load(0)]);
  });

  it("forgets a sibling, a slot, and what became idle", () => {
    const loads = new SiblingLoads();
    loads.set("a", 0, load(1));
    loads.set("a", 1, load(1));
    loads.set("b", 1, load(1));
    loads.removeSlot(1);
    expect(loads.requests).toBe(1);
    expect([loads.on(1), [...loads.of("a").keys()], [...loads.of("b").keys()]]).toEqual([load(0), [0], []]);
    loads.set("b", 1, load(2));
    loads.dropSibling("a");
    loads.dropSibling("nobody");
    expect([loads.on(0), loads.on(1)]).toEqual([load(0), load(2)]);
    loads.set("b", 1, load(0));
    expect([loads.of("b").size, loads.requests]).toEqual([0, 0]);
  });

  it("tells when anything fell, and only then", () => {
    const loads = new SiblingLoads();
    let falls = 0;
    const stop = loads.onLoadFell(() => falls++);
    loads.set("a", 0, load(1, 10, 2));
    loads.set("a", 0, load(1, 10, 2));
    expect(falls).toBe(0);
    loads.set("a", 0, load(2, 0, 2));
    loads.set("a", 0, load(2, 0, 1));
    loads.set("a", 0, load(1, 0, 1));
    loads.dropSibling("a");
    loads.dropSibling("a");
    expect(falls).toBe(4);
    stop();
    loads.set("a", 0, load(1));
    loads.set("a", 0, load(0));
    expect(falls).toBe(4);
  });
});
