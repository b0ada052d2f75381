import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asciiText, safeText } from "../../../src/top/safe-text.ts";

describe("text from elsewhere", () => {
  it.each([
    ["gpu-0", "gpu-0"],
    ["\u001b[2J", "␛[2J"],
    ["a\r\nb\tc", "a␍␊b␉c"],
    ["\u009b31m", "�31m"],
    ["\u007f", "␡"],
    ["a\u202eb", "a�b"],
    ["a\u200bb", "a�b"],
    ["\u2028", "�"],
    ["\ud800", "�"],
    ["漢字 é 👩‍👧", "漢字 é 👩‍👧"],
    ["\u200dx", "�x"],
  ])("%j is shown as %s", (text, shown) => {
    expect(safeText(text)).toBe(shown);
  });

  it("holds nothing that moves a cursor, whatever it was", () => {
    const acting = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]/u;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(safeText(text)).not.toMatch(acting);
        expect(asciiText(text)).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});
