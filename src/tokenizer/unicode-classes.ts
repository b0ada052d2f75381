import { classRuns } from "./unicode-tables.generated.ts";

/** `\p{L}` */
export const letter = 1;
/** `\p{N}` */
export const digit = 2;
/** `\s` as Oniguruma has it: U+0085 is white space, U+FEFF is not. */
export const whiteSpace = 4;
/** `\p{M}` */
export const mark = 8;
/** `[\p{P}\p{S}]` */
export const punctuationOrSymbol = 16;
/** `[\p{Lu}\p{Lt}]` */
export const upperCase = 32;
/** `\p{Ll}` */
export const lowerCase = 64;
/** NFC of a text with such a character may differ from the text; without one it never does. */
export const mayNormalise = 128;

/** Class bits by code point, as the official engine's regular expressions see them. */
export const unicodeClasses: Uint8Array = expand(classRuns);

function expand(runs: readonly number[]): Uint8Array {
  const classes = new Uint8Array(0x11_0000);
  let start = 0;
  for (let run = 0; run < runs.length; run += 2) {
    const end = start + (runs[run] as number);
    classes.fill(runs[run + 1] as number, start, end);
    start = end;
  }
  return classes;
}
