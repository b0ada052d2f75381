import { JsonObject } from "../json-object.ts";
import type { JsonValue } from "../json-value.ts";
import { ownStart } from "../own-string.ts";
import { FieldError } from "./field-error.ts";
import { anyObject, type DuplicateKeys, isList, type Reader } from "./reader.ts";

/** One member of a typed object. */
export interface Field<T> {
  readonly read: (value: JsonValue | undefined, duplicates: DuplicateKeys) => T;
  /** Other names for it; two of them at once are a duplicate. */
  readonly aliases: readonly string[];
  /** An absent member is left out; else `read` says what it means. */
  readonly leftOut?: true;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What a struct of these fields reads: absent members are undefined. */
export type StructOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Must be there. */
export function required<T>(read: Reader<T>, ...aliases: readonly string[]): Field<T> {
  return {
    read: (value, duplicates) => {
      if (value === undefined) throw new FieldError("is required");
      return read(value, duplicates);
    },
    aliases,
  };
}

/** May be absent or null, which mean the same: undefined, and not written again. */
export function optional<T>(read: Reader<T>, ...aliases: readonly string[]): Field<T | undefined> {
  return {
    read: (value, duplicates) => (value === undefined || value === null ? undefined : read(value, duplicates)),
    aliases,
    leftOut: true,
  };
}

/** May be absent or null; written again as null. */
export function nullable<T>(read: Reader<T>): Field<T | null> {
  return {
    read: (value, duplicates) => (value === undefined || value === null ? null : read(value, duplicates)),
    aliases: [],
  };
}

/** May be absent, but not null. */
export function withDefault<T>(read: Reader<T>, fallback: T): Field<T> {
  return { read: (value, duplicates) => (value === undefined ? fallback : read(value, duplicates)), aliases: [] };
}

/** May be absent or null, which mean `fallback`. */
export function nullDefault<T>(read: Reader<T>, fallback: T): Field<T> {
  return {
    read: (value, duplicates) => (value === undefined || value === null ? fallback : read(value, duplicates)),
    aliases: [],
  };
}

/** How a struct differs from the usual one. */
export interface StructOptions {
  /** Refuses unknown keys instead of dropping them. */
  readonly unknown?: "refuse";
  /** Also takes an array that gives the first members in order, as serde does for structs whose members all have defaults. */
  readonly positional?: boolean;
}

interface Member {
  readonly name: string;
  readonly field: Field<unknown>;
  /** Its place in the order of the struct. */
  readonly at: number;
}

/**
 * A typed object: its members in the order of `fields` (which is the order they are written again in), unknown keys dropped. Costs
 * by the members that are there: of the 60 that a chat body may have, five are.
 */
export function struct<F extends Fields>(fields: F, options: StructOptions = {}): Reader<StructOf<F>> {
  const members = Object.entries(fields).map(([name, field], at) => ({ name, field, at }));
  const byKey = new Map(
    members.flatMap((member) => [member.name, ...member.field.aliases].map((key) => [key, member])),
  );
  const neverLeftOut = members.filter(({ field }) => field.leftOut !== true);
  return (value, duplicates) => {
    const object =
      options.positional === true && isList(value) ? byPosition(fields, value) : anyObject(value, duplicates);
    if (duplicates === "refuse") refuseDuplicates(object, byKey);
    if (options.unknown === "refuse") refuseUnknown(object, byKey);
    const result: Record<string, unknown> = {};
    for (const { name, field } of membersToRead(object, byKey, neverLeftOut)) {
      const read = readMember(object, name, field, duplicates);
      if (read !== undefined) result[name] = read;
    }
    return result as StructOf<F>;
  };
}

/** The members that are there, and those that mean something when they are not; in the struct's order. */
function membersToRead(
  object: JsonObject,
  byKey: ReadonlyMap<string, Member>,
  neverLeftOut: readonly Member[],
): readonly Member[] {
  const found = neverLeftOut.slice();
  for (let index = 0; index < object.size; index++) {
    const member = byKey.get(object.keyAt(index));
    if (member === undefined) continue;
    let place = found.length;
    while (place > 0 && (found[place - 1] as Member).at > member.at) place--;
    if (found[place - 1] !== member) found.splice(place, 0, member);
  }
  return found;
}

function readMember<T>(object: JsonObject, name: string, field: Field<T>, duplicates: DuplicateKeys): T {
  try {
    return field.read(memberOf(object, name, field.aliases), duplicates);
  } catch (error) {
    throw error instanceof FieldError ? error.within(name) : error;
  }
}

function byPosition(fields: Fields, values: readonly JsonValue[]): JsonObject {
  const names = Object.keys(fields);
  if (values.length > names.length) throw new FieldError("must be an object");
  return JsonObject.from(values.map((value, at) => [names[at] as string, value]));
}

/** A struct chosen by a word in one of its own members; that member comes first in the result. */
export function tagged<T extends object>(tag: string, variants: Readonly<Record<string, Reader<T>>>): Reader<T> {
  const words = Object.keys(variants);
  const known = new Set([tag]);
  return (value, duplicates) => {
    const object = anyObject(value, duplicates);
    if (duplicates === "refuse") refuseDuplicates(object, known);
    const word = object.get(tag);
    if (word === undefined) throw new FieldError("is required", tag);
    const read = typeof word === "string" && Object.hasOwn(variants, word) ? variants[word] : undefined;
    if (read === undefined) throw new FieldError(`must be one of ${words.join(", ")}`, tag);
    return { [tag]: word, ...read(value, duplicates) };
  };
}

function memberOf(object: JsonObject, name: string, aliases: readonly string[]): JsonValue | undefined {
  if (aliases.length === 0) return object.get(name);
  const given = [name, ...aliases].filter((key) => object.has(key));
  if (given.length > 1) throw new FieldError(`and \`${given[1]}\` are the same field: give one of them`);
  return given[0] === undefined ? undefined : object.get(given[0]);
}

/** Something that knows keys: a set of them, or a map from them. */
interface KnownKeys {
  has(key: string): boolean;
}

function refuseDuplicates(object: JsonObject, known: KnownKeys): void {
  const repeated = object.duplicateKeys.find((key) => known.has(key));
  if (repeated !== undefined) throw new FieldError("is given twice", repeated);
}

function refuseUnknown(object: JsonObject, known: KnownKeys): void {
  for (const key of object.keys()) {
    if (!known.has(key)) throw new FieldError("is not a known field", ownStart(key, 64));
  }
}
