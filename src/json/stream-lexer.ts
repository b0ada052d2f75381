import { Buffer } from "node:buffer";
import { JsonStreamError, misplaced } from "./stream-error.ts";
import { StreamNumber } from "./stream-number.ts";

/** Told of a JSON text's parts, in order. */
export interface JsonParts {
  open(isArray: boolean): void;
  close(): void;
  /** @param bytes between the quotes, as written; valid during the call */
  key(bytes: Buffer): void;
  /** @param bytes as those of a key */
  text(bytes: Buffer): void;
  /** A number; of an integer within 64 bits, signed or not, its two's complement is in `low` and `high`. */
  number(isInteger: boolean, low: number, high: number): void;
  literal(value: boolean | null): void;
}

const modes = { between: 0, text: 1, number: 2, literal: 3 } as const;
/** What may come next. */
const expects = { value: 0, firstValue: 1, key: 2, firstKey: 3, colon: 4, comma: 5, nothing: 6 } as const;

const quote = 0x22;
const backslash = 0x5c;
const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** Longest text that is spread over chunks, bytes. */
const maxTextBytes = 1_048_576;
const maxDepth = 64;

/**
 * Reads one JSON text that comes in chunks, strictly, and holds none of it but a text or number that is cut by a chunk's end. Texts
 * are not looked into: `jsonTextOf` does that. O(bytes).
 */
export class JsonStreamLexer {
  readonly #parts: JsonParts;
  #mode: number = modes.between;
  #expects: number = expects.value;
  /** One bit a level: whether it is an array. */
  readonly #isArray: boolean[] = [];
  #isEscaped = false;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** A literal so far. */
  #word = "";
  readonly #number = new StreamNumber();

  constructor(parts: JsonParts) {
    this.#parts = parts;
  }

  /** Throws JsonStreamError, and what the parts throw. */
  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#mode === modes.text) at = this.#readText(chunk, at);
      else if (this.#mode === modes.number) at = this.#readNumber(chunk, at);
      else if (this.#mode === modes.literal) at = this.#readLiteral(chunk, at);
      else at = this.#readStructure(chunk, at);
    }
  }

  /** The text is over. Throws JsonStreamError when it is not whole. */
  end(): void {
    if (this.#mode === modes.number) this.#endNumber();
    if (this.#mode === modes.literal) this.#endLiteral();
    if (this.#expects !== expects.nothing) throw new JsonStreamError("the text ends too early");
  }

  #readStructure(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      switch (byte) {
        case 0x20:
        case 0x0a:
        case 0x0d:
        case 0x09:
          continue;
        case 0x2c:
          this.#onComma();
          continue;
        case 0x3a:
          this.#expect(expects.colon);
          this.#expects = expects.value;
          continue;
        case 0x7b:
        case 0x5b:
          this.#open(byte === 0x5b);
          continue;
        case 0x7d:
        case 0x5d:
          this.#close(byte === 0x5d);
          continue;
        case quote:
          if (this.#expects !== expects.key && this.#expects !== expects.firstKey) this.#expectValue();
          this.#mode = modes.text;
          return at + 1;
      }
      this.#expectValue();
      this.#mode = byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? modes.number : modes.literal;
      return at;
    }
    return chunk.length;
  }

  #open(isArray: boolean): void {
    this.#expectValue();
    if (this.#isArray.length >= maxDepth) throw new JsonStreamError(`it is nested deeper than ${maxDepth}`);
    this.#isArray.push(isArray);
    this.#expects = isArray ? expects.firstValue : expects.firstKey;
    this.#parts.open(isArray);
  }

  #close(isArray: boolean): void {
    const isEmpty = this.#expects === (isArray ? expects.firstValue : expects.firstKey);
    if (this.#isArray.pop() !== isArray || !(isEmpty || this.#expects === expects.comma)) throw misplaced();
    this.#parts.close();
    this.#afterValue();
  }

  #onComma(): void {
    this.#expect(expects.comma);
    this.#expects = this.#isArray.at(-1) === true ? expects.value : expects.key;
  }

  #expect(what: number): void {
    if (this.#expects !== what) throw misplaced();
  }

  #expectValue(): void {
    if (this.#expects !== expects.value && this.#expects !== expects.firstValue) throw misplaced();
  }

  #afterValue(): void {
    this.#mode = modes.between;
    this.#expects = this.#isArray.length === 0 ? expects.nothing : expects.comma;
  }

  #readText(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) {
        this.#onText(this.#taken(chunk.subarray(from, at)));
        return at + 1;
      } else if (byte < 0x20) throw new JsonStreamError("a control character in a text");
    }
    this.#hold(chunk.subarray(from));
    return chunk.length;
  }

  #onText(bytes: Buffer): void {
    if (this.#expects === expects.key || this.#expects === expects.firstKey) {
      this.#mode = modes.between;
      this.#expects = expects.colon;
      this.#parts.key(bytes);
      return;
    }
    this.#parts.text(bytes);
    this.#afterValue();
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length;
    if (this.#heldBytes > maxTextBytes) throw new JsonStreamError(`a text of over ${maxTextBytes} bytes`);
    this.#held.push(Buffer.from(part));
  }

  #taken(last: Buffer): Buffer {
    if (this.#heldBytes === 0) return last;
    const whole = Buffer.concat([...this.#held, last]);
    this.#held = [];
    this.#heldBytes = 0;
    return whole;
  }

  #readNumber(chunk: Buffer, from: number): number {
    const at = this.#number.read(chunk, from);
    if (at < chunk.length) this.#endNumber();
    return at;
  }

  #endNumber(): void {
    const number = this.#number;
    number.end();
    this.#parts.number(number.isInteger, number.low, number.high);
    this.#afterValue();
  }

  #readLiteral(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length && (chunk[at] as number) >= 0x61 && (chunk[at] as number) <= 0x7a) at++;
    this.#word += chunk.toString("latin1", from, Math.min(at, from + 6));
    if (this.#word.length > 5) throw misplaced();
    if (at < chunk.length) this.#endLiteral();
    return at;
  }

  #endLiteral(): void {
    const value = literals[this.#word];
    if (value === undefined) throw misplaced();
    this.#word = "";
    this.#parts.literal(value);
    this.#afterValue();
  }
}

/** What a text says. Throws JsonStreamError for a bad escape or for bytes that are no UTF-8. */
export function jsonTextOf(bytes: Buffer): string {
  try {
    return String(JSON.parse(`"${utf8.decode(bytes)}"`));
  } catch (cause) {
    throw new JsonStreamError("a text that is none", { cause });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
