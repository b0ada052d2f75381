import { JsonObject, type JsonValue } from "../json/index.ts";
import { classSpecials } from "./class-specials.ts";
import { asList, asShape, type Shape } from "./json-shape.ts";
import type { AddedToken } from "./special-tokens.ts";

/** Names under which tokenizer_config.json declares special tokens, in the order in which they are added. */
const specialNames = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/**
 * The tokens that transformers 5 adds to a tokenizer, in order (transformers@5.24.0 tokenization_utils_base.py _from_pretrained,
 * tokenization_utils_tokenizers.py __init__): those that tokenizer_config.json lists, or else tokenizer.json, by their ids; then the special ones that
 * are not among them.
 * @param className one that makes its own of the file, undefined for the generic one
 */
export function transformers5Tokens(
  file: Shape,
  config: JsonObject | undefined,
  className: string | undefined,
): readonly AddedToken[] {
  const listed = listedTokens(file, config);
  const byContent = new Map(listed.map((token) => [token.content, token]));
  const { defaults, extras = [], readdsSpecials = false } = classSpecials(className);
  const named = namedValues(config, defaults).flatMap((value) => asSpecial(value, byContent) ?? []);
  const more = [...extraValues(config), ...extras].flatMap((value) => asSpecial(value, byContent) ?? []);
  const known = new Set(className === undefined ? contentsOf(file) : []);
  for (const { content } of listed) known.add(content);
  const added: AddedToken[] = [];
  for (const token of [...named, ...more]) {
    if (known.has(token.content)) continue;
    known.add(token.content);
    added.push(token);
  }
  const again = readdsSpecials ? [...named, ...more].map(({ content }) => plainSpecial(content)) : [];
  return [...listed, ...added, ...again];
}

function listedTokens(file: Shape, config: JsonObject | undefined): readonly AddedToken[] {
  const declared = config?.get("added_tokens_decoder");
  const entries = declared instanceof JsonObject ? declaredEntries(declared) : fileEntries(file);
  const byId = new Map<number, AddedToken>();
  // Of equal ids the last counts.
  for (const [id, token] of entries) if (token !== undefined) byId.set(id, token);
  return [...byId].sort(([a], [b]) => a - b).map(([, token]) => token);
}

type Entry = readonly [id: number, token: AddedToken | undefined];

function declaredEntries(declared: JsonObject): readonly Entry[] {
  return [...declared.entries()].map(([id, entry]) => [
    Number(id),
    entry instanceof JsonObject ? tokenOf((name) => entry.get(name)) : undefined,
  ]);
}

function fileEntries(file: Shape): readonly Entry[] {
  return asList(file["added_tokens"] ?? [], "added_tokens").map((entry) => {
    const shape = asShape(entry, "added_tokens");
    return [Number(shape["id"]), tokenOf((name) => shape[name])];
  });
}

/** A token with flags; undefined when it has no text. */
function tokenOf(member: (name: string) => unknown): AddedToken | undefined {
  const content = member("content");
  if (typeof content !== "string") return undefined;
  const special = member("special") === true;
  const normalized = member("normalized");
  return {
    content,
    special,
    singleWord: member("single_word") === true,
    leftStrip: member("lstrip") === true,
    rightStrip: member("rstrip") === true,
    normalized: typeof normalized === "boolean" ? normalized : !special,
  };
}

/** Values of the standard names, then of others that end like them, then of a dictionary of names. */
function namedValues(
  config: JsonObject | undefined,
  defaults: Readonly<Record<string, string>>,
): readonly (JsonValue | undefined)[] {
  const standard = specialNames.map((name) => (config?.has(name) === true ? config.get(name) : defaults[name]));
  const own = [...(config?.entries() ?? [])].filter(
    ([name, value]) => name.endsWith("_token") && !specialNames.includes(name) && typeof value !== "boolean",
  );
  const extra = config?.get("extra_special_tokens");
  const dictionary = extra instanceof JsonObject ? [...extra.entries()].map(([, value]) => value) : [];
  return [...standard, ...own.map(([, value]) => value), ...dictionary];
}

function extraValues(config: JsonObject | undefined): readonly JsonValue[] {
  const extra = config?.get("extra_special_tokens");
  const values = Array.isArray(extra) && extra.length > 0 ? extra : config?.get("additional_special_tokens");
  return Array.isArray(values) ? (values as readonly JsonValue[]) : [];
}

/** A special token given by its text, or with flags; one that is listed has the flags of the list. */
function asSpecial(value: JsonValue | undefined, listed: ReadonlyMap<string, AddedToken>): AddedToken | undefined {
  const token =
    value instanceof JsonObject
      ? tokenOf((name) => value.get(name))
      : typeof value === "string"
        ? plainSpecial(value)
        : undefined;
  return token && { ...(listed.get(token.content) ?? token), special: true };
}

function plainSpecial(content: string): AddedToken {
  return { content, special: true, singleWord: false, leftStrip: false, rightStrip: false, normalized: false };
}

function contentsOf(file: Shape): readonly string[] {
  return asList(file["added_tokens"] ?? [], "added_tokens").map((token) =>
    String(asShape(token, "added_tokens")["content"]),
  );
}
