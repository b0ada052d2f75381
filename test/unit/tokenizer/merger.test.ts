import { describe, expect, it } from "vitest";
import { MergeTable } from "../../../src/tokenizer/merge-table.ts";
import { Merger } from "../../../src/tokenizer/merger.ts";
import { Random } from "./random.ts";

type Merge = readonly [left: number, right: number, merged: number];

const letters = ["a", "b", "c"];

/**
 * Merges in a random order: those of real models never come before the merges that make their parts. As in some of those, a token may be made in
 * several ways.
 */
function randomMerges(random: Random, count: number): readonly Merge[] {
  const tokens = [...letters];
  const pairs = new Set<string>();
  const merges: Merge[] = [];
  while (merges.length < count) {
    // Short tokens are frequent in a word, and so are then the merges.
    const [left, right] = [random.below(tokens.length), random.below(Math.min(tokens.length, 6))];
    if (pairs.has(`${left} ${right}`)) continue;
    pairs.add(`${left} ${right}`);
    const made = `${tokens[left]}${tokens[right]}`;
    if (!tokens.includes(made)) tokens.push(made);
    merges.splice(random.below(merges.length + 1), 0, [left, right, tokens.indexOf(made)]);
  }
  return merges;
}

/** BPE as it is defined: again and again the first pair of the lowest rank. */
function asDefined(word: readonly number[], merges: readonly Merge[]): readonly number[] {
  const symbols = [...word];
  const ranks = new Map(merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
  for (;;) {
    let lowest = Number.POSITIVE_INFINITY;
    let at = -1;
    for (let index = 0; index + 1 < symbols.length; index++) {
      const rank = ranks.get(`${symbols[index]} ${symbols[index + 1]}`) ?? Number.POSITIVE_INFINITY;
      if (rank >= lowest) continue;
      lowest = rank;
      at = index;
    }
    if (at < 0) return symbols;
    symbols.splice(at, 2, merges[lowest]?.[2] ?? -1);
  }
}

function mergerOf(merges: readonly Merge[]): Merger {
  const table = MergeTable.empty(merges.length, [0, 1], letters.length + merges.length);
  for (const [rank, [left, right, merged]] of merges.entries()) table.add(left, right, rank, merged);
  return new Merger(table);
}

describe("merges of a word", () => {
  it("are done in the order of their ranks and from the left, however the ranks lie", () => {
    const random = new Random(17);
    for (let model = 0; model < 150; model++) {
      const merges = randomMerges(random, 5 + random.below(40));
      const merger = mergerOf(merges);
      for (const length of [1, 2, 20, 32, 33, 40, 100, 300]) {
        const word = Array.from({ length }, () => random.below(letters.length));
        merger.reserve(length);
        merger.symbols.set(word);
        const count = merger.merge(length);
        expect([...merger.symbols.subarray(0, count)]).toEqual(asDefined(word, merges));
      }
    }
  });

  it("of a very long word are those of its parts where no merge goes across", () => {
    const merges: readonly Merge[] = [
      [0, 0, 3],
      [3, 3, 4],
      [0, 1, 5],
    ];
    const merger = mergerOf(merges);
    const part = [0, 0, 0, 0, 0, 0, 0, 1, 2];
    const parts = 40_000;
    merger.reserve(part.length * parts);
    for (let index = 0; index < parts; index++) merger.symbols.set(part, index * part.length);
    const count = merger.merge(part.length * parts);
    const expected = asDefined(part, merges);
    expect(count).toBe(expected.length * parts);
    for (const at of [0, 1, parts >> 1, parts - 1]) {
      const found = merger.symbols.subarray(at * expected.length, (at + 1) * expected.length);
      expect([...found]).toEqual(expected);
    }
    merger.reserve(40);
    merger.symbols.set(Array.from({ length: 40 }, (_, index) => part[index % 9] ?? 0));
    expect(merger.merge(36)).toBe(expected.length * 4);
  });
});
