import { recentCharacters } from "../python/recent-characters.generated.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";

/** Whether this runtime's Unicode is that of the Dynamo frontend, which knows U+0C5C: 17.0. */
const isUnicode17 = /\p{L}/u.test("\u0c5c");

/** What is known of some letters depends on the version of Unicode. */
export function refuseUnknownLetters(text: string): void {
  if (!isUnicode17 && recentCharacters.test(text))
    throw new UnsupportedTemplateError("the class of a recent character");
}

/** Rust's capital of the first letter and small letters for the rest, of which a final sigma does not look back. */
export function capitalize(text: string): string {
  refuseUnknownLetters(text);
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** minijinja's `title`: words end at ASCII punctuation and white space, letters change one by one. */
export function titleCase(text: string): string {
  refuseUnknownLetters(text);
  return text.replace(/[^\p{White_Space}!-/:-@[-`{-~]+/gu, (word) => {
    const [first = ""] = word;
    return first.toUpperCase() + [...word.slice(first.length)].map((letter) => letter.toLowerCase()).join("");
  });
}
