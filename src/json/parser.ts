import type { Buffer } from "node:buffer";
import { isAscii } from "node:buffer";
import { JsonNumber } from "./json-number.ts";
import { JsonObject } from "./json-object.ts";
import { JsonSyntaxError } from "./json-syntax-error.ts";
import type { JsonValue } from "./json-value.ts";
import { unescapeString } from "./unescape.ts";
import { firstInvalidUtf8 } from "./utf8.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Longest string, in bytes, looked up among those already decoded. */
const SHORT_STRING = 16;
/** A power of two. */
const SLOTS = 64;

/** 1 for bytes that stand for themselves in a string; 0 for quote, backslash and control characters. */
const plainStringByte = new Uint8Array(256).map((_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

/** `JsonLimits` with their defaults filled in. */
export interface ParserLimits {
  readonly maxDepth: number;
  readonly finiteNumbers: boolean;
  readonly rawControlCharacters: boolean;
}

/** One pass over one body, by recursive descent; the depth limit bounds the stack. */
export class Parser {
  readonly #bytes: Buffer;
  readonly #limits: ParserLimits;
  readonly #encoding: "latin1" | "utf8";
  readonly #shortStrings: (string | undefined)[] = new Array(SLOTS).fill(undefined);
  #position = 0;
  #depth = 0;

  constructor(bytes: Buffer, limits: ParserLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
    // Slices of an all-ASCII body are made without a UTF-8 pass.
    this.#encoding = isAscii(bytes) ? "latin1" : "utf8";
  }

  document(): JsonValue {
    if (this.#encoding === "utf8") {
      const invalid = firstInvalidUtf8(this.#bytes);
      if (invalid !== -1) throw new JsonSyntaxError("invalid UTF-8", invalid);
    }
    this.#skipSpace();
    const value = this.#value();
    this.#skipSpace();
    if (this.#position < this.#bytes.length) throw this.#error("text after the JSON value");
    return value;
  }

  #value(): JsonValue {
    switch (this.#bytes[this.#position]) {
      case QUOTE:
        this.#position++;
        return this.#string();
      case OPEN_OBJECT:
        return this.#object();
      case OPEN_ARRAY:
        return this.#array();
      case 0x74:
        return this.#word("true", true);
      case 0x66:
        return this.#word("false", false);
      case 0x6e:
        return this.#word("null", null);
      default:
        return this.#number();
    }
  }

  #object(): JsonObject {
    const bytes = this.#bytes;
    const object = JsonObject.empty();
    const start = this.#position;
    this.#enter();
    if (bytes[this.#position] === CLOSE_OBJECT) {
      this.#position++;
    } else {
      do {
        this.#skipSpace();
        if (bytes[this.#position] !== QUOTE) throw this.#error("a quoted key expected");
        this.#position++;
        const key = this.#string();
        this.#skipSpace();
        if (bytes[this.#position] !== COLON) throw this.#error("`:` expected");
        this.#position++;
        this.#skipSpace();
        const valueStart = this.#position;
        const value = this.#value();
        object.addParsed(key, value, valueStart, this.#position);
      } while (this.#isFollowed(CLOSE_OBJECT));
    }
    object.setSpan(start, this.#position);
    this.#depth--;
    return object;
  }

  #array(): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.#enter();
    if (this.#bytes[this.#position] === CLOSE_ARRAY) {
      this.#position++;
    } else {
      do {
        this.#skipSpace();
        items.push(this.#value());
      } while (this.#isFollowed(CLOSE_ARRAY));
    }
    this.#depth--;
    return items;
  }

  #enter(): void {
    if (++this.#depth > this.#limits.maxDepth) {
      throw this.#error(`nesting deeper than ${this.#limits.maxDepth} levels`);
    }
    this.#position++;
    this.#skipSpace();
  }

  /** After a member: true for a comma, false for the closing bracket. */
  #isFollowed(close: number): boolean {
    this.#skipSpace();
    const byte = this.#bytes[this.#position];
    if (byte !== COMMA && byte !== close) throw this.#error(`\`,\` or \`${String.fromCharCode(close)}\` expected`);
    this.#position++;
    return byte === COMMA;
  }

  /** The position is after the opening quote; it ends after the closing one. */
  #string(): string {
    const bytes = this.#bytes;
    const start = this.#position;
    let at = start;
    let hasEscape = false;
    for (;;) {
      while (plainStringByte[bytes[at] as number] === 1) at++;
      const byte = bytes[at];
      if (byte === QUOTE) break;
      hasEscape ||= byte === BACKSLASH;
      at += this.#oddStringByte(byte, at);
    }
    this.#position = at + 1;
    if (hasEscape) return unescapeString(bytes, start, at, this.#limits.rawControlCharacters);
    return at - start <= SHORT_STRING ? this.#shortString(start, at) : bytes.toString(this.#encoding, start, at);
  }

  /** How many bytes to step over for a byte that is neither plain nor the closing quote. */
  #oddStringByte(byte: number | undefined, at: number): number {
    if (byte === BACKSLASH) return 2;
    if (byte !== undefined && this.#limits.rawControlCharacters) return 1;
    throw new JsonSyntaxError(
      byte === undefined ? "unterminated string" : "raw control character in a string",
      Math.min(at, this.#bytes.length),
    );
  }

  /** Keys, roles and types repeat within a body: one slot per hash saves most of the native decodes. */
  #shortString(start: number, end: number): string {
    const bytes = this.#bytes;
    const length = end - start;
    if (length === 0) return "";
    const slot = (length * 31 + (bytes[start] as number) * 7 + (bytes[end - 1] as number)) & (SLOTS - 1);
    const known = this.#shortStrings[slot];
    if (known !== undefined && known.length === length) {
      let at = 0;
      while (at < length && known.charCodeAt(at) === bytes[start + at]) at++;
      if (at === length) return known;
    }
    const text = bytes.toString(this.#encoding, start, end);
    // Beyond ASCII a byte could equal the code unit of another character.
    if (text.length === length) this.#shortStrings[slot] = text;
    return text;
  }

  #number(): JsonNumber {
    const bytes = this.#bytes;
    const start = this.#position;
    let at = bytes[start] === MINUS ? start + 1 : start;
    at = bytes[at] === ZERO ? at + 1 : this.#digits(at);
    let isInteger = true;
    if (bytes[at] === DOT) {
      isInteger = false;
      at = this.#digits(at + 1);
    }
    if (((bytes[at] ?? 0) | 0x20) === 0x65) {
      isInteger = false;
      const sign = bytes[at + 1];
      at = this.#digits(sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
    }
    this.#position = at;
    const number = new JsonNumber(bytes.toString("latin1", start, at), isInteger);
    if (this.#limits.finiteNumbers && !Number.isFinite(number.toNumber())) {
      throw new JsonSyntaxError("number out of range", start);
    }
    return number;
  }

  /** End of a run of at least one digit. */
  #digits(start: number): number {
    const bytes = this.#bytes;
    let at = start;
    for (let byte = bytes[at]; byte !== undefined && byte >= ZERO && byte <= NINE; byte = bytes[at]) at++;
    if (at === start) {
      this.#position = at;
      throw this.#error(at < bytes.length ? "a JSON value expected" : "unexpected end of the text");
    }
    return at;
  }

  #word<T extends JsonValue>(word: string, value: T): T {
    for (let at = 1; at < word.length; at++) {
      if (this.#bytes[this.#position + at] !== word.charCodeAt(at)) throw this.#error("a JSON value expected");
    }
    this.#position += word.length;
    return value;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.#position;
    for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++;
    this.#position = at;
  }

  #error(problem: string): JsonSyntaxError {
    return new JsonSyntaxError(problem, Math.min(this.#position, this.#bytes.length));
  }
}
