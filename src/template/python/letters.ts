import { UnsupportedTemplateError } from "../template-errors.ts";
import { characters } from "./code-points.ts";
import { recentCharacters } from "./recent-characters.generated.ts";
import { pythonSpaces } from "./strip.ts";

/** What is known of such letters depends on the version of Unicode. */
export function refuseRecent(text: string): void {
  if (!/^\p{ASCII}*$/u.test(text) && recentCharacters.test(text))
    throw new UnsupportedTemplateError("the class of a recent character");
}

/** Classes of characters that Python's methods of `str` ask for. */
export type LetterClass = "alpha" | "alnum" | "digit" | "decimal" | "numeric";

// CJK ideographs that are numbers count as letters and as numbers (`Numeric_Type`), which has no escape: they are refused.
const classes: Readonly<Record<LetterClass, RegExp>> = {
  alpha: /^\p{L}+$/u,
  alnum: /^[\p{L}\p{N}]+$/u,
  digit: /^\p{Nd}+$/u,
  decimal: /^\p{Nd}+$/u,
  numeric: /^\p{N}+$/u,
};

const numericIdeographs =
  /[㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹壺幺廾廿弌弍弎弐扖拾捌柒漆玖百肆萬貮貳貳陆陌陸零两京仅仟佰垓念溝澗正秭穰載]/u;
const otherDigits =
  /[\u{b2}\u{b3}\u{b9}\u{1369}-\u{1371}\u{19da}\u{2070}-\u{2089}\u{2460}-\u{24ff}\u{2776}-\u{2793}\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]/u;

/** Python's `isalpha` and its kin. */
export function isAllOf(text: string, kind: LetterClass): boolean {
  refuseRecent(text);
  const isNumber = kind === "numeric" || kind === "digit";
  if (isNumber && (numericIdeographs.test(text) || otherDigits.test(text)))
    throw new UnsupportedTemplateError("the value of a number in letters");
  return classes[kind].test(text);
}

/** Python's `isupper`, `islower`: cased characters are all of that case, and there is one. */
export function isAllCased(text: string, isUpper: boolean): boolean {
  refuseRecent(text);
  const other = isUpper ? /[\p{Lowercase}\p{Lt}]/u : /[\p{Uppercase}\p{Lt}]/u;
  const wanted = isUpper ? /\p{Uppercase}/u : /\p{Lowercase}/u;
  return !other.test(text) && wanted.test(text);
}

const cased = /[\p{Lowercase}\p{Uppercase}\p{Lt}]/u;
/** Letters whose form at the start of a word is neither their capital nor themselves. */
const titleLetters =
  /[\u{df}\u{149}\u{1c4}-\u{1cc}\u{1f0}-\u{1f3}\u{390}\u{3b0}\u{587}\u{10d0}-\u{10ff}\u{1e96}-\u{1e9a}\u{1f50}-\u{1fff}\u{fb00}-\u{fb17}]/u;

function capital(character: string): string {
  if (titleLetters.test(character)) throw new UnsupportedTemplateError("the title case of a letter");
  return character.toUpperCase();
}

/** Python's `str.capitalize`; a final sigma looks back on the whole text. */
export function capitalize(text: string): string {
  refuseRecent(text);
  const [first = ""] = text;
  return capital(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

/** Python's `str.title`: a letter behind one is small, any other large. */
export function titleCase(text: string): string {
  refuseRecent(text);
  if (text.includes("Σ")) throw new UnsupportedTemplateError("the title case of a letter");
  let result = "";
  let isInWord = false;
  for (const character of text) {
    result += isInWord ? character.toLowerCase() : capital(character);
    isInWord = cased.test(character);
  }
  return result;
}

/** Python's `str.istitle`. */
export function isTitle(text: string): boolean {
  refuseRecent(text);
  let isInWord = false;
  let hasWord = false;
  for (const character of text) {
    const isLarge = /[\p{Uppercase}\p{Lt}]/u.test(character);
    const isSmall = /\p{Lowercase}/u.test(character);
    if ((isLarge && isInWord) || (isSmall && !isInWord)) return false;
    isInWord = isLarge || isSmall;
    hasWord ||= isInWord;
  }
  return hasWord;
}

/** Python's `str.swapcase`. */
export function swapCase(text: string): string {
  refuseRecent(text);
  if (text.includes("Σ")) throw new UnsupportedTemplateError("the case of a sigma");
  return characters(text)
    .map((character) =>
      /\p{Uppercase}/u.test(character)
        ? character.toLowerCase()
        : /\p{Lowercase}/u.test(character)
          ? character.toUpperCase()
          : character,
    )
    .join("");
}

const titleWord = new RegExp(`[^-${pythonSpaces}({[<]+`, "g");

/** jinja2's filter `title`: words begin after white space and some signs. */
export function titleWords(text: string): string {
  refuseRecent(text);
  return text.replace(titleWord, (word) => {
    const [first = ""] = word;
    return first.toUpperCase() + word.slice(first.length).toLowerCase();
  });
}
