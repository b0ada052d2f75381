import { UnsupportedTemplateError } from "../template-errors.ts";

const prefixes: ReadonlyMap<number, string> = new Map([
  [2, "b"],
  [8, "o"],
  [16, "x"],
]);

/** Most digits that Python reads. */
const MAX_DIGITS = 4_300;

/** An integer as Python's `int(text, base)` reads it; undefined when it is none. @param text without white space at its ends */
export function parsedInteger(text: string, base: number): bigint | undefined {
  const parts = /^([+-]?)(?:0([box])_?)?([0-9a-z]+(?:_[0-9a-z]+)*)$/i.exec(text);
  if (parts === null) {
    if (/\p{Nd}/u.test(text.replace(/[0-9]/g, ""))) throw new UnsupportedTemplateError("digits beyond ASCII");
    return undefined;
  }
  const [, sign = "", prefix = "", written = ""] = parts;
  if (prefix === "") return signed(sign, digitsOf(written, base === 0 ? 10 : base, base === 0));
  const own = [...prefixes].find(([, letter]) => letter === prefix.toLowerCase())?.[0];
  if (base === 0 || base === own) return signed(sign, digitsOf(written, own ?? 10, false));
  return signed(sign, digitsOf(`0${prefix}${written}`, base, false));
}

function digitsOf(written: string, base: number, refusesZeros: boolean): bigint | undefined {
  if (base < 2 || base > 36) return undefined;
  const digits = written.replaceAll("_", "").toLowerCase();
  if (refusesZeros && /^0+[1-9]/.test(digits)) return undefined;
  if (digits.length > MAX_DIGITS && (base & (base - 1)) !== 0) return undefined;
  if (digits.length > 4 * MAX_DIGITS) throw new UnsupportedTemplateError("a huge integer");
  let value = 0n;
  if (base === 10) return /^\d+$/.test(digits) ? BigInt(digits) : undefined;
  for (const digit of digits) {
    const worth = Number.parseInt(digit, 36);
    if (worth >= base) return undefined;
    value = value * BigInt(base) + BigInt(worth);
  }
  return value;
}

function signed(sign: string, value: bigint | undefined): bigint | undefined {
  return value !== undefined && sign === "-" ? -value : value;
}
