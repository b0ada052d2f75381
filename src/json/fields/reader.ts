import { JsonNumber } from "../json-number.ts";
import { JsonObject } from "../json-object.ts";
import type { JsonValue } from "../json-value.ts";
import { FieldError } from "./field-error.ts";

/** Of a repeated known key: refused where the frontend reads straight from the text, the last stands where it reads from a value tree. */
export type DuplicateKeys = "refuse" | "last";

/** Checks a value and gives it its type. Throws `FieldError`. */
export type Reader<T> = (value: JsonValue, duplicates: DuplicateKeys) => T;

export const text: Reader<string> = (value) => {
  if (typeof value !== "string") throw new FieldError("must be a string");
  return value;
};

export const flag: Reader<boolean> = (value) => {
  if (typeof value !== "boolean") throw new FieldError("must be a boolean");
  return value;
};

/** Any JSON, as it is. */
export const anyValue: Reader<JsonValue> = (value) => value;

export const anyObject: Reader<JsonObject> = (value) => {
  if (!(value instanceof JsonObject)) throw new FieldError("must be an object");
  return value;
};

export const u8 = integerBetween(0, 0xff);
export const u32 = integerBetween(0, 0xffff_ffff);
export const i32 = integerBetween(-0x8000_0000, 0x7fff_ffff);
export const u64 = bigIntegerBetween(0n, (1n << 64n) - 1n);
export const i64 = bigIntegerBetween(-(1n << 63n), (1n << 63n) - 1n);

/** A number rounded to single precision, in which the frontend compares its limits. */
export const float32: Reader<number> = (value) => Math.fround(float64(value, "refuse"));

export const float64: Reader<number> = (value) => {
  if (!(value instanceof JsonNumber)) throw new FieldError("must be a number");
  return value.toNumber();
};

/** An integer in [least, most], both exact as doubles. `1.0`, `1e2` and `-0` are not integers to the frontend. */
function integerBetween(least: number, most: number): Reader<number> {
  return (value) => {
    if (isPlainInteger(value)) {
      const number = value.toNumber();
      if (number >= least && number <= most) return number;
    }
    throw new FieldError(`must be an integer between ${least} and ${most}`);
  };
}

function bigIntegerBetween(least: bigint, most: bigint): Reader<bigint> {
  return (value) => {
    // 20 digits and a sign hold every 64-bit integer; a longer lexeme is not worth a big conversion.
    if (isPlainInteger(value) && value.lexeme.length <= 21) {
      const number = value.toBigInt();
      if (number >= least && number <= most) return number;
    }
    throw new FieldError(`must be an integer between ${least} and ${most}`);
  };
}

function isPlainInteger(value: JsonValue): value is JsonNumber {
  return value instanceof JsonNumber && value.isInteger && value.lexeme !== "-0";
}

/** One of the given words. */
export function oneOf<const W extends string>(...words: readonly W[]): Reader<W> {
  return (value) => {
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw new FieldError(`must be one of ${words.join(", ")}`);
    return word;
  };
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** An array of equally typed items. */
export function listOf<T>(read: Reader<T>): Reader<readonly T[]> {
  return (value, duplicates) => {
    if (!isList(value)) throw new FieldError("must be an array");
    let at = 0;
    try {
      const items: T[] = [];
      for (; at < value.length; at++) items.push(read(value[at] as JsonValue, duplicates));
      return items;
    } catch (error) {
      throw error instanceof FieldError ? error.within(at) : error;
    }
  };
}

/** An object with free keys and equally typed values. Repeated keys are never refused here: the last value stands. */
export function recordOf<T>(read: Reader<T>): Reader<ReadonlyMap<string, T>> {
  return (value, duplicates) => {
    const record = new Map<string, T>();
    for (const [key, member] of anyObject(value, duplicates).entries()) {
      try {
        record.set(key, read(member, duplicates));
      } catch (error) {
        throw error instanceof FieldError ? error.within(key.slice(0, MAX_NAMED_KEY)) : error;
      }
    }
    return record;
  };
}

/** Longest part of a client's own key that an error repeats, in UTF-16 units. */
const MAX_NAMED_KEY = 64;

/** A string, or an array of parts. */
export function textOrList<T>(readItem: Reader<T>): Reader<string | readonly T[]> {
  const readList = listOf(readItem);
  return (value, duplicates) => {
    if (typeof value === "string") return value;
    if (!isList(value)) throw new FieldError("must be a string or an array");
    return readList(value, duplicates);
  };
}

/**
 * The first reader that takes the value. For rare fields only: a failed try costs an exception.
 * @param problem what to say when none does; absent, the first failure is told
 */
export function firstOf<A, B>(first: Reader<A>, second: Reader<B>, problem?: string): Reader<A | B> {
  return (value, duplicates) => {
    const failures: unknown[] = [];
    for (const read of [first, second]) {
      try {
        return read(value, duplicates);
      } catch (error) {
        if (!(error instanceof FieldError)) throw error;
        failures.push(error);
      }
    }
    throw problem === undefined ? failures[0] : new FieldError(problem);
  };
}
