import type { ByteSpan } from "./json-value.ts";

/**
 * What the scan (`scripts/json-scan.as`) says of a text: a record for each value and, before it, its key, in the order of the text.
 * Words of a record: 0 first byte (of a string after its quote) `<< 5 | kind`; 1 end byte (of a string its closing quote); 2 id of
 * an interned string, value of a small integer, or of an array or object the word after its last record; 3 only of an array or
 * object: number of its members.
 */
export type Tape = Int32Array;

export const KIND_NULL = 0;
export const KIND_TRUE = 1;
export const KIND_FALSE = 2;
/** Nine digits at most, without a sign. */
export const KIND_SMALL_INTEGER = 3;
// 4: another integer.
/** With a fraction or an exponent. */
export const KIND_FRACTION = 5;
export const KIND_ARRAY = 6;
export const KIND_OBJECT = 7;
/** From here on strings, which have these flags. */
export const KIND_STRING = 8;
export const FLAG_ESCAPED = 1;
export const FLAG_NOT_ASCII = 2;
/** Of an object: two keys may be equal; without it none are. */
export const FLAG_MAY_REPEAT = 16;

export const KIND_MASK = 15;
export const START_SHIFT = 5;
/** Words of a record, and of an array's or object's. */
export const RECORD_WORDS = 3;
export const CONTAINER_WORDS = 4;

/** Index of the record after the one at `at`, and after all that is in it. */
export function nextRecord(tape: Tape, at: number): number {
  const kind = (tape[at] as number) & KIND_MASK;
  return kind === KIND_OBJECT || kind === KIND_ARRAY ? (tape[at + 2] as number) : at + RECORD_WORDS;
}

/** Bytes of the value whose record is at `at`; a string's with its quotes. */
export function recordSpan(tape: Tape, at: number): ByteSpan {
  const head = tape[at] as number;
  const quote = (head & KIND_MASK) >= KIND_STRING ? 1 : 0;
  return { start: (head >>> START_SHIFT) - quote, end: (tape[at + 1] as number) + quote };
}
