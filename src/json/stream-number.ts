import type { Buffer } from "node:buffer";
import { JsonStreamError, misplaced } from "./stream-error.ts";

/** What a number's digits stand for, and what may come between. */
const phases = { integer: 0, fraction: 1, exponent: 2 } as const;

/**
 * Reads JSON numbers, one after the other, each of which may be spread over chunks. Digits are added up as they come: nearly all of a
 * dump is numbers.
 */
export class StreamNumber {
  /** Whether the number that has ended is an integer within 64 bits, signed or not. */
  isInteger = false;
  /** Of such an integer, with {@link high}: its two's complement. */
  low = 0;
  high = 0;
  #low = 0;
  #high = 0;
  /** Of the phase so far. */
  #digits = 0;
  #phase: number = phases.integer;
  #beginsWithZero = false;
  #hasExponentSign = false;
  #isNegative = false;
  #isPlain = true;

  /** Returns where the number ends; at the chunk's end it may go on in the next one. Throws JsonStreamError. */
  read(chunk: Buffer, from: number): number {
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
    return at;
  }

  /** The number is over. Throws JsonStreamError when it is none. */
  end(): void {
    if (!this.#isPlain || this.#digits === 0 || this.#beginsWithZero) this.#endDigits();
    const low = this.#low;
    const high = this.#high;
    const isNegative = this.#isNegative;
    this.isInteger = this.#isPlain && !(isNegative && isBeyondSigned(low, high));
    this.low = isNegative ? -low >>> 0 : low;
    this.high = isNegative ? (low === 0 ? -high : -high - 1) >>> 0 : high;
    this.#low = 0;
    this.#high = 0;
    this.#digits = 0;
    this.#isNegative = false;
    if (!this.#isPlain) {
      this.#isPlain = true;
      this.#phase = phases.integer;
      this.#hasExponentSign = false;
    }
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
}

function isBeyondSigned(low: number, high: number): boolean {
  return high > 0x8000_0000 || (high === 0x8000_0000 && low > 0);
}
