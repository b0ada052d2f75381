import type { Buffer } from "node:buffer";
import { embeddedValues } from "./embedded-values.ts";
import type { StructureScan } from "./structure-scan.ts";
import {
  CONTAINER_WORDS,
  FLAG_ESCAPED,
  KIND_ARRAY,
  KIND_MASK,
  KIND_OBJECT,
  KIND_STRING,
  RECORD_WORDS,
  START_SHIFT,
  type Tape,
} from "./tape.ts";

/** What a text would cost to read, as far as a scan tells. */
export interface TextWeight {
  /** Values and keys, with those of JSON that stands as text in a member that was named. */
  readonly records: number;
  /** Bytes of the strings that were not met lately; short strings are never known. */
  readonly unknownBytes: number;
}

/** A text and the members of it that hold JSON as text. */
export interface WeighedText {
  readonly bytes: Buffer;
  /** Name of members whose texts will be read as JSON; undefined = none. */
  readonly jsonMember: Buffer | undefined;
}

/** Weighs the text of the last scan, up to one record more than `maxRecords`. */
export function weighTape(tape: Tape, scan: StructureScan, maxRecords: number, text: WeighedText): TextWeight {
  let records = 0;
  let unknownBytes = 0;
  let isJson = false;
  for (let at = 0; at < tape.length && records <= maxRecords; records++) {
    const head = tape[at] as number;
    const kind = head & KIND_MASK;
    const isString = kind >= KIND_STRING;
    if (isString) {
      const [start, end] = [head >>> START_SHIFT, tape[at + 1] as number];
      if (!scan.isKnown(tape[at + 2] as number)) unknownBytes += end - start;
      if (isJson) records += embeddedValues(text.bytes, start, end, maxRecords - records);
    }
    isJson = isString && namesJson(text, tape, at);
    at += kind === KIND_OBJECT || kind === KIND_ARRAY ? CONTAINER_WORDS : RECORD_WORDS;
  }
  return { records, unknownBytes };
}

/** Whether a string may be the name: one with escapes may be. A text before another one may be taken for it, which does no harm. */
function namesJson({ bytes, jsonMember }: WeighedText, tape: Tape, at: number): boolean {
  if (jsonMember === undefined) return false;
  const head = tape[at] as number;
  if ((head & FLAG_ESCAPED) !== 0) return true;
  const [start, end] = [head >>> START_SHIFT, tape[at + 1] as number];
  return end - start === jsonMember.length && bytes.compare(jsonMember, 0, jsonMember.length, start, end) === 0;
}
