import { describe, expect, it } from "vitest";
import { IdBuffer } from "../../../src/tokenizer/id-buffer.ts";
import { WordCache } from "../../../src/tokenizer/word-cache.ts";
import { type FillRandom, WordHash } from "../../../src/tokenizer/word-hash.ts";
import { Random } from "./random.ts";

const unitsOf = (word: string) => Uint16Array.from(word, (character) => character.charCodeAt(0));

function seeded(seed: number): FillRandom {
  const random = new Random(seed);
  return (numbers) => numbers.set(Array.from(numbers, () => random.below(2 ** 32)));
}

function idsOf(cache: WordCache, word: string): readonly number[] | undefined {
  const out = new IdBuffer();
  return cache.append(unitsOf(word), 0, word.length, out) ? [...out.take()] : undefined;
}

function learn(cache: WordCache, word: string, ids: readonly number[]): void {
  if (idsOf(cache, word) === undefined) cache.add(unitsOf(word), 0, word.length, Int32Array.from(ids), ids.length);
}

describe("WordCache", () => {
  it("answers with the ids that it was told, for words of every length that it takes", () => {
    const cache = new WordCache(seeded(1));
    const words = Array.from({ length: 48 }, (_, index) => "abcdefghij".repeat(5).slice(0, index + 1));
    for (const [index, word] of words.entries())
      learn(
        cache,
        word,
        Array.from({ length: 1 + (index % 5) }, (_, id) => index * 10 + id),
      );
    for (const [index, word] of words.entries())
      expect(idsOf(cache, word)).toEqual(Array.from({ length: 1 + (index % 5) }, (_, id) => index * 10 + id));
    expect(idsOf(cache, "zz")).toBeUndefined();
  });

  it("tells words apart whose hashes are all the same", () => {
    const cache = new WordCache(() => {});
    const words = ["a", "b", "ab", "ba", "abcdefghijk", "abcdefghijl", "a\0", "\0a"];
    for (const [index, word] of words.entries()) learn(cache, word, [index]);
    for (const [index, word] of words.entries()) expect(idsOf(cache, word)).toEqual([index]);
  });

  it("does not take words of more than 48 units", () => {
    const cache = new WordCache(seeded(1));
    learn(cache, "a".repeat(49), [1]);
    expect(idsOf(cache, "a".repeat(49))).toBeUndefined();
  });

  it("starts again when full, and stays right", () => {
    const cache = new WordCache(seeded(2));
    for (let index = 0; index < 100_000; index++) learn(cache, `w${index}`, [index]);
    expect(idsOf(cache, "w99999")).toEqual([99_999]);
    expect(idsOf(cache, "w1")).toBeUndefined();
  });
});

describe("WordHash", () => {
  it("depends on its secret: words that collide for one do not for another", () => {
    const [first, second] = [new WordHash(seeded(1)), new WordHash(seeded(2))];
    const slots = new Map<number, string>();
    const collisions: (readonly [string, string])[] = [];
    for (let index = 0; index < 20_000; index++) {
      const word = `w${index}`;
      const slot = first.of(unitsOf(word), 0, word.length) >>> 15;
      const other = slots.get(slot);
      if (other !== undefined) collisions.push([other, word]);
      slots.set(slot, word);
    }
    expect(collisions.length).toBeGreaterThan(500);
    const again = collisions.filter(([one, other]) => {
      const slot = second.of(unitsOf(one), 0, one.length) >>> 15;
      return slot === second.of(unitsOf(other), 0, other.length) >>> 15;
    });
    expect(again.length).toBeLessThan(10);
  });
});
