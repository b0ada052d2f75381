import { type Buffer, isUtf8 } from "node:buffer";
import { type JsonLimits, MAX_JSON_DEPTH } from "./json-limits.ts";
import type { JsonValue } from "./json-value.ts";
import { Parser, type ParserLimits } from "./parser.ts";
import { StructureScan } from "./structure-scan.ts";
import type { Tape } from "./tape.ts";
import { TapeReader } from "./tape-reader.ts";
import { type TextWeight, weighTape } from "./text-weight.ts";

/** What nearly all texts keep to: the tape of one that was weighed within it serves whoever reads it next. */
const commonLimits: ScanLimits = { maxDepth: 64, rawControlCharacters: false };

type ScanLimits = Pick<ParserLimits, "maxDepth" | "rawControlCharacters">;

/** A text that was just weighed. */
interface WeighedText {
  readonly bytes: Buffer;
  readonly limits: ScanLimits;
  readonly tape: Tape;
}

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
  /** Until the next scan. */
  #weighed: WeighedText | undefined;

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
   * When the same object is parsed next, with the same bytes, it is not scanned again.
   * Undefined when it is too long to be scanned, has more values than the scan has room for, or is not JSON.
   * @param maxRecords where counting ends
   * @param jsonMember name of members whose texts will be read as JSON, too; undefined = none
   */
  weigh(bytes: Buffer, maxRecords: number, limits: JsonLimits = {}, jsonMember?: Buffer): TextWeight | undefined {
    const { maxDepth = 512, rawControlCharacters = false } = limits;
    if (bytes.length > this.#maxScannedBytes) return undefined;
    const given = { maxDepth, rawControlCharacters };
    const tape = isWithin(commonLimits, given)
      ? this.#scanToKeep(bytes, commonLimits, given)
      : this.#scanAnew(bytes, given);
    return tape === undefined ? undefined : weighTape(tape, this.#scan, maxRecords, { bytes, jsonMember });
  }

  /** Scans within `limits` and keeps the tape for who reads next, or within wider ones. */
  #scanToKeep(bytes: Buffer, limits: ScanLimits, { maxDepth, rawControlCharacters }: ScanLimits): Tape | undefined {
    const tape = this.#scanAnew(bytes, limits);
    if (tape === undefined) return this.#scan.scanAgain(bytes, maxDepth, rawControlCharacters);
    this.#weighed = { bytes, limits, tape };
    return tape;
  }

  #scanAnew(bytes: Buffer, { maxDepth, rawControlCharacters }: ScanLimits): Tape | undefined {
    this.#weighed = undefined;
    return this.#scan.scan(bytes, maxDepth, rawControlCharacters);
  }

  /** The tape of a text, from the scan that weighed it when there was one within these limits. */
  #tapeOf(bytes: Buffer, limits: ScanLimits): Tape | undefined {
    const weighed = this.#weighed;
    if (weighed?.bytes !== bytes || !isWithin(weighed.limits, limits)) return this.#scanAnew(bytes, limits);
    this.#weighed = undefined;
    return weighed.tape;
  }

  #parse(bytes: Buffer, limits: ParserLimits): JsonValue {
    const value = bytes.length > this.#maxScannedBytes ? undefined : this.#scanned(bytes, limits);
    // The parser says what is wrong and where; it also takes the few texts that have more values than the scan has room for.
    return value === undefined ? new Parser(bytes, limits).document() : value;
  }

  #scanned(bytes: Buffer, limits: ParserLimits): JsonValue | undefined {
    const tape = this.#tapeOf(bytes, limits);
    if (tape === undefined || (this.#scan.isNotAscii && !isUtf8(bytes))) return undefined;
    const reader = new TapeReader(this.#scan, tape, limits.finiteNumbers);
    const value = reader.value(0);
    return reader.hasInfinity ? undefined : value;
  }
}

/** Whether what keeps to `limits` keeps to `others`. */
function isWithin(limits: ScanLimits, others: ScanLimits): boolean {
  return limits.maxDepth <= others.maxDepth && (others.rawControlCharacters || !limits.rawControlCharacters);
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer between ${least} and ${most}, got ${value}`);
}

function fillFromCrypto(bytes: Uint8Array): void {
  crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
}
