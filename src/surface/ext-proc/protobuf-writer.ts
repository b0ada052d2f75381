import { Buffer } from "node:buffer";

/** Bytes that are copied with the fields around them; longer ones stay where they are until the message is joined. */
const MAX_COPIED_BYTES = 512;
const INITIAL_BYTES = 16_384;
/** Scratch memory that is kept between two messages. */
const MAX_KEPT_BYTES = 262_144;

/**
 * Writes protobuf messages from their end to their start, so that each length is known when it is written and nothing is measured
 * first. Long bytes are not copied before `take`. Reused: after `take` it is empty.
 */
export class ProtobufWriter {
  #scratch = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  /** First byte written in `#scratch`; the rest up to its end belongs to the message. */
  #at = INITIAL_BYTES;
  /** Long bytes, last first, each with the bytes of scratch that follow it. */
  readonly #long: Buffer[] = [];
  readonly #bytesAfter: number[] = [];
  #longBytes = 0;

  /** Bytes written so far. Two differences of it tell the length of what was written between. */
  get length(): number {
    return this.#scratch.length - this.#at + this.#longBytes;
  }

  /** Puts an unsigned number of up to 32 bits in front. */
  varint(value: number): void {
    this.#reserve(5);
    const bytes = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
    this.#at -= bytes;
    let at = this.#at;
    let rest = value;
    while (rest >= 0x80) {
      this.#scratch[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#scratch[at] = rest;
  }

  /** Puts the tag and length of a field in front of its value, which was written since the length was `mark`. */
  delimit(field: number, mark: number): void {
    this.varint(this.length - mark);
    this.varint((field << 3) | 2);
  }

  /** Puts a number or boolean field in front. */
  numberField(field: number, value: number): void {
    this.varint(value);
    this.varint(field << 3);
  }

  /** Puts one byte in front. */
  byte(value: number): void {
    this.#reserve(1);
    this.#scratch[--this.#at] = value;
  }

  textField(field: number, text: string): void {
    const mark = this.length;
    // Three bytes a UTF-16 unit at most; names and values are ASCII but for what a client made up.
    this.#reserve(3 * text.length);
    const bytes = isAscii(text) ? text.length : Buffer.byteLength(text);
    this.#at -= bytes;
    if (bytes === text.length) this.#putAscii(text);
    else this.#scratch.write(text, this.#at, "utf8");
    this.delimit(field, mark);
  }

  bytesField(field: number, bytes: Buffer): void {
    const mark = this.length;
    this.bytes(bytes);
    this.delimit(field, mark);
  }

  /** Puts bytes in front. They must not change before `take`. */
  bytes(bytes: Buffer): void {
    if (bytes.length > MAX_COPIED_BYTES) {
      this.#long.push(bytes);
      this.#bytesAfter.push(this.#scratch.length - this.#at);
      this.#longBytes += bytes.length;
      return;
    }
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#scratch.set(bytes, this.#at);
  }

  /** Copies what was written to the start of `out`, which has `length` bytes of room, and forgets it. */
  take(out: Buffer): void {
    const end = this.#scratch.length;
    let at = 0;
    let from = this.#at;
    for (let index = this.#long.length - 1; index >= 0; index--) {
      const bytes = this.#long[index] as Buffer;
      const to = end - (this.#bytesAfter[index] as number);
      at += this.#scratch.copy(out, at, from, to);
      out.set(bytes, at);
      at += bytes.length;
      from = to;
    }
    this.#scratch.copy(out, at, from, end);
    this.#forget();
  }

  /** As `take`, into a buffer of its own. */
  takeCopy(): Buffer {
    const out = Buffer.allocUnsafeSlow(this.length);
    this.take(out);
    return out;
  }

  #forget(): void {
    this.#long.length = 0;
    this.#bytesAfter.length = 0;
    this.#longBytes = 0;
    if (this.#scratch.length > MAX_KEPT_BYTES) this.#scratch = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    this.#at = this.#scratch.length;
  }

  #putAscii(text: string): void {
    for (let index = 0; index < text.length; index++) this.#scratch[this.#at + index] = text.charCodeAt(index);
  }

  #reserve(bytes: number): void {
    if (this.#at >= bytes) return;
    const written = this.#scratch.length - this.#at;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#scratch.length + bytes));
    this.#scratch.copy(larger, larger.length - written, this.#at);
    this.#at = larger.length - written;
    this.#scratch = larger;
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
