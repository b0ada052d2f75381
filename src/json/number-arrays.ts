import type { Buffer } from "node:buffer";
import { FieldError } from "./fields/field-error.ts";
import { skipValue, visitMembers, without } from "./member-walk.ts";
import { readI64List, readU32List } from "./number-list.ts";

/** How a lifted array is read. */
export interface NumberArray {
  /** One u32 an item, or two of a signed 64-bit integer in two's complement, low first. */
  readonly kind: "u32" | "i64";
  readonly maxItems: number;
  /** Memory for a list that fits: the values are then valid until it is used again. Absent = each list has its own. */
  readonly scratch?: Uint32Array<ArrayBuffer>;
}

/** A body whose arrays of numbers were read straight from its bytes. */
export interface LiftedArrays {
  /** The body with an empty array in place of each lifted one; for `parseJson`, which checks all that was not lifted. */
  readonly rest: Buffer;
  readonly arrays: ReadonlyMap<string, Uint32Array>;
}

const OPEN_ARRAY = 0x5b;

/**
 * Reads the members of a body's outermost object that are arrays of integers without making a value of each item: 16,384 token
 * ids take a tenth of what a JSON parser takes (bench/route). A wanted member that is no array, and everything that is not
 * JSON, is left in `rest` for the parser to judge.
 * @param wanted members, by key
 * @throws FieldError for an item that is no such integer, a list that is too long, or a member that is given twice;
 *   JsonSyntaxError inside of a wanted array
 */
export function liftNumberArrays(
  body: Buffer,
  wanted: Readonly<Record<string, NumberArray | undefined>>,
): LiftedArrays {
  const arrays = new Map<string, Uint32Array>();
  const cuts: number[] = [];
  const take = (key: string, valueAt: number): number => {
    const array = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (array === undefined || body[valueAt] !== OPEN_ARRAY) return skipValue(body, valueAt);
    if (arrays.has(key)) throw new FieldError("is given twice", key);
    const { values, end } = readList(body, valueAt + 1, key, array);
    arrays.set(key, values);
    cuts.push(valueAt + 1, end - 1);
    return end;
  };
  visitMembers(body, 0, take);
  return { rest: without(body, cuts), arrays };
}

function readList(body: Buffer, start: number, key: string, { kind, maxItems, scratch }: NumberArray) {
  try {
    return kind === "u32" ? readU32List(body, start, maxItems, scratch) : readI64List(body, start, maxItems);
  } catch (error) {
    throw error instanceof FieldError ? error.within(key) : error;
  }
}
