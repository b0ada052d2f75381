/** A double as `mantissa * 2 ** exponent`. */
interface Binary {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const bits = new DataView(new ArrayBuffer(8));

/** @param value finite and not below 0 */
function binaryOf(value: number): Binary {
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const power = Number(word >> 52n) & 0x7ff;
  const fraction = word & 0xf_ffff_ffff_ffffn;
  return power === 0
    ? { mantissa: fraction, exponent: -1_074 }
    : { mantissa: fraction | (1n << 52n), exponent: power - 1_075 };
}

/** `numerator / denominator`, both positive, to the nearest integer; halves go to the even one. */
export function roundedQuotient(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

/**
 * Python's `format(value, ".<precision>f")` of a finite double: its exact value, halves rounded to even.
 * @param precision 0 to 400
 */
export function exactFixed(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const { mantissa, exponent } = binaryOf(Math.abs(value));
  const scaled = mantissa * 10n ** BigInt(precision);
  const rounded = exponent >= 0 ? scaled << BigInt(exponent) : roundedQuotient(scaled, 1n << BigInt(-exponent));
  return sign + withPoint(rounded, precision);
}

/** Digits with a point before the last of them. */
export function withPoint(digits: bigint, precision: number): string {
  const text = String(digits).padStart(precision + 1, "0");
  return precision === 0 ? text : `${text.slice(0, -precision)}.${text.slice(-precision)}`;
}

/** A finite double rounded to a multiple of `10 ** tens`, halves to even. @param tens 1 to 400 */
export function roundedToTens(value: number, tens: number): number {
  const { mantissa, exponent } = binaryOf(Math.abs(value));
  const unit = 10n ** BigInt(tens);
  const rounded =
    exponent >= 0
      ? roundedQuotient(mantissa << BigInt(exponent), unit)
      : roundedQuotient(mantissa, unit << BigInt(-exponent));
  const size = Number(rounded * unit);
  return value < 0 ? -size : size;
}

/** Bits that a quotient keeps before it is rounded: more than a double has. */
const KEPT_BITS = 66;

/** Python's `left / right` of integers of any size: the nearest double; Infinity beyond. @param right not 0 */
export function dividedIntegers(left: bigint, right: bigint): number {
  const [a, b] = [left < 0n ? -left : left, right < 0n ? -right : right];
  const shift = KEPT_BITS - (a.toString(2).length - b.toString(2).length);
  const numerator = shift > 0 ? a << BigInt(shift) : a;
  const denominator = shift > 0 ? b : b << BigInt(-shift);
  const quotient = numerator / denominator;
  // A bit behind the rounded ones tells that there was more.
  const sticky = numerator % denominator === 0n ? 0n : 1n;
  const size = Number((quotient << 1n) | sticky) * 2 ** (-shift - 1);
  return left < 0n === right < 0n ? size : -size;
}
