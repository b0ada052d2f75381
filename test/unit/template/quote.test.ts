import { describe, expect, it } from "vitest";
import { rustQuote } from "../../../src/template/python/quote.ts";

// As the Dynamo 1.6.1 frontend prints a list of parts; each code point was compared once.
describe("a text in Rust's quotes", () => {
  it.each([
    { text: 'a "b" \\ \t\r\n\0', quoted: '"a \\"b\\" \\\\ \\t\\r\\n\\0"' },
    { text: "é 한 😀", quoted: '"é 한 😀"' },
    { text: "it's", quoted: '"it\'s"' },
    {
      name: "controls, format characters and spaces",
      text: "\u0001\u200d\u00a0\u2028",
      quoted: '"\\u{1}\\u{200d}\\u{a0}\\u{2028}"',
    },
    { name: "marks that extend a character", text: "e\u0301\uff9e", quoted: '"e\\u{301}\\u{ff9e}"' },
    { name: "characters of Unicode 16 and 17", text: "\u1c89\u0c5c\u{16ea0}", quoted: '"\u1c89\u0c5c\u{16ea0}"' },
    { name: "unassigned and private ones", text: "\u{51861}\ue000", quoted: '"\\u{51861}\\u{e000}"' },
  ])("$quoted", ({ text, quoted }) => {
    expect(rustQuote(text)).toBe(quoted);
  });
});
