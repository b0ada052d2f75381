import type { JsonObject, JsonValue } from "../../json/index.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";
import { FloatValue, MarkupValue, SequenceValue, type Value } from "./value.ts";

export type DictEntry = readonly [key: Value, value: Value];

/** What equal keys have in common: a string is its own, everything else is told apart from strings by its box. */
type Hash = string | number | bigint | null | undefined | typeof identity;

/** The hash of functions, iterators and other objects, which are equal to none but themselves. */
const identity = Symbol("identity");

/** An ordered dict with keys of any hashable type, or a JSON object that is read where it is. Never changed after it is made. */
export class DictValue {
  readonly kind = "dict";
  readonly #json: JsonObject | undefined;
  readonly #convert: (value: JsonValue) => Value;
  readonly #entries: Map<Hash, DictEntry> | undefined;
  /** Keyword arguments as minijinja hands them to a function. */
  readonly isKeywords: boolean;

  private constructor(
    json: JsonObject | undefined,
    convert: (value: JsonValue) => Value,
    entries: Map<Hash, DictEntry> | undefined,
    isKeywords: boolean,
  ) {
    this.#json = json;
    this.#convert = convert;
    this.#entries = entries;
    this.isKeywords = isKeywords;
  }

  /** @throws TemplateRefusal for a key that cannot be hashed */
  static of(entries: Iterable<DictEntry>, isKeywords = false): DictValue {
    const map = new Map<Hash, DictEntry>();
    for (const [key, value] of entries) {
      spend(4);
      const hash = hashOf(key);
      // Methods of one object are equal without being the same.
      if (hash === identity) throw new UnsupportedTemplateError("an object as a key");
      const known = map.get(hash);
      map.set(hash, known === undefined ? [key, value] : [known[0], value]);
    }
    return new DictValue(undefined, noConversion, map, isKeywords);
  }

  static ofJson(json: JsonObject, convert: (value: JsonValue) => Value): DictValue {
    return new DictValue(json, convert, undefined, false);
  }

  get size(): number {
    return this.#json?.size ?? this.#entries?.size ?? 0;
  }

  /** The member of a name; undefined when there is none. */
  get(name: string): Value {
    if (this.#json === undefined) return this.#entries?.get(name)?.[1];
    const value = this.#json.get(name);
    // Text, the most frequent, needs no conversion and keeps its identity.
    return typeof value === "string" || value === undefined ? value : this.#convert(value);
  }

  /** The member of a name, or what stands for one that is not there. */
  getOr(name: string, fallback: Value): Value {
    const value = this.get(name);
    if (value !== undefined) return value;
    return this.#json === undefined && this.has(name) ? value : fallback;
  }

  has(name: string): boolean {
    return this.#json?.has(name) ?? this.#entries?.has(name) ?? false;
  }

  /** @throws TemplateRefusal for a key that cannot be hashed */
  entryOf(key: Value): DictEntry | undefined {
    const hash = hashOf(key);
    if (this.#json === undefined) return this.#entries?.get(hash);
    return typeof hash === "string" && this.#json.has(hash) ? [key, this.get(hash)] : undefined;
  }

  keys(): Value[] {
    spend(this.size * 2);
    if (this.#json !== undefined) return [...this.#json.keys()];
    return this.entries().map(([key]) => key);
  }

  entries(): DictEntry[] {
    spend(this.size * 4);
    if (this.#json === undefined) return [...(this.#entries?.values() ?? [])];
    const entries: DictEntry[] = [];
    for (const [key, value] of this.#json.entries()) entries.push([key, this.#convert(value)]);
    return entries;
  }
}

function noConversion(): never {
  throw new TypeError("no JSON here");
}

/** Prefix of hashes that are made text: no key of a template holds it, since U+0000 is in no identifier of this kind. */
const box = "\0";

function hashOf(key: Value): Hash {
  if (typeof key === "string") return key;
  if (key instanceof MarkupValue) return key.text;
  if (typeof key === "boolean") return key ? 1 : 0;
  if (key instanceof FloatValue) return key.value;
  if (key === null || key === undefined || typeof key === "number" || typeof key === "bigint") return key;
  if (key instanceof SequenceValue && key.type === "tuple") {
    spend(key.items.length * 8);
    const hashes = key.items.map(hashOf);
    if (hashes.includes(identity)) return identity;
    return `${box}${hashes.map((hash) => `${typeof hash}:${String(hash)}`).join(box)}`;
  }
  // A range can be a key, but is never one.
  if (key instanceof SequenceValue && key.type === "range") return `${box}range`;
  if (isUnhashable(key)) throw new TemplateRefusal();
  return identity;
}

/** What Python can change, or compares by its members. */
function isUnhashable(key: Value): boolean {
  return key instanceof DictValue || (key instanceof SequenceValue && key.text !== "dict_values");
}
