import { describe, expect, it } from "vitest";
import { orjson } from "../../../src/api/engine/sglang/sglang-arguments.ts";
import { JsonNumber, JsonObject } from "../../../src/json/index.ts";

/** As Python prints what `orjson.loads` gives. */
const observed = [
  ["18446744073709551615", "18446744073709551615"],
  ["18446744073709551616", "1.8446744073709552e+19"],
  ["-9223372036854775808", "-9223372036854775808"],
  ["-9223372036854775809", "-9.223372036854776e+18"],
  ["123456789012345678901234567890", "1.2345678901234568e+29"],
] as const;

describe("orjson", () => {
  it.each(observed)("reads %s", (text, expected) => {
    const value = orjson(`{"a":[${text}]}`);
    const list = value instanceof JsonObject ? value.get("a") : undefined;
    const [number] = Array.isArray(list) ? list : [];
    expect(number instanceof JsonNumber ? number.lexeme : undefined).toBe(expected);
  });

  it.each(["1e400", `1${"0".repeat(400)}`])("has no number for %s", (text) => {
    expect(() => orjson(text)).toThrow("a number beyond a double");
  });
});
