import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, node } from "./json-node.ts";

/** Values of other types, and other spellings of values. */
const odd: readonly JsonNode[] = [
  ...[null, true, false, 0, 1, -1, 5, "", "x", " ", "auto", "none", "function", "text", "user", "5", "true"].map(node),
  ...[[], ["a"], [1], [[]], [null], [{}], {}, { a: 1 }, { type: "text" }, { type: "function" }, { name: "f" }].map(
    node,
  ),
  ...["-0", "-0.0", "1.0", "3.5", "1e2", "5e9", "255", "256", "2147483648", "4294967295", "4294967296"].map(lexeme),
  ...["18446744073709551615", "18446744073709551616", "-9223372036854775809", "1e308", "1e-400", "0.1e1"].map(lexeme),
  ...['"\\u0000"', '"\\ud83d\\ude00"', '"\\/"', '"\\u2028"', '"\\u0061"', "123456789012345678901234567890"].map(lexeme),
  ...["[[", "[", '{"a":'].flatMap((open) => [60, 120, 124, 126].map((depth) => lexeme(deep(open, depth)))),
];

/** What is no JSON, or none that everybody takes. */
const broken: readonly JsonNode[] = [
  ...["1e400", "-1e309", "01", "+1", ".5", "NaN", "nul", "True", "-", "1.", "1e", "1e+", "0x1", "--1", "00"].map(
    lexeme,
  ),
  ...["Infinity", "1_000", "-01", "1 2", "'x'", "", "undefined", "1,", "1/*c*/", "1//c\n", "\u00a01"].map(lexeme),
  ...["[1,]", "[,]", '{"a":1,}', "{a:1}", "[1 2]", "]", "}", "\ufeff1", '"a" "b"', '"'].map(lexeme),
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\x"', '"\t"', '"\\\t"', '"\\uD83d\\u0041"', '"\\u12"'].map(lexeme),
  ...["[[", "[", '{"a":'].map((open) => lexeme(deep(open, 130))),
];

/** Values in each other. */
function deep(open: string, depth: number): string {
  const close = open.replaceAll("[", "]").replace('{"a":', "}");
  return `${open.repeat(depth)}${open.endsWith(":") ? "1" : ""}${close.repeat(depth)}`;
}

/** A value that stands where nobody expects it. */
export function stranger(chance: Chance): JsonNode {
  return chance.is(0.8) ? chance.pick(odd) : chance.pick(broken);
}
