import type { ByteSpan, JsonValue } from "./json-value.ts";
import { CONTAINER_WORDS, nextRecord, RECORD_WORDS, recordSpan, START_SHIFT, type Tape } from "./tape.ts";

/** Up to this many members a scan over the keys costs less than building a hash index. */
const SCAN_LIMIT = 8;

const noKeys: readonly string[] = [];

/**
 * An ordered JSON object. Integer-like keys keep their place; of a repeated key the last value stands, at the place of the first
 * (`serde_json` with `preserve_order`, and Python's dict, do the same).
 */
export class JsonObject {
  readonly #keys: string[];
  readonly #values: JsonValue[];
  /** Of a scanned object: where its members stand is read from here when it is asked. */
  readonly #tape: Tape | undefined;
  readonly #tapeAt: number;
  /** Start and end of each member's value; absent for built and scanned objects. */
  #spans: number[] | undefined;
  #index: Map<string, number> | undefined;
  #duplicateKeys: Set<string> | undefined;
  #start = -1;
  #end = -1;

  private constructor(keys: string[], values: JsonValue[], tape: Tape | undefined, tapeAt: number) {
    this.#keys = keys;
    this.#values = values;
    this.#tape = tape;
    this.#tapeAt = tapeAt;
  }

  /** An object that stands in no source. */
  static from(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
    const object = JsonObject.empty();
    for (const [key, value] of entries) object.#put(key, value);
    return object;
  }

  /** For the parser: an object to be filled. */
  static empty(): JsonObject {
    return new JsonObject([], [], undefined, 0);
  }

  /** For the reader of the tape: an object whose record is at `tapeAt`, and no two of whose keys are equal. */
  static fromTape(keys: string[], values: JsonValue[], tape: Tape, tapeAt: number): JsonObject {
    return new JsonObject(keys, values, tape, tapeAt);
  }

  /** Number of members, repeated keys counted once. */
  get size(): number {
    return this.#keys.length;
  }

  /** The key of member number `at`, 0 <= at < size. */
  keyAt(at: number): string {
    return this.#keys[at] as string;
  }

  /** Keys that occur more than once in the source, each once, in order of their second occurrence. */
  get duplicateKeys(): readonly string[] {
    return this.#duplicateKeys === undefined ? noKeys : [...this.#duplicateKeys];
  }

  /** Byte of the opening brace; -1 for a built object. */
  get start(): number {
    return this.#tape === undefined ? this.#start : (this.#tape[this.#tapeAt] as number) >>> START_SHIFT;
  }

  /** Byte after the closing brace; -1 for a built object. */
  get end(): number {
    return this.#tape === undefined ? this.#end : (this.#tape[this.#tapeAt + 1] as number);
  }

  get(key: string): JsonValue | undefined {
    const at = this.#find(key);
    return at === -1 ? undefined : this.#values[at];
  }

  has(key: string): boolean {
    return this.#find(key) !== -1;
  }

  keys(): IterableIterator<string> {
    return this.#keys.values();
  }

  *entries(): IterableIterator<readonly [string, JsonValue]> {
    for (let at = 0; at < this.#keys.length; at++) yield [this.#keys[at] as string, this.#values[at] as JsonValue];
  }

  /** Where the (last) value of `key` stands in the source; undefined when absent or built. */
  valueSpan(key: string): ByteSpan | undefined {
    const at = this.#find(key);
    if (at === -1) return undefined;
    if (this.#tape !== undefined) return spanOfMember(this.#tape, this.#tapeAt, at);
    const start = this.#spans?.[2 * at];
    const end = this.#spans?.[2 * at + 1];
    return start === undefined || end === undefined ? undefined : { start, end };
  }

  /** For the parser: adds a member whose value occupies the bytes [start, end). */
  addParsed(key: string, value: JsonValue, start: number, end: number): void {
    const at = this.#put(key, value);
    this.#spans ??= [];
    this.#spans[2 * at] = start;
    this.#spans[2 * at + 1] = end;
  }

  /** For the parser: the bytes of the whole object. */
  setSpan(start: number, end: number): void {
    this.#start = start;
    this.#end = end;
  }

  #put(key: string, value: JsonValue): number {
    const known = this.#find(key);
    if (known !== -1) {
      this.#noteDuplicate(key);
      this.#values[known] = value;
      return known;
    }
    const at = this.#keys.length;
    this.#keys.push(key);
    this.#values.push(value);
    this.#index?.set(key, at);
    return at;
  }

  #noteDuplicate(key: string): void {
    this.#duplicateKeys ??= new Set();
    this.#duplicateKeys.add(key);
  }

  #find(key: string): number {
    if (this.#index !== undefined) return this.#index.get(key) ?? -1;
    if (this.#keys.length <= SCAN_LIMIT) return this.#keys.indexOf(key);
    this.#index = new Map(this.#keys.map((name, at) => [name, at]));
    return this.#index.get(key) ?? -1;
  }
}

/** Bytes of the value of the member number `member` of the object at `at`. */
function spanOfMember(tape: Tape, at: number, member: number): ByteSpan {
  let record = at + CONTAINER_WORDS + RECORD_WORDS;
  for (let before = 0; before < member; before++) record = nextRecord(tape, record) + RECORD_WORDS;
  return recordSpan(tape, record);
}
