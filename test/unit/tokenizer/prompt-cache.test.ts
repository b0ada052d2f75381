import { describe, expect, it } from "vitest";
import { IdRun } from "../../../src/tokenizer/id-run.ts";
import { type KnownPrompt, PromptCache } from "../../../src/tokenizer/prompt-cache.ts";
import { decimalsOf, idsOf } from "../../../src/tokenizer/token-chain.ts";

const bos = new IdRun(Uint32Array.of(0));

function runOf(...ids: readonly number[]): IdRun {
  return new IdRun(Uint32Array.from(ids));
}

function add(cache: PromptCache, pieces: readonly string[], parent?: KnownPrompt, prefix?: IdRun): KnownPrompt {
  return cache.add({ parent, runs: [runOf(1, 22), runOf(333)], pieces, cut: 1, prefix });
}

describe("PromptCache", () => {
  it("finds the prompt that a longer one begins with", () => {
    const cache = new PromptCache(3, 1e6);
    const known = add(cache, ["system", "user one"]);
    expect(cache.find(["system", "user one", ".", "assistant", "user two"], undefined)).toBe(known);
    expect(cache.find(["system", "user one"], undefined)).toBe(known);
  });

  it.each([
    ["an earlier piece differs", ["System", "user one"], undefined],
    ["it stands elsewhere", ["user one"], undefined],
    ["another prefix stands before it", ["system", "user one"], bos],
  ])("finds nothing when %s", (_, pieces, prefix) => {
    const cache = new PromptCache(3, 1e6);
    add(cache, ["system", "user one"]);
    expect(cache.find(pieces, prefix)).toBeUndefined();
  });

  it("finds the longest of those that continue one another, and the shorter one where the longer does not fit", () => {
    const cache = new PromptCache(3, 1e6);
    const first = add(cache, ["system", "user one"]);
    const second = add(cache, ["user two"], first);
    expect(cache.find(["system", "user one", "else"], undefined)).toBe(first);
    expect(cache.find(["system", "user one", "user two", "."], undefined)).toBe(second);
    expect(cache.find(["System", "user one", "user two"], undefined)).toBeUndefined();
    expect([second.pieceCount, second.length, [...idsOf(second)]]).toEqual([3, 6, [1, 22, 333, 1, 22, 333]]);
    expect(decimalsOf(second).join("")).toBe(",1,22,333,1,22,333");
  });

  it("drops what was not used while half of its bytes came", () => {
    const entry = add(new PromptCache(3, 1e6), ["one"]).byteLength;
    const cache = new PromptCache(3, 4 * entry); // two in each generation
    const known = ["one", "two"].map((piece) => add(cache, [piece]));
    add(cache, ["six"]);
    expect(cache.find(["one"], undefined)).toBe(known[0]);
    add(cache, ["ten"]);
    expect([cache.find(["one"], undefined), cache.find(["two"], undefined)]).toEqual([known[0], undefined]);
    expect(cache.byteLength).toBe(3 * entry);
  });

  it("takes no more bytes than it may, whatever comes and is used", () => {
    const entry = add(new PromptCache(3, 1e6), ["piece 100"]).byteLength;
    const cache = new PromptCache(3, 10 * entry);
    let last: KnownPrompt | undefined;
    for (let index = 100; index < 400; index += 1) {
      last = add(cache, [`piece ${index}`], index % 5 === 0 ? undefined : last);
      cache.find([`piece ${index - (index % 7)}`], undefined);
      expect(cache.byteLength).toBeLessThanOrEqual(10 * entry);
    }
  });

  it("counts what a kept prompt begins with once, as long as it is needed", () => {
    const cache = new PromptCache(3, 1e6);
    const start = add(cache, ["start"]);
    const one = add(cache, ["branch one"], start);
    const two = add(cache, ["branch two"], start);
    expect(cache.byteLength).toBe(start.byteLength + one.byteLength + two.byteLength);
    const other = add(cache, ["start"]); // another prompt with the same last piece
    expect(cache.byteLength).toBe(start.byteLength + other.byteLength + one.byteLength + two.byteLength);
    const without = [add(cache, ["branch one"]), add(cache, ["branch two"])];
    expect(cache.byteLength).toBe(other.byteLength + without.reduce((sum, { byteLength }) => sum + byteLength, 0));
  });

  it("keeps long conversations in few links, with the same ids", () => {
    const cache = new PromptCache(3, 1e6);
    const pieces = Array.from({ length: 200 }, (_, index) => `piece ${index}`);
    let last: KnownPrompt | undefined;
    pieces.forEach((piece, index) => {
      last = cache.add({ parent: last, runs: [runOf(index)], pieces: [piece], cut: 1, prefix: undefined });
      expect(last.depth).toBeLessThan(50);
    });
    expect(cache.find([...pieces, "more"], undefined)).toBe(last);
    expect(last && [...idsOf(last)]).toEqual(pieces.map((_, index) => index));
  });
});
