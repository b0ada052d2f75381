import { describe, expect, it } from "vitest";
import { ownStart, ownString } from "../../../src/json/index.ts";

// Whether they keep what they are parts of alive is seen where they are used: tokenizer/retention.test.ts, telemetry/refusal-log.test.ts.
describe("texts that own their characters", () => {
  it.each([
    "",
    "short",
    "x".repeat(100),
    "grüße ".repeat(20),
    "\u4f60\u597d ".repeat(20),
    "half \ud83d of a pair ".repeat(4),
  ])("are equal to %j", (text) => {
    expect(ownString(text)).toBe(text);
    expect(ownStart(text, text.length)).toBe(text);
  });

  it("begin as the whole does", () => {
    expect(ownStart("a text of more than thirteen", 20)).toBe("a text of more than ");
  });
});
