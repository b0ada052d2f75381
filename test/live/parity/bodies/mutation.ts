import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, members, node } from "./json-node.ts";

/** What a member is replaced by: other types, other spellings, and strings that JSON cannot hold. */
const strangers: readonly JsonNode[] = [
  ...[null, true, false, 0, 1, -1, "", "x", " ", "auto", "none"].map(node),
  ...[[], ["a"], [1], [[]], [null], {}, { a: 1 }, { type: "text" }, { type: "function" }].map(node),
  ...[
    "-0",
    "-0.0",
    "1.0",
    "3.5",
    "1e2",
    "5e9",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "01",
    "+1",
    ".5",
    "NaN",
  ].map(lexeme),
  ...['"\\ud800"', '"\\udc00\\ud800"', '"\\x"', '"\t"', '"\\\t"', '"\\u0000"', "'x'", "", "undefined"].map(lexeme),
  ...['"\\ud83d\\ude00"', '"\\uD83d\\u0041"', '"\\u12"', '"\\/"', '"\\u2028"', '"a" "b"', '"'].map(lexeme),
  ...["nul", "True", "-", "1.", "1e", "1e+", "0x1", "--1", "Infinity", "1_000", "00", "-01", "1 2"].map(lexeme),
  ...["[1,]", "[,]", '{"a":1,}', "{a:1}", "[1 2]", "]", "}", "1,", "1/*c*/", "1//c\n", "\u00a01", "\ufeff1"].map(
    lexeme,
  ),
  ...["1e308", "-1e309", "1e-400", "123456789012345678901234567890", "0.1e1", "1E5", "-9223372036854775809"].map(
    lexeme,
  ),
  ...["[[", "[", '{"a":'].flatMap((open) => [60, 120, 124, 126, 128].map((depth) => lexeme(deep(open, depth)))),
];

/** Values in each other. */
function deep(open: string, depth: number): string {
  const close = open.replaceAll("[", "]").replace('{"a":', "}");
  return `${open.repeat(depth)}${open.endsWith(":") ? "1" : ""}${close.repeat(depth)}`;
}

/** The tree with one place changed: a member dropped, renamed, repeated, added or replaced. */
export function mutated(root: JsonNode, chance: Chance): JsonNode {
  return mutateAt(root, chance.integer(0, placesIn(root) - 1), chance);
}

/** Values in the tree, the root included. */
function placesIn(value: JsonNode): number {
  if (value.kind === "object") return value.members.reduce((sum, [, member]) => sum + placesIn(member), 1);
  return value.kind === "array" ? value.items.reduce((sum, item) => sum + placesIn(item), 1) : 1;
}

function mutateAt(value: JsonNode, place: number, chance: Chance): JsonNode {
  if (place === 0) return mutatedHere(value, chance);
  let before = 1;
  const step = (child: JsonNode): JsonNode => {
    const at = place - before;
    const places = placesIn(child);
    before += places;
    return at >= 0 && at < places ? mutateAt(child, at, chance) : child;
  };
  if (value.kind === "object") return members(value.members.map(([key, member]) => [key, step(member)] as const));
  return value.kind === "array" ? { kind: "array", items: value.items.map(step) } : value;
}

function mutatedHere(value: JsonNode, chance: Chance): JsonNode {
  const stranger = () => chance.pick(strangers);
  if (value.kind === "array") {
    const at = chance.integer(0, value.items.length);
    const keep = chance.is(0.5) ? at : at + 1;
    return { kind: "array", items: [...value.items.slice(0, at), stranger(), ...value.items.slice(keep)] };
  }
  if (value.kind !== "object" || value.members.length === 0) return stranger();
  const entry = chance.pick(value.members);
  const [key, member] = entry;
  const others = value.members.filter((one) => one !== entry);
  return chance.oneOf<JsonNode>(
    [2, () => members(others)],
    [3, () => members(value.members.map((one) => (one === entry ? ([key, stranger()] as const) : one)))],
    [2, () => members([...value.members, [key, chance.is(0.5) ? member : stranger()]])],
    [1, () => members([...others, [key.toUpperCase(), member]])],
    [1, () => members([["unheard_of", stranger()], ...value.members])],
    [1, () => members(value.members.toReversed())],
  );
}
