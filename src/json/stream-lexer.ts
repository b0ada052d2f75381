import { Buffer } from "node:buffer";

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

/** Text that is no JSON, or beyond a bound. */
export class JsonStreamError extends Error {
  override readonly name = "JsonStreamError";
}

const modes = { between: 0, text: 1, number: 2, literal: 3 } as const;
/** What may come next. */
const expects = { value: 0, firstValue: 1, key: 2, firstKey: 3, colon: 4, comma: 5, nothing: 6 } as const;

const quote = 0x22;
const backslash = 0x5c;
const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** What a number's digits stand for, and what may come between. */
const phases = { integer: 0, fraction: 1, exponent: 2 } as const;

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
  /** A number or literal so far. */
  #word = "";
  #low = 0;
  #high = 0;
  /** Of the phase so far. */
  #digits = 0;
  #phase: number = phases.integer;
  #beginsWithZero = false;
  #hasExponentSign = false;
  #isNegative = false;
  #isPlain = true;

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

  /** Digits are added up as they come: nearly all of a dump is numbers. */
  #readNumber(chunk: Buffer, from: number): number {
    let low = this.#low;
    let high = this.#high;
    let at = from;
    if (this.#digits === 0 && this.#isPlain) this.#beginsWithZero = chunk[chunk[at] === 0x2d ? at + 1 : at] === 0x30;
    for (; at < chunk.length; at++) {
      const digit = (chunk[at] as number) - 0x30;
      if (digit < 0 || digit > 9) {
        if (this.#isNumberSign(digit + 0x30)) continue;
        break;
      }
      this.#digits++;
      low = low * 10 + digit;
      high = high * 10 + Math.floor(low / 0x1_0000_0000);
      low %= 0x1_0000_0000;
      if (high >= 0x1_0000_0000) {
        this.#isPlain = false;
        high = 0;
      }
    }
    this.#low = low;
    this.#high = high;
    if (at < chunk.length) this.#endNumber();
    return at;
  }

  /** Whether a byte is part of a number beside its digits: a sign, a point or an exponent, each in its place. */
  #isNumberSign(byte: number): boolean {
    if (byte === 0x2d || byte === 0x2b) return this.#isSign(byte === 0x2d);
    const isPoint = byte === 0x2e;
    if (!isPoint && byte !== 0x65 && byte !== 0x45) return false;
    if (this.#phase >= (isPoint ? phases.fraction : phases.exponent)) throw misplaced();
    this.#endDigits();
    this.#phase = isPoint ? phases.fraction : phases.exponent;
    this.#digits = 0;
    this.#isPlain = false;
    return true;
  }

  #isSign(isMinus: boolean): boolean {
    const isFirst = this.#phase === phases.integer ? isMinus && !this.#isNegative : !this.#hasExponentSign;
    if (!isFirst || this.#digits > 0 || this.#phase === phases.fraction) throw misplaced();
    if (this.#phase === phases.integer) this.#isNegative = true;
    else this.#hasExponentSign = true;
    return true;
  }

  #endDigits(): void {
    const hasZeroBefore = this.#phase === phases.integer && this.#beginsWithZero && this.#digits > 1;
    if (this.#digits === 0 || hasZeroBefore) throw new JsonStreamError("a number that is none");
  }

  #endNumber(): void {
    if (!this.#isPlain || this.#digits === 0 || this.#beginsWithZero) this.#endDigits();
    const isNegative = this.#isNegative;
    const isInteger = this.#isPlain && !(isNegative && isBeyondSigned(this.#low, this.#high));
    const { low, high } = isNegative ? negated(this.#low, this.#high) : { low: this.#low, high: this.#high };
    this.#low = 0;
    this.#high = 0;
    this.#digits = 0;
    this.#isNegative = false;
    if (!this.#isPlain) {
      this.#isPlain = true;
      this.#phase = phases.integer;
      this.#hasExponentSign = false;
    }
    this.#parts.number(isInteger, low, high);
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

function misplaced(): JsonStreamError {
  return new JsonStreamError("something in a place where JSON has none");
}

function isBeyondSigned(low: number, high: number): boolean {
  return high > 0x8000_0000 || (high === 0x8000_0000 && low > 0);
}

function negated(low: number, high: number): { low: number; high: number } {
  return { low: -low >>> 0, high: (low === 0 ? -high : -high - 1) >>> 0 };
}
