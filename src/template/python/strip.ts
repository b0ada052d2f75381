import { spend } from "../work.ts";

/** What Python's `str.isspace` holds for; JavaScript's `\s` lacks U+001C to U+001F and U+0085, and has U+FEFF. */
export function isPythonSpace(code: number): boolean {
  if (code <= 0x20) return (code >= 9 && code <= 13) || code >= 0x1c;
  if (code < 0x85) return false;
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** The same as characters of a pattern. */
export const pythonSpaces = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** Python's `str.lstrip`; `characters` is a set, white space when absent. What loses nothing is returned as it is. */
export function stripLeft(text: string, characters?: string): string {
  return slice(text, leftEdge(text, characters), text.length);
}

/** Python's `str.rstrip`. */
export function stripRight(text: string, characters?: string): string {
  return slice(text, 0, rightEdge(text, 0, characters));
}

/** Python's `str.strip`. */
export function strip(text: string, characters?: string): string {
  const from = leftEdge(text, characters);
  return slice(text, from, rightEdge(text, from, characters));
}

function slice(text: string, from: number, to: number): string {
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

function leftEdge(text: string, characters: string | undefined): number {
  let from = 0;
  if (characters === undefined) {
    while (from < text.length && isPythonSpace(text.charCodeAt(from))) from++;
    return from;
  }
  spend(characters.length);
  const set = new Set(characters);
  for (const character of text) {
    if (!set.has(character)) break;
    from += character.length;
  }
  spend(from);
  return from;
}

function rightEdge(text: string, from: number, characters: string | undefined): number {
  let end = text.length;
  if (characters === undefined) {
    while (end > from && isPythonSpace(text.charCodeAt(end - 1))) end--;
    return end;
  }
  spend(characters.length);
  const set = new Set(characters);
  while (end > from) {
    const character = lastCharacter(text, end);
    if (!set.has(character)) break;
    end -= character.length;
  }
  spend(text.length - end);
  return end;
}

function lastCharacter(text: string, end: number): string {
  const unit = text.charCodeAt(end - 1);
  const isPair = unit >= 0xdc00 && unit <= 0xdfff && end > 1;
  return text.slice(isPair ? end - 2 : end - 1, end);
}
