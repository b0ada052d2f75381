import { Buffer } from "node:buffer";
import { scanWasmBase64 } from "./scan-wasm.generated.ts";
import { FLAG_ESCAPED, FLAG_NOT_ASCII, type Tape } from "./tape.ts";

// The part of the WebAssembly interface used here: the ES libraries of the compiler do not declare it.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

interface Cell {
  readonly value: number;
}

interface ScanExports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly heapBase: Cell;
  readonly keyAt: Cell;
  readonly keyBytes: Cell;
  readonly isNotAscii: Cell;
  readonly isUnescapedNotAscii: Cell;
  readonly isFull: Cell;
  readonly lastNumber: Cell;
  readonly moveCount: Cell;
  readonly charged: Cell;
  readonly young: Cell;
  setup(...places: readonly number[]): void;
  scan(length: number, maxDepth: number, strictness: number): number;
  unescape(start: number, end: number): number;
  turn(): void;
}

export interface StructureScanOptions {
  /** Longest text, in bytes. */
  readonly maxTextBytes: number;
  /** What interned strings may take, their bytes and texts together; 0 interns none. */
  readonly internedBytes: number;
  readonly fillRandom: (bytes: Uint8Array) => void;
}

const pageBytes = 65_536;
/** Loads of 16 bytes may pass the end of a region. */
const padBytes = 128;
const frameBytes = 48 * 1_026;
/** Strings that one scan takes over from the old generation; more are found there again. */
const maxMoves = 8_192;
/** Held bytes for which the table has one slot: a short string is charged about this much. */
const bytesPerSlot = 256;
const slotsPerBucket = 4;
const slotBytes = 16;

/** Regions of the memory, each with room for loads that pass its end. */
function layOut(start: number, sizes: readonly number[]): { readonly at: readonly number[]; readonly end: number } {
  let end = (start + 63) & ~63;
  const at = sizes.map((size) => {
    const from = end;
    end = (end + size + padBytes + 63) & ~63;
    return from;
  });
  return { at, end };
}

/**
 * The scan in WebAssembly and the strings that it knows. One memory, laid out once: text and unescaped text (`maxTextBytes` each),
 * tape (twice that), interned bytes (half of `internedBytes`), their table (a sixteenth). Pages that were not used take no room.
 * Synchronous; a scan overwrites the tape of the one before.
 */
export class StructureScan {
  readonly #wasm: ScanExports;
  readonly #memory: Buffer;
  readonly #textAt: number;
  readonly #scratchAt: number;
  readonly #words: Int32Array;
  readonly #moves: Int32Array;
  readonly #isInterning: boolean;
  /** Texts by the id of their string; undefined until the string is first wanted. */
  readonly #texts: (string | undefined)[] = [];
  #oldBytes = 0;
  /** Number of the last string that was held when the last scan began. */
  #lastNumberBefore = 0;

  constructor(options: StructureScanOptions) {
    const wasm = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(scanWasmBase64, "base64")), {})
      .exports as ScanExports;
    this.#wasm = wasm;
    const { maxTextBytes, internedBytes } = options;
    this.#isInterning = internedBytes > 0;
    const buckets = 2 ** Math.floor(Math.log2(Math.max(16, internedBytes / bytesPerSlot / slotsPerBucket)));
    const generationBytes = internedBytes >>> 1;
    const tapeBytes = 2 * maxTextBytes + 2 * pageBytes;
    const sizes = [maxTextBytes, maxTextBytes, frameBytes, tapeBytes, 8 * maxMoves];
    sizes.push(buckets * slotsPerBucket * slotBytes, generationBytes);
    const { at, end } = layOut(wasm.heapBase.value, sizes);
    const [text = 0, scratch = 0, frames = 0, tape = 0, moves = 0, table = 0, arenas = 0] = at;
    wasm.memory.grow(Math.ceil((end - wasm.memory.buffer.byteLength) / pageBytes));
    const memory = wasm.memory.buffer;
    wasm.setup(text, scratch, frames, tape, tape + tapeBytes, moves, maxMoves, table, buckets, arenas, generationBytes);
    options.fillRandom(new Uint8Array(memory, wasm.keyAt.value, wasm.keyBytes.value));
    this.#memory = Buffer.from(memory);
    this.#textAt = text;
    this.#scratchAt = scratch;
    this.#words = new Int32Array(memory, tape, tapeBytes >>> 2);
    this.#moves = new Int32Array(memory, moves, 2 * maxMoves);
  }

  /** What the interned strings are charged, in bytes: never less than they take. */
  get heldBytes(): number {
    return this.#oldBytes + this.#wasm.charged.value;
  }

  /**
   * The tape of a text, a copy. Undefined when it is not JSON in UTF-8 within these limits, or has too many values for the memory.
   * @param bytes at most `maxTextBytes`
   */
  scan(bytes: Buffer, maxDepth: number, rawControlCharacters: boolean): Tape | undefined {
    const wasm = this.#wasm;
    if (wasm.isFull.value === 1 && this.#isInterning) this.#turn();
    this.#lastNumberBefore = wasm.lastNumber.value;
    return this.scanAgain(bytes, maxDepth, rawControlCharacters);
  }

  /** As `scan`, for a text that the last scan has refused: what that one met for the first time still counts as not met before. */
  scanAgain(bytes: Buffer, maxDepth: number, rawControlCharacters: boolean): Tape | undefined {
    const wasm = this.#wasm;
    this.#memory.set(bytes, this.#textAt);
    const words = wasm.scan(bytes.length, maxDepth, rawControlCharacters ? 0 : 0x20);
    this.#followIds();
    if (words === 0) return undefined;
    return this.#words.slice(0, words);
  }

  /** Whether the text of the last scan has bytes over 0x7f, which that does not check. */
  get isNotAscii(): boolean {
    return this.#wasm.isNotAscii.value === 1;
  }

  /** Whether a string of the last scan, by its id, was held before it. */
  isKnown(id: number): boolean {
    if (id === 0) return false;
    const { young } = this.#wasm;
    if ((id & 1) !== young.value || id >>> 1 <= this.#lastNumberBefore) return true;
    return this.#wasMoved(id);
  }

  /** Whether the last scan took the string over from the old generation; the new ids of those ascend. */
  #wasMoved(id: number): boolean {
    let low = 0;
    let high = this.#wasm.moveCount.value;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const moved = this.#moves[2 * middle] as number;
      if (moved === id) return true;
      if (moved < id) low = middle + 1;
      else high = middle;
    }
    return false;
  }

  /** The text of a string of the last scan, by its record. The same string object for the same bytes, as long as they are held. */
  text(kind: number, start: number, end: number, id: number): string {
    if (id === 0) return this.#decode(kind, start, end);
    const known = this.#texts[id];
    if (known !== undefined) return known;
    const text = this.#decode(kind, start, end);
    this.#texts[id] = text;
    return text;
  }

  /** The bytes [start, end) of the last text, which are all ASCII. */
  ascii(start: number, end: number): string {
    return this.#memory.toString("latin1", this.#textAt + start, this.#textAt + end);
  }

  #decode(kind: number, start: number, end: number): string {
    if ((kind & FLAG_ESCAPED) === 0) {
      const encoding = (kind & FLAG_NOT_ASCII) === 0 ? "latin1" : "utf8";
      return this.#memory.toString(encoding, this.#textAt + start, this.#textAt + end);
    }
    const length = this.#wasm.unescape(start, end);
    const encoding = this.#wasm.isUnescapedNotAscii.value === 0 ? "latin1" : "utf8";
    return this.#memory.toString(encoding, this.#scratchAt, this.#scratchAt + length);
  }

  /** Room for the texts of new ids (an array with holes would turn into a slow one), and those that changed generation. */
  #followIds(): void {
    const texts = this.#texts;
    const last = 2 * this.#wasm.lastNumber.value + 1;
    while (texts.length <= last) texts.push(undefined);
    const moved = 2 * this.#wasm.moveCount.value;
    for (let at = 0; at < moved; at += 2) {
      texts[this.#moves[at] as number] = texts[this.#moves[at + 1] as number];
    }
  }

  /** The old generation is forgotten: its texts go with it. */
  #turn(): void {
    this.#oldBytes = this.#wasm.charged.value;
    this.#wasm.turn();
    for (let id = this.#wasm.young.value; id < this.#texts.length; id += 2) this.#texts[id] = undefined;
  }
}
