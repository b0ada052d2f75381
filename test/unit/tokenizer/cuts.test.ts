import { describe, expect, it } from "vitest";
import { firstCut, JoinCuts, lastCut, PatternCuts, patternCutRules } from "../../../src/tokenizer/cuts.ts";
import { PairSet } from "../../../src/tokenizer/pair-set.ts";

function allowed(cuts: PatternCuts | JoinCuts, pair: string): boolean {
  return cuts.between(pair.charCodeAt(0), pair.charCodeAt(1));
}

describe("PatternCuts", () => {
  it.each([
    ["a ", true],
    [". ", true],
    ["  ", false],
    ["\n ", false],
    ["\u00a0 ", false],
    ["\na", true],
    ["\n\n", false],
    ["\n\t", false],
    ["\n/", false],
    ["\ra", false],
    ["ab", false],
    [" a", false],
  ])("between the characters of %j: %s", (pair, isCut) => {
    expect(allowed(new PatternCuts(patternCutRules(["<|x|>", "\n\n", "  "])), pair)).toBe(isCut);
  });

  it("not before spaces when an added token holds one", () => {
    const cuts = new PatternCuts(patternCutRules(["of the"]));
    expect(allowed(cuts, "a ")).toBe(false);
    expect(allowed(cuts, "\na")).toBe(true);
  });

  it("not after line feeds when an added token goes on after one", () => {
    const cuts = new PatternCuts(patternCutRules(["\nx"]));
    expect(allowed(cuts, "a ")).toBe(true);
    expect(allowed(cuts, "\na")).toBe(false);
  });
});

describe("JoinCuts", () => {
  const joins = new PairSet();
  joins.add("a".charCodeAt(0), "b".charCodeAt(0));
  joins.add(0x2581, "a".charCodeAt(0));

  it.each([
    ["ab", false],
    ["ba", true],
    [" a", false],
    ["▁a", false],
    ["a ", true],
    ["\ud83d\ude00", false],
    ["\ude00a", false],
    [">a", true],
  ])("between the characters of %j: %s", (pair, isCut) => {
    expect(allowed(new JoinCuts(joins, new Set()), pair)).toBe(isCut);
  });

  it("not behind an added token after which the model puts a prefix", () => {
    expect(allowed(new JoinCuts(joins, new Set([">".charCodeAt(0)])), ">a")).toBe(false);
  });
});

describe("firstCut and lastCut", () => {
  const cuts = new PatternCuts(patternCutRules([]));
  it("look from where they are told to where they are told", () => {
    expect(firstCut(cuts, "ab cd ef", 1, 8)).toBe(2);
    expect(firstCut(cuts, "ab cd ef", 3, 8)).toBe(5);
    expect(firstCut(cuts, "ab cd ef", 3, 5)).toBe(-1);
    expect(lastCut(cuts, "ab cd ef", 7, 0)).toBe(5);
    expect(lastCut(cuts, "ab cd ef", 4, 0)).toBe(2);
    expect(lastCut(cuts, "ab cd ef", 4, 2)).toBe(-1);
  });
});
