import type { StructureScan } from "./structure-scan.ts";
import {
  CONTAINER_WORDS,
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
  /** Values and keys. */
  readonly records: number;
  /** Bytes of the strings that were not met lately; short strings are never known. */
  readonly unknownBytes: number;
}

/** Weighs the text of the last scan, up to one record more than `maxRecords`. */
export function weighTape(tape: Tape, scan: StructureScan, maxRecords: number): TextWeight {
  let records = 0;
  let unknownBytes = 0;
  for (let at = 0; at < tape.length && records <= maxRecords; records++) {
    const kind = (tape[at] as number) & KIND_MASK;
    if (kind >= KIND_STRING && !scan.isKnown(tape[at + 2] as number))
      unknownBytes += (tape[at + 1] as number) - ((tape[at] as number) >>> START_SHIFT);
    at += kind === KIND_OBJECT || kind === KIND_ARRAY ? CONTAINER_WORDS : RECORD_WORDS;
  }
  return { records, unknownBytes };
}
