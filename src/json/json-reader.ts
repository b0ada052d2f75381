import { type Buffer, isUtf8 } from "node:buffer";
import { type JsonLimits, MAX_JSON_DEPTH } from "./json-limits.ts";
import type { JsonValue } from "./json-value.ts";
import { Parser, type ParserLimits } from "./parser.ts";
import { StructureScan } from "./structure-scan.ts";
import { TapeReader } from "./tape-reader.ts";
import { type TextWeight, weighTape } from "./text-weight.ts";

export interface JsonReaderOptions {
  /**
   * Most that the strings kept for later texts may take, in bytes: as they were sent, decoded, and what they cost besides.
   * 0 <= n <= 1 GiB, default 64 MiB; 0 keeps none.
   */
  readonly internedBytes?: number;
  /** Longest text that is scanned, in bytes; longer ones are parsed plainly. 1 KiB <= n <= 32 MiB, default 8 MiB. */
  readonly maxScannedBytes?: number;
  /** Fills the key of the fingerprints; default `crypto.getRandomValues`. */
  readonly fillRandom?: (bytes: Uint8Array) => void;
}

/**
 * Parses texts and keeps their strings: the same bytes between quotes give the same string object again while they are held. A
 * cache keyed by a string then finds it by its address and the hash stored in it, and the history of a conversation is decoded once.
 *
 * This is about speed, never about values (bytes are compared, fingerprints only lead to them), and it has limits: a string is
 * another object, equal to the first, when it was not seen while half of `internedBytes` of other strings came (it may be held for
 * longer), when the text was the one that filled that half, when it is charged more than a quarter of `internedBytes`, or stands in
 * a text over `maxScannedBytes`. Strings that differ in their escapes only are different objects.
 *
 * Not thread-safe; each thread has its own. Memory: four times `maxScannedBytes` and nine sixteenths of `internedBytes` of address
 * space, of which only what was once used is resident, and in the heap at most two thirds of `internedBytes` more.
 */
export class JsonReader {
  readonly #scan: StructureScan;
  readonly #maxScannedBytes: number;

  /** Throws RangeError on an option outside its range. */
  constructor(options: JsonReaderOptions = {}) {
    const { internedBytes = 67_108_864, maxScannedBytes = 8_388_608, fillRandom = fillFromCrypto } = options;
    requireInteger("internedBytes", internedBytes, 0, 1_073_741_824);
    requireInteger("maxScannedBytes", maxScannedBytes, 1_024, 33_554_432);
    this.#scan = new StructureScan({ internedBytes, maxTextBytes: maxScannedBytes, fillRandom });
    this.#maxScannedBytes = maxScannedBytes;
  }

  /** What the strings that are held are charged, in bytes; at most `internedBytes`. */
  get heldBytes(): number {
    return this.#scan.heldBytes;
  }

  /**
   * The value of a whole text, as `parseJson` documents it.
   * @throws JsonSyntaxError
   */
  parse(bytes: Buffer, limits: JsonLimits = {}): JsonValue {
    const { maxDepth = 512, finiteNumbers = false, rawControlCharacters = false } = limits;
    requireInteger("maxDepth", maxDepth, 1, MAX_JSON_DEPTH);
    return this.#parse(bytes, { maxDepth, finiteNumbers, rawControlCharacters });
  }

  /**
   * What a text would cost to read, by the scan alone: 0.2 ms a MiB, 3 ms where it is all short values. Its strings count as met from then on.
   * Undefined when it is too long to be scanned, has more values than the scan has room for, or is not JSON.
   * @param maxRecords where counting ends
   */
  weigh(bytes: Buffer, maxRecords: number, limits: JsonLimits = {}): TextWeight | undefined {
    const { maxDepth = 512, rawControlCharacters = false } = limits;
    if (bytes.length > this.#maxScannedBytes) return undefined;
    const tape = this.#scan.scan(bytes, maxDepth, rawControlCharacters);
    return tape === undefined ? undefined : weighTape(tape, this.#scan, maxRecords);
  }

  #parse(bytes: Buffer, limits: ParserLimits): JsonValue {
    const value = bytes.length > this.#maxScannedBytes ? undefined : this.#scanned(bytes, limits);
    // The parser says what is wrong and where; it also takes the few texts that have more values than the scan has room for.
    return value === undefined ? new Parser(bytes, limits).document() : value;
  }

  #scanned(bytes: Buffer, limits: ParserLimits): JsonValue | undefined {
    const tape = this.#scan.scan(bytes, limits.maxDepth, limits.rawControlCharacters);
    if (tape === undefined || (this.#scan.isNotAscii && !isUtf8(bytes))) return undefined;
    const reader = new TapeReader(this.#scan, tape, limits.finiteNumbers);
    const value = reader.value(0);
    return reader.hasInfinity ? undefined : value;
  }
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer between ${least} and ${most}, got ${value}`);
}

function fillFromCrypto(bytes: Uint8Array): void {
  crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}
