import { nfcNormalizer } from "tokenizers";
import { describe, expect, it } from "vitest";
import { mayChangeInNfc, normalizeNfc } from "../../../src/tokenizer/nfc.ts";
import { Random } from "./random.ts";

const official = nfcNormalizer();
const contexts: readonly ((character: string) => string)[] = [
  (c) => `a${c}\u0301b`,
  (c) => `${c}\u0323\u0307`,
  (c) => `a\u0301${c}\u0323`,
  (c) => `\u1100${c}\u11a8`,
];

describe("normalizeNfc", () => {
  it("does to every character, beside combining ones, what the official engine does", { timeout: 60_000 }, () => {
    const wrong: string[] = [];
    for (let block = 0; block < 0x11_0000; block += 64) {
      const text = textOfBlock(block);
      if (text !== "" && normalizeNfc(text) !== official.normalizeString(text)) wrong.push(block.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it("puts long runs of marks in order, in every mix of classes and starters", () => {
    const random = new Random(91);
    const marks = [
      ..."\u0301\u0323\u0308\u0334\u0345\u05b0\u05c1\u0f71\u0f72\u0f73\u0f74\u0344\u0340\u034f\u093c\u0903\u20d0\u{1d165}\u{1d16e}\u3099\u0327\u0328",
    ];
    for (let round = 0; round < 300; round++) {
      const some = Array.from({ length: random.between(1, 6) }, () => random.pick(marks));
      const run = Array.from({ length: random.between(60, 400) }, () => random.pick(some)).join("");
      const text = random.pick(["", "a", "\u1e63", "\u0915", "x "]) + run + random.pick(["", "b", " \u0301"]);
      expect(normalizeNfc(text)).toBe(official.normalizeString(text));
    }
  });

  it("does so in linear time: what took minutes takes no time that counts", { timeout: 30_000 }, () => {
    const text = `a${"\u0301\u0323\u0334".repeat(400_000)}`;
    expect(normalizeNfc(text)).toBe(
      `\u1ea1${"\u0334".repeat(400_000)}${"\u0323".repeat(399_999)}${"\u0301".repeat(400_000)}`,
    );
  });

  it("is only needed where it is said to be", { timeout: 60_000 }, () => {
    const wrong: string[] = [];
    for (let point = 0; point < 0x11_0000; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      const units = Uint16Array.from(character.split(""), (unit) => unit.charCodeAt(0));
      if (!mayChangeInNfc(units, 0, units.length) && official.normalizeString(character) !== character) {
        wrong.push(point.toString(16));
      }
    }
    expect(wrong).toEqual([]);
  });
});

function textOfBlock(block: number): string {
  let text = "";
  for (let point = block; point < block + 64; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    for (const context of contexts) text += `${context(String.fromCodePoint(point))}\n`;
  }
  return text;
}
