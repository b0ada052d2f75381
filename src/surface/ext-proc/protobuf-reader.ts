import type { Buffer } from "node:buffer";

/** Bytes that are no protobuf message. */
export class WireFormatError extends Error {
  override readonly name = "WireFormatError";
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** Unknown groups that may lie in one another. Messages do not count: each level is read by code that knows it. */
const MAX_GROUP_DEPTH = 32;

/**
 * Reads one protobuf message in place, field by field: `while (reader.next()) switch (reader.field) ...`. A field whose value is
 * not read is skipped. Source: protobuf.dev/programming-guides/encoding.
 */
export class ProtobufReader {
  readonly bytes: Buffer;
  /** Number of the field that `next` has found. */
  field: number = 0;
  /** First byte of what `span` has read. */
  start = 0;
  /** Byte after the last of what `span` has read. */
  end = 0;
  readonly #limit: number;
  #at: number;
  #wireType = 0;
  /** Whether the value of the current field has not been read. */
  #isPending = false;

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.#at = start;
    this.#limit = end;
  }

  /** Goes to the next field. @returns false at the end. @throws WireFormatError */
  next(): boolean {
    if (this.#isPending) this.#skip(this.#wireType, this.field, 0);
    if (this.#at >= this.#limit) return false;
    const tag = this.#varint();
    this.field = tag >>> 3;
    this.#wireType = tag & 7;
    if (this.field === 0) throw new WireFormatError("a field has number 0");
    this.#isPending = true;
    return true;
  }

  /** The current field's number, cut to 32 bits. @throws WireFormatError */
  uint32(): number {
    this.#expect(VARINT);
    return this.#varint();
  }

  /** @throws WireFormatError */
  bool(): boolean {
    this.#expect(VARINT);
    const from = this.#at;
    const low = this.#varint();
    // A number beyond 32 bits may have only high ones.
    return low !== 0 || this.#hasBits(from);
  }

  /** @throws WireFormatError */
  double(): number {
    this.#expect(FIXED64);
    const at = this.#at;
    this.#advance(8);
    return this.bytes.readDoubleLE(at);
  }

  /** Finds the current field's bytes: `start` and `end` tell where. @throws WireFormatError */
  span(): void {
    this.#expect(LENGTH_DELIMITED);
    const length = this.#varint();
    if (length > this.#limit - this.#at) throw new WireFormatError("a field is longer than its message");
    this.start = this.#at;
    this.end = this.#at + length;
    this.#at = this.end;
  }

  /** The current field's bytes, not copied. @throws WireFormatError */
  view(): Buffer {
    this.span();
    return this.bytes.subarray(this.start, this.end);
  }

  /** @throws WireFormatError */
  text(): string {
    this.span();
    return this.bytes.toString("utf8", this.start, this.end);
  }

  /** A reader of the message in the current field. @throws WireFormatError */
  message(): ProtobufReader {
    this.span();
    return new ProtobufReader(this.bytes, this.start, this.end);
  }

  #expect(wireType: number): void {
    if (this.#wireType !== wireType) throw new WireFormatError(`field ${this.field} has wire type ${this.#wireType}`);
    this.#isPending = false;
  }

  #varint(): number {
    const { bytes } = this;
    const limit = Math.min(this.#limit, this.#at + 10);
    let value = 0;
    for (let shift = 0; this.#at < limit; shift += 7) {
      const byte = bytes[this.#at++] as number;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new WireFormatError("a number does not end");
  }

  #hasBits(from: number): boolean {
    for (let at = from; at < this.#at; at++) if (((this.bytes[at] as number) & 0x7f) !== 0) return true;
    return false;
  }

  #skip(wireType: number, field: number, depth: number): void {
    this.#isPending = false;
    switch (wireType) {
      case VARINT:
        this.#varint();
        return;
      case FIXED64:
        this.#advance(8);
        return;
      case LENGTH_DELIMITED:
        this.#advance(this.#varint());
        return;
      case START_GROUP:
        this.#skipGroup(field, depth + 1);
        return;
      case FIXED32:
        this.#advance(4);
        return;
      default:
        throw new WireFormatError(`wire type ${wireType}`);
    }
  }

  #skipGroup(field: number, depth: number): void {
    if (depth > MAX_GROUP_DEPTH) throw new WireFormatError("groups lie too deep in one another");
    for (;;) {
      const tag = this.#varint();
      if ((tag & 7) === END_GROUP) {
        if (tag >>> 3 === field) return;
        throw new WireFormatError("a group has another group's end");
      }
      this.#skip(tag & 7, tag >>> 3, depth);
    }
  }

  #advance(bytes: number): void {
    if (bytes > this.#limit - this.#at) throw new WireFormatError("a field is longer than its message");
    this.#at += bytes;
  }
}
