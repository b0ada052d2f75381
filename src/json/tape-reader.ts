import { JsonNumber } from "./json-number.ts";
import { JsonObject } from "./json-object.ts";
import type { JsonValue } from "./json-value.ts";
import type { StructureScan } from "./structure-scan.ts";
import {
  CONTAINER_WORDS,
  FLAG_MAY_REPEAT,
  KIND_ARRAY,
  KIND_FALSE,
  KIND_FRACTION,
  KIND_MASK,
  KIND_NULL,
  KIND_OBJECT,
  KIND_SMALL_INTEGER,
  KIND_STRING,
  KIND_TRUE,
  nextRecord,
  RECORD_WORDS,
  recordSpan,
  START_SHIFT,
  type Tape,
} from "./tape.ts";

/** The values of the last scan from its tape; what the scan has checked is not checked again. */
export class TapeReader {
  readonly #scan: StructureScan;
  readonly #tape: Tape;
  /** Whether a number is beyond the range of a double, once it has been read. */
  hasInfinity = false;
  readonly #finiteNumbers: boolean;

  constructor(scan: StructureScan, tape: Tape, finiteNumbers: boolean) {
    this.#scan = scan;
    this.#tape = tape;
    this.#finiteNumbers = finiteNumbers;
  }

  /** The value whose record is at `at`. */
  value(at: number): JsonValue {
    const tape = this.#tape;
    const head = tape[at] as number;
    const kind = head & KIND_MASK;
    if (kind >= KIND_STRING) {
      return this.#scan.text(kind, head >>> START_SHIFT, tape[at + 1] as number, tape[at + 2] as number);
    }
    switch (kind) {
      case KIND_OBJECT:
        return (head & FLAG_MAY_REPEAT) === 0 ? this.#object(at) : this.#objectWithRepeats(at);
      case KIND_ARRAY:
        return this.#array(at);
      case KIND_NULL:
        return null;
      case KIND_TRUE:
        return true;
      case KIND_FALSE:
        return false;
      case KIND_SMALL_INTEGER:
        return new JsonNumber(String(tape[at + 2]), true);
      default:
        return this.#number(kind, head >>> START_SHIFT, tape[at + 1] as number);
    }
  }

  #number(kind: number, start: number, end: number): JsonNumber {
    const number = new JsonNumber(this.#scan.ascii(start, end), kind !== KIND_FRACTION);
    if (this.#finiteNumbers && !Number.isFinite(number.toNumber())) this.hasInfinity = true;
    return number;
  }

  #array(at: number): readonly JsonValue[] {
    const tape = this.#tape;
    const count = tape[at + 3] as number;
    const items: JsonValue[] = [];
    let record = at + CONTAINER_WORDS;
    for (let item = 0; item < count; item++) {
      items.push(this.value(record));
      record = nextRecord(tape, record);
    }
    return items;
  }

  #object(at: number): JsonObject {
    const tape = this.#tape;
    const count = tape[at + 3] as number;
    const keys = new Array<string>(count);
    const values = new Array<JsonValue>(count);
    let record = at + CONTAINER_WORDS;
    for (let member = 0; member < count; member++) {
      keys[member] = this.#key(record);
      record += RECORD_WORDS;
      values[member] = this.value(record);
      record = nextRecord(tape, record);
    }
    return JsonObject.fromTape(keys, values, tape, at);
  }

  #objectWithRepeats(at: number): JsonObject {
    const tape = this.#tape;
    const object = JsonObject.empty();
    const end = tape[at + 2] as number;
    for (let record = at + CONTAINER_WORDS; record < end; ) {
      const key = this.#key(record);
      record += RECORD_WORDS;
      const span = recordSpan(tape, record);
      object.addParsed(key, this.value(record), span.start, span.end);
      record = nextRecord(tape, record);
    }
    object.setSpan((tape[at] as number) >>> START_SHIFT, tape[at + 1] as number);
    return object;
  }

  #key(at: number): string {
    const tape = this.#tape;
    const head = tape[at] as number;
    return this.#scan.text(head & KIND_MASK, head >>> START_SHIFT, tape[at + 1] as number, tape[at + 2] as number);
  }
}
