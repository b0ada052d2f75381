import {
  anyObject,
  type Field,
  FieldError,
  flag,
  float64,
  i64,
  isList,
  type JsonObject,
  type JsonValue,
  listOf,
  oneOf,
  optional,
  type Reader,
  recordOf,
  required,
  struct,
  text,
  u32,
  u64,
  withDefault,
} from "../json/index.ts";
import type { JsonSchema } from "./json-schema.ts";

/** How a value of a body is read, and what the document says of it: one declaration for both. */
export interface Shape<T> {
  readonly read: Reader<T>;
  readonly schema: JsonSchema;
}

/** A member of an object. */
export interface Member<T> {
  readonly field: Field<T>;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export type Members = Readonly<Record<string, Member<unknown>>>;

/** What an object of these members reads. */
export type ObjectOf<M extends Members> = { readonly [K in keyof M]: M[K] extends Member<infer T> ? T : never };

/** A string of at most `maxLength` UTF-16 units. */
export function textShape(maxLength: number, minLength = 0): Shape<string> {
  const read: Reader<string> = (value, duplicates) => {
    const read = text(value, duplicates);
    if (read.length > maxLength) throw new FieldError(`must have at most ${maxLength} characters`);
    if (read.length < minLength) throw new FieldError(`must have at least ${minLength} characters`);
    return read;
  };
  return { read, schema: { type: "string", maxLength, ...(minLength === 0 ? {} : { minLength }) } };
}

export const flagShape: Shape<boolean> = { read: flag, schema: { type: "boolean" } };
export const u32Shape: Shape<number> = { read: u32, schema: { type: "integer", minimum: 0, maximum: 0xffff_ffff } };
/** Exact: clients need a reader that keeps integers beyond 2^53. */
export const u64Shape: Shape<bigint> = { read: u64, schema: { type: "integer", format: "uint64", minimum: 0 } };
export const i64Shape: Shape<bigint> = { read: i64, schema: { type: "integer", format: "int64" } };
/** Any object, as it is. */
export const anyObjectShape: Shape<JsonObject> = { read: anyObject, schema: { type: "object" } };

/** A finite number in [least, most]. */
export function numberShape(least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): Shape<number> {
  const read: Reader<number> = (value, duplicates) => {
    const number = float64(value, duplicates);
    if (Number.isFinite(number) && number >= least && number <= most) return number;
    throw new FieldError(rangeProblem(least, most));
  };
  return {
    read,
    schema: {
      type: "number",
      ...(Number.isFinite(least) ? { minimum: least } : {}),
      ...(Number.isFinite(most) ? { maximum: most } : {}),
    },
  };
}

function rangeProblem(least: number, most: number): string {
  if (Number.isFinite(most)) return `must be between ${least} and ${most}`;
  return Number.isFinite(least) ? `must be a finite number >= ${least}` : "must be a finite number";
}

export function wordShape<const W extends string>(...words: readonly W[]): Shape<W> {
  return { read: oneOf(...words), schema: { type: "string", enum: words } };
}

/** A list of at most `maxItems`, whose number is looked at before its items are. */
export function listShape<T>(item: Shape<T>, maxItems: number): Shape<readonly T[]> {
  const readItems = listOf(item.read);
  const read: Reader<readonly T[]> = (value, duplicates) => {
    if (isList(value) && value.length > maxItems) throw new FieldError(`must have at most ${maxItems} items`);
    return readItems(value, duplicates);
  };
  return { read, schema: { type: "array", maxItems, items: item.schema } };
}

/** An object with free keys of at most `maxKeyLength` characters and equally shaped values, at most `maxItems` of them. */
export function mapShape<T>(value: Shape<T>, maxItems: number, maxKeyLength = 256): Shape<ReadonlyMap<string, T>> {
  const readMembers = recordOf(value.read);
  const read: Reader<ReadonlyMap<string, T>> = (json, duplicates) => {
    const object = anyObject(json, duplicates);
    if (object.size > maxItems) throw new FieldError(`must have at most ${maxItems} members`);
    for (const key of object.keys()) {
      if (key.length > maxKeyLength) throw new FieldError(`must have keys of at most ${maxKeyLength} characters`);
    }
    return readMembers(object, duplicates);
  };
  return { read, schema: { type: "object", maxProperties: maxItems, additionalProperties: value.schema } };
}

/** A value or null. */
export function orNull<T>(shape: Shape<T>): Shape<T | undefined> {
  return {
    read: (value, duplicates) => (value === null ? undefined : shape.read(value, duplicates)),
    schema: { anyOf: [shape.schema, { type: "null" }] },
  };
}

/** A value that a shape reads and then turns into another one. */
export function mapped<A, B>(shape: Shape<A>, turn: (value: A) => B): Shape<B> {
  return { read: (value, duplicates) => turn(shape.read(value, duplicates)), schema: shape.schema };
}

/** A member that must be there. */
export function must<T>(shape: Shape<T>, description: string): Member<T> {
  return { field: required(shape.read), schema: { ...shape.schema, description }, isRequired: true };
}

/** A member that may be absent or null. */
export function may<T>(shape: Shape<T>, description: string): Member<T | undefined> {
  return { field: optional(shape.read), schema: { ...shape.schema, description }, isRequired: false };
}

/** A member that may be absent, but not null. @param shown the default as the document shows it; absent = `fallback` */
export function otherwise<T>(shape: Shape<T>, fallback: T, description: string, shown: unknown = fallback): Member<T> {
  const schema = { ...shape.schema, description, ...(shown === undefined ? {} : { default: shown }) };
  return { field: withDefault(shape.read, fallback), schema, isRequired: false };
}

/** @param unknown whether other keys are dropped or refused; default dropped */
export function objectShape<M extends Members>(members: M, unknown: "drop" | "refuse" = "drop"): Shape<ObjectOf<M>> {
  const fields = Object.fromEntries(Object.entries(members).map(([name, { field }]) => [name, field]));
  const read = struct(fields, unknown === "refuse" ? { unknown } : {}) as Reader<unknown>;
  const requiredNames = Object.entries(members).flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  return {
    read: (value: JsonValue, duplicates) => read(value, duplicates) as ObjectOf<M>,
    schema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
      ...(requiredNames.length === 0 ? {} : { required: requiredNames }),
      ...(unknown === "refuse" ? { additionalProperties: false } : {}),
    },
  };
}
