import { ShortTexts } from "./short-texts.ts";
import type { U64 } from "./xxh3.ts";

/** Bytes that are not MessagePack, or end too early. */
export class MsgpackError extends Error {
  override readonly name = "MsgpackError";
}

/** What a value is, by its first byte. */
export type MsgpackKind = "nil" | "bool" | "integer" | "float" | "string" | "bytes" | "array" | "map" | "extension";

// Of unsigned integers of up to 32 bits, by first byte: bytes in all (0 = another value), and where in the four bytes that are read
// at which offset the number is.
const wordSizes = new Uint8Array(256);
const wordOffsets = new Uint8Array(256);
const wordShifts = new Uint8Array(256);
wordSizes.fill(1, 0, 0x80);
wordShifts.fill(24, 0, 0x80);
for (const [byte, width] of [
  [0xcc, 1],
  [0xcd, 2],
  [0xce, 4],
] as const) {
  wordSizes[byte] = 1 + width;
  wordOffsets[byte] = 1;
  wordShifts[byte] = 32 - 8 * width;
}

const knownTexts = new ShortTexts();

// Scratch of one read; no read waits.
const wide = new DataView(new ArrayBuffer(8));
const word = new Uint32Array(2);
// A byte order mark is a character of the text.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads MessagePack from front to back, value by value, without making objects of what nobody asks for. Every method that
 * reads throws MsgpackError when the bytes end before the value does.
 */
export class MsgpackCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Kind of the next value. */
  get kind(): MsgpackKind {
    return kindOf(this.#peek());
  }

  /** Passes over a nil; returns whether there was one. */
  takeNil(): boolean {
    if (this.#peek() !== 0xc0) return false;
    this.#at++;
    return true;
  }

  /** Elements of the array that begins here, or -1, having read nothing, when there is none. */
  takeArray(): number {
    const byte = this.#peek();
    if (byte >= 0x90 && byte <= 0x9f) return this.#fix(byte & 0x0f);
    if (byte === 0xdc) return this.#uint(1, 2);
    return byte === 0xdd ? this.#uint(1, 4) : -1;
  }

  /** Pairs of the map that begins here, or -1, having read nothing, when there is none. */
  takeMap(): number {
    const byte = this.#peek();
    if (byte >= 0x80 && byte <= 0x8f) return this.#fix(byte & 0x0f);
    if (byte === 0xde) return this.#uint(1, 2);
    return byte === 0xdf ? this.#uint(1, 4) : -1;
  }

  /** The string that begins here, or undefined, having read nothing, when there is none. */
  takeString(): string | undefined {
    const byte = this.#peek();
    if (byte >= 0xa0 && byte <= 0xbf)
      return knownTexts.textOf(this.#bytes, this.#take(1 + (byte & 0x1f)) + 1, byte & 0x1f);
    if (byte >= 0xd9 && byte <= 0xdb) return utf8.decode(this.#sized(1 << (byte - 0xd9)));
    return undefined;
  }

  /** The bytes that begin here, or undefined, having read nothing, when there are fewer than `least`. */
  takeBytes(least = 0): Uint8Array | undefined {
    const byte = this.#peek();
    const width = byte >= 0xc4 && byte <= 0xc6 ? 1 << (byte - 0xc4) : 0;
    return width === 0 || this.#peekUint(1, width) < least ? undefined : this.#sized(width);
  }

  /** The number that begins here, as a double, or undefined, having read nothing, when there is none. */
  takeNumber(): number | undefined {
    const byte = this.#peek();
    if (byte === 0xca || byte === 0xcb) return this.#float(byte === 0xca ? 4 : 8);
    if (!this.takeLong(word, 0)) return undefined;
    const high = word[1] as number;
    return (byte === 0xcf ? high : high | 0) * 0x1_0000_0000 + (word[0] as number);
  }

  /** As `takeNumber`, without passing over it; NaN when there is no number. */
  peekNumber(): number {
    const from = this.#at;
    const value = this.takeNumber();
    this.#at = from;
    return value ?? Number.NaN;
  }

  /** The integer that begins here as 64 bits, negative ones in two's complement, or undefined, having read nothing. */
  takeInteger(): U64 | undefined {
    return this.takeLong(word, 0) ? { low: word[0] as number, high: word[1] as number } : undefined;
  }

  /** As `takeInteger`, into `out`: two u32, low first. Returns whether there was one. */
  takeLong(out: Uint32Array, at: number): boolean {
    const byte = this.#peek();
    if (byte === 0xcf || byte === 0xd3) {
      const from = this.#take(9) + 1;
      out[at] = wordAt(this.#bytes, from + 4);
      out[at + 1] = wordAt(this.#bytes, from);
      return true;
    }
    const value = this.#takeShort(byte);
    if (value === undefined) return false;
    out[at] = value;
    out[at + 1] = value < 0 ? -1 : 0;
    return true;
  }

  /** An integer of up to 32 bits. */
  #takeShort(byte: number): number | undefined {
    if (byte <= 0x7f) return this.#fix(byte);
    if (byte >= 0xe0) return this.#fix(byte) - 0x100;
    if (byte >= 0xcc && byte <= 0xce) return this.#uint(1, 1 << (byte - 0xcc));
    if (byte < 0xd0 || byte > 0xd2) return undefined;
    const bits = 8 << (byte - 0xd0);
    const value = this.#uint(1, bits / 8);
    return value >= 2 ** (bits - 1) ? value - 2 ** bits : value;
  }

  /**
   * Reads up to `count` unsigned integers of 32 bits into `out` from `from` on; returns how many there were before something
   * else, which is not read.
   */
  takeWords(out: Uint32Array, from: number, count: number): number {
    const bytes = this.#bytes;
    const view = this.#view;
    // Sizes change from word to word, which a processor cannot foresee: tables instead of branches.
    const safeEnd = bytes.length - 4;
    let at = this.#at;
    let done = 0;
    for (; done < count && at < safeEnd; done++) {
      const byte = bytes[at] as number;
      const size = wordSizes[byte] as number;
      if (size === 0) break;
      out[from + done] = view.getUint32(at + (wordOffsets[byte] as number)) >>> (wordShifts[byte] as number);
      at += size;
    }
    this.#at = at;
    while (at >= safeEnd && done < count && this.left > 0 && this.#takeWord(out, from + done)) done++;
    return done;
  }

  #takeWord(out: Uint32Array, at: number): boolean {
    const byte = this.#bytes[this.#at] as number;
    const size = wordSizes[byte] as number;
    if (size === 0 || this.left < size) return false;
    out[at] = size === 1 ? this.#fix(byte) : this.#uint(1, size - 1);
    return true;
  }

  /**
   * Passes over up to `steps` values of the `count` next ones and all that is in them. Returns how many values are then left
   * to pass over, those in unfinished arrays and maps included.
   */
  skip(count: number, steps = Number.POSITIVE_INFINITY): number {
    let left = count;
    for (let done = 0; left > 0 && done < steps; done++) left += this.#skipOne() - 1;
    return left;
  }

  /** Returns how many values are inside of the one that it has passed over. */
  #skipOne(): number {
    const byte = this.#peek();
    switch (kindOf(byte)) {
      case "array":
        return this.takeArray();
      case "map":
        return 2 * this.takeMap();
      case "string":
        if (byte <= 0xbf) this.#body(1, byte & 0x1f);
        else this.#sized(1 << (byte - 0xd9));
        return 0;
      case "bytes":
        this.#sized(1 << (byte - 0xc4));
        return 0;
      case "extension":
        this.#skipExtension(byte);
        return 0;
      default:
        this.#body(0, scalarBytes(byte));
        return 0;
    }
  }

  #skipExtension(byte: number): void {
    if (byte >= 0xd4) {
      this.#body(0, 2 + (1 << (byte - 0xd4)));
      return;
    }
    const width = 1 << (byte - 0xc7);
    this.#body(0, this.#peekUint(1, width) + width + 2);
  }

  #float(width: 4 | 8): number {
    const from = this.#take(1 + width) + 1;
    wide.setUint32(0, wordAt(this.#bytes, from));
    if (width === 4) return wide.getFloat32(0);
    wide.setUint32(4, wordAt(this.#bytes, from + 4));
    return wide.getFloat64(0);
  }

  #peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new MsgpackError("the bytes end too early");
    if (byte === 0xc1) throw new MsgpackError("a byte that begins no value");
    return byte;
  }

  #fix(value: number): number {
    this.#at++;
    return value;
  }

  #peekUint(offset: number, width: number): number {
    if (this.left < offset + width) throw new MsgpackError("the bytes end too early");
    let value = 0;
    for (let i = 0; i < width; i++) value = value * 0x100 + (this.#bytes[this.#at + offset + i] as number);
    return value;
  }

  #uint(offset: number, width: number): number {
    const value = this.#peekUint(offset, width);
    this.#at += offset + width;
    return value;
  }

  /** Passes over `length` bytes; returns where they begin. */
  #take(length: number): number {
    if (this.left < length) throw new MsgpackError("the bytes end too early");
    const from = this.#at;
    this.#at += length;
    return from;
  }

  #sized(width: number): Uint8Array {
    return this.#body(1 + width, this.#peekUint(1, width));
  }

  #body(offset: number, length: number): Uint8Array {
    if (this.left < offset + length) throw new MsgpackError("the bytes end too early");
    const from = this.#at + offset;
    this.#at = from + length;
    return this.#bytes.subarray(from, this.#at);
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
  const low = ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
  return ((high << 16) | low) >>> 0;
}

function kindOf(byte: number): MsgpackKind {
  if (byte <= 0x7f || byte >= 0xe0 || (byte >= 0xcc && byte <= 0xd3)) return "integer";
  if (byte <= 0x8f || byte === 0xde || byte === 0xdf) return "map";
  if (byte <= 0x9f || byte === 0xdc || byte === 0xdd) return "array";
  if (byte <= 0xbf || (byte >= 0xd9 && byte <= 0xdb)) return "string";
  if (byte === 0xc0) return "nil";
  if (byte <= 0xc3) return "bool";
  if (byte <= 0xc6) return "bytes";
  return byte === 0xca || byte === 0xcb ? "float" : "extension";
}

/** Length of a nil, boolean, integer or float with its first byte. */
function scalarBytes(byte: number): number {
  if (byte === 0xca) return 5;
  if (byte === 0xcb) return 9;
  if (byte >= 0xcc && byte <= 0xcf) return 1 + (1 << (byte - 0xcc));
  return byte >= 0xd0 && byte <= 0xd3 ? 1 + (1 << (byte - 0xd0)) : 1;
}
