import { describe, expect, it } from "vitest";
import { IdRun } from "../../../src/tokenizer/id-run.ts";
import { extend, type KnownPrompt, PromptCache } from "../../../src/tokenizer/prompt-cache.ts";

const run = new IdRun(Uint32Array.of(1, 2, 3));
const bos = new IdRun(Uint32Array.of(0));

function prompt(pieces: readonly string[], prefix?: IdRun): KnownPrompt {
  return { pieces, index: pieces.length - 1, cut: 1, run, room: run.ids, prefix };
}

describe("PromptCache", () => {
  it("finds the prompt that a longer one begins with", () => {
    const cache = new PromptCache(3, 1e6);
    const known = prompt(["system", "user one"]);
    cache.add(known, undefined);
    expect(cache.find(["system", "user one", ".", "assistant", "user two"], undefined)).toBe(known);
    expect(cache.find(["system", "user one"], undefined)).toBe(known);
  });

  it.each([
    ["an earlier piece differs", ["System", "user one"], undefined],
    ["it stands elsewhere", ["user one"], undefined],
    ["another prefix stands before it", ["system", "user one"], bos],
  ])("finds nothing when %s", (_, pieces, prefix) => {
    const cache = new PromptCache(3, 1e6);
    cache.add(prompt(["system", "user one"]), undefined);
    expect(cache.find(pieces, prefix)).toBeUndefined();
  });

  it("puts the next turn in the last one's place", () => {
    const cache = new PromptCache(3, 1e6);
    const first = prompt(["system", "user one"]);
    const second = prompt(["system", "user one", "user two"]);
    cache.add(first, undefined);
    cache.add(second, first);
    expect(cache.find(["system", "user one", "else"], undefined)).toBeUndefined();
    expect(cache.find(["system", "user one", "user two"], undefined)).toBe(second);
  });

  it("drops the oldest when its bytes are used up", () => {
    const cache = new PromptCache(3, 4000); // two entries
    const known = ["one", "two", "three"].map((piece) => prompt([piece]));
    for (const one of known) cache.add(one, undefined);
    expect(known.map(({ pieces }) => cache.find(pieces, undefined))).toEqual([undefined, known[1], known[2]]);
  });
});

describe("extend", () => {
  it("leaves the known prompt's run as it is, and copies when there is no more room", () => {
    const first = { ...prompt(["a"]), ...extend(undefined, Uint32Array.of(1, 2, 3), 3) };
    const second = { ...prompt(["a", "b"]), ...extend(first, Uint32Array.of(1, 2, 3, 4, 5), 4) };
    expect([...first.run.ids]).toEqual([1, 2, 3]);
    expect([...second.run.ids]).toEqual([1, 2, 3, 4]);
    expect(second.room).toBe(first.room);
    const long = Uint32Array.from({ length: 5000 }, (_, index) => index + 1);
    const third = extend(second, long, 5000);
    expect(third.room).not.toBe(first.room);
    expect(third.run.ids).toEqual(long);
  });
});
