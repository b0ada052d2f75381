const MAX_SIGNIFICAND = (1n << 64n) - 1n;
const MAX_POWER = 308;
/** Up to this integer, and with powers of ten up to 22, one multiplication or division gives the nearest double. */
const MAX_EXACT_SIGNIFICAND = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_EXACT_POWER = 22;

/**
 * The double that serde_json reads from a number: without its `float_roundtrip` feature, which the frontend does not have, the
 * digits that fit 64 bits are scaled by a power of ten, and the last place may be off (observed: 12345678901234567.0 is
 * 12345678901234566).
 * @param lexeme a number in JSON's grammar whose value is finite
 */
export function serdeDouble(lexeme: string): number {
  const [mantissa = "", exponentText = "0"] = lexeme.toLowerCase().split("e");
  const [integer = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const { significand, taken } = leadingDigits(integer + fraction);
  // Digits of the integer that did not fit count as zeros, those of the fraction are dropped.
  const exponent = integer.length - taken + Number(exponentText);
  if (significand <= MAX_EXACT_SIGNIFICAND && Math.abs(exponent) <= MAX_EXACT_POWER) return Number(lexeme);
  const size = scaled(Number(significand), exponent);
  return lexeme.startsWith("-") ? -size : size;
}

/** The longest run of leading digits that fits an unsigned 64-bit integer. */
function leadingDigits(digits: string): { readonly significand: bigint; readonly taken: number } {
  let taken = Math.min(digits.length, leadingZeros(digits) + 20);
  let significand = BigInt(digits.slice(0, taken));
  if (significand > MAX_SIGNIFICAND) significand = BigInt(digits.slice(0, --taken));
  return { significand, taken };
}

function leadingZeros(digits: string): number {
  const first = digits.search(/[1-9]/);
  return first === -1 ? digits.length : first;
}

function scaled(significand: number, exponent: number): number {
  let value = significand;
  let power = exponent;
  while (power < -MAX_POWER && value !== 0) {
    value /= 1e308;
    power += MAX_POWER;
  }
  if (value === 0) return 0;
  return power < 0 ? value / Number(`1e${-power}`) : value * Number(`1e${power}`);
}
