import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { graphemes, textWidth } from "../../../src/top/cell-width.ts";

/** What Python's own table says of every character that has a place of its own: `code width` lines. */
const script = `
import unicodedata
for code in range(0x20, 0x110000):
    character = chr(code)
    if unicodedata.category(character) not in ("Cn", "Cs", "Cc", "Cf", "Co", "Mn", "Me", "Zl", "Zp"):
        print(code, 2 if unicodedata.east_asian_width(character) in "WF" else 1)
`;

/** Made wide by Unicode 16, which terminals and Pythons know or do not. Half of a flag is drawn as anything. */
function isUndecided(code: number): boolean {
  const ranges = [
    [0x2630, 0x2637],
    [0x268a, 0x268f],
    [0x4dc0, 0x4dff],
    [0x1d300, 0x1d37f],
    [0x1f1e6, 0x1f1ff],
  ];
  return ranges.some(([from = 0, to = 0]) => code >= from && code <= to);
}

describe("the width of text", () => {
  it("is for every character what Python's Unicode tables say", () => {
    const lines = execFileSync("python3", ["-c", script], { encoding: "utf8", maxBuffer: 1 << 26 })
      .trim()
      .split("\n");
    const differing = lines
      .map((line) => line.split(" ").map(Number) as [number, number])
      // Hangul's vowels and finals stand in their syllable.
      .filter(
        ([code]) => !isUndecided(code) && !(code >= 0x1160 && code <= 0x11ff) && !(code >= 0xd7b0 && code <= 0xd7ff),
      )
      .filter(([code, width]) => textWidth(String.fromCodePoint(code)) !== width);
    expect(lines.length).toBeGreaterThan(100_000);
    expect(differing).toEqual([]);
  });

  it.each([
    ["gpu-0", 5],
    ["", 0],
    ["é", 1],
    ["e\u0301", 1],
    ["漢字", 4],
    ["한국어", 6],
    ["\u1112\u1161\u11ab", 2],
    ["👩‍👩‍👧‍👦", 2],
    ["🇨🇭", 2],
    ["☀", 1],
    ["☀\ufe0f", 2],
    ["1\ufe0f\u20e3", 2],
    ["नमस्ते", 4],
  ])("of %s is %d", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it("gives a mark without a letter one to stand over", () => {
    expect(graphemes("\u0301")).toEqual([{ text: "\u25cc\u0301", width: 1 }]);
  });
});
