import { nfcNormalizer } from "tokenizers";
import { describe, expect, it } from "vitest";
import { mayChangeInNfc, normalizeNfc } from "../../../src/tokenizer/nfc.ts";

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

  it("is only needed where it is said to be", { timeout: 60_000 }, () => {
    const wrong: string[] = [];
    for (let point = 0; point < 0x11_0000; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      const units = Uint16Array.from(character.split(""), (unit) => unit.charCodeAt(0));
      if (!mayChangeInNfc(units, units.length) && official.normalizeString(character) !== character) {
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
