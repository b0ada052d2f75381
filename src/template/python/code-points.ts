import { spend } from "../work.ts";

const lowSurrogate = /[\udc00-\udfff]/;

/** Length in code points, as Python counts. Of a text in Latin-1, as V8 keeps most, the pattern is known not to match without looking. */
export function lengthOf(text: string): number {
  if (!lowSurrogate.test(text)) return text.length;
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) length--;
  }
  return length;
}

/** A place in UTF-16 units as one in code points; -1 stays. */
export function codePoints(text: string, at: number): number {
  return at === -1 ? -1 : lengthOf(text.slice(0, at));
}

/** The characters of a text, each by itself. */
export function characters(text: string): string[] {
  spend(text.length * 2);
  return [...text];
}

/** The character at a place, from the end where that is negative. Looks at no more of the text than it must. */
export function characterAt(text: string, place: number): string | undefined {
  const near = place < 0 ? text.slice(2 * place) : text.slice(0, 2 * (place + 1));
  return characters(near).at(place);
}
