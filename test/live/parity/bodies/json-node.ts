import type { Chance } from "./chance.ts";

/** JSON that keeps what JavaScript's values cannot: the order and repetition of keys, and how a number is written. */
export type JsonNode =
  | { readonly kind: "object"; readonly members: readonly (readonly [key: string, value: JsonNode])[] }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "text"; readonly text: string }
  | Lexeme;

/** Written as it stands: a number, a word, or a string with escapes of its own. */
export interface Lexeme {
  readonly kind: "lexeme";
  readonly lexeme: string;
}

/** What {@link node} takes: JSON's values, nodes among them, and undefined for a member that is left out. */
export type NodeSource =
  | JsonNode
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly NodeSource[]
  | { readonly [key: string]: NodeSource };

export function lexeme(text: string): Lexeme {
  return { kind: "lexeme", lexeme: text };
}

/** Members in this order; for keys that are repeated or look like integers. */
export function members(entries: readonly (readonly [string, NodeSource])[]): JsonNode {
  return { kind: "object", members: entries.map(([key, value]) => [key, node(value)] as const) };
}

export function node(source: NodeSource): JsonNode {
  if (typeof source === "string") return { kind: "text", text: source };
  if (typeof source !== "object" || source === null) return lexeme(String(source));
  if (isList(source)) return { kind: "array", items: source.map(node) };
  if (isNode(source)) return source;
  return members(Object.entries(source).filter(([, value]) => value !== undefined));
}

function isList(source: object): source is readonly NodeSource[] {
  return Array.isArray(source);
}

function isNode(source: object): source is JsonNode {
  return "kind" in source;
}

/** How a body is spelled, without a difference in what it says. */
export interface Spelling {
  /** Between tokens. */
  readonly space: string;
  /** Whether characters beyond ASCII are written as `\uXXXX`. */
  readonly escapes: boolean;
  /** Whether every letter of a key is. */
  readonly keyEscapes?: boolean;
}

/** A change of a body's text, after which it mostly is no JSON. */
export interface Damage {
  /** Share of the text before it, 0 to 1. */
  readonly at: number;
  /** Characters that are lost there. */
  readonly lost: number;
  readonly put: string;
}

const crumbs = [
  ...'{}[]",:\\-+.eE019u\0\n\u001f /\u007f'.split(""),
  ...[
    "\\ud800",
    "\\udc00",
    "\\ud83d\\ude00",
    "tru",
    "nul",
    "\\x",
    "\\u12",
    "1.",
    "",
    '""',
    "{}",
    "//",
    "\ufeff",
    "\u00a0",
    "\u2028",
  ],
];

export function anyDamage(chance: Chance): Damage {
  return { at: chance.integer(0, 10_000) / 10_000, lost: chance.integer(0, 2), put: chance.pick(crumbs) };
}

export function damagedText(text: string, damage: Damage | undefined): string {
  if (damage === undefined) return text;
  const characters = [...text];
  characters.splice(Math.floor(damage.at * characters.length), damage.lost, damage.put);
  return characters.join("");
}

export const plainSpelling: Spelling = { space: "", escapes: false };

export function anySpelling(chance: Chance): Spelling {
  const space = chance.pick(["", "", "", " ", "\n  ", "\t", "\r\n"]);
  return { space, escapes: chance.is(0.2), keyEscapes: chance.is(0.03) };
}

export function write(value: JsonNode, spelling: Spelling = plainSpelling): string {
  const { space } = spelling;
  switch (value.kind) {
    case "lexeme":
      return value.lexeme;
    case "text":
      return quoted(value.text, spelling);
    case "array":
      return `[${value.items.map((item) => space + write(item, spelling)).join(",")}${space}]`;
    case "object": {
      const written = value.members.map(
        ([key, member]) => `${space}${quotedKey(key, spelling)}:${space}${write(member, spelling)}`,
      );
      return `{${written.join(",")}${space}}`;
    }
  }
}

function quotedKey(key: string, spelling: Spelling): string {
  const plain = quoted(key, spelling);
  // A backslash begins an escape already.
  return spelling.keyEscapes === true && !plain.includes("\\") ? plain.replaceAll(/[^"]/gu, codeUnitEscapes) : plain;
}

function quoted(text: string, { escapes }: Spelling): string {
  const json = JSON.stringify(text);
  if (!escapes) return json;
  return json
    .replaceAll(/[\u{80}-\u{ffff}/]/gu, codeUnitEscapes)
    .replaceAll(/[\u{10000}-\u{10ffff}]/gu, codeUnitEscapes);
}

function codeUnitEscapes(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
