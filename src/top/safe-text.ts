/**
 * Characters that act on a terminal instead of being shown: controls (C0, DEL, C1), those that turn the direction of writing, invisible ones,
 * separators of lines, halves of a surrogate pair, and what no font has (private use, not characters).
 */
const unshowable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;
/** Joins emoji to one, which is drawn as one. */
const joiner = "\u200d";
const replacement = "\ufffd";

/**
 * Text from elsewhere (names of workers, models, errors) as a terminal may be given it: one line, in which nothing moves the cursor or changes a
 * colour. A control character is shown by its picture (ESC as `␛`), anything else that cannot be shown by `�`.
 */
export function safeText(text: string): string {
  return text.replace(unshowable, (character, at: number) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return character === joiner && at > 0 ? joiner : replacement;
  });
}

/** The same for a terminal that knows ASCII alone: every other character is a question mark. */
export function asciiText(text: string): string {
  return safeText(text).replace(/[^\x20-\x7e]/gu, "?");
}
