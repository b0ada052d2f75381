import { characters } from "./code-points.ts";
import { refuseRecent } from "./letters.ts";
import { splitLines } from "./split.ts";
import { isPythonSpace } from "./strip.ts";

const space = "\\t\\n\\v\\f\\r ";
const wordCharacter = "\\p{L}\\p{N}_";
const letter = "[\\p{L}\\p{Nl}\\p{No}_]";
const wordEnd = `[${wordCharacter}!"'&.,?]`;

/** Where Python's `textwrap` may break a line: at white space, behind hyphens in words, at dashes (CPython 3.11 textwrap.py). */
const chunksWithHyphens = new RegExp(
  `([${space}]+|(?<=${wordEnd})-{2,}(?=[${wordCharacter}])|[^${space}]+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))` +
    `(?=${letter}-?${letter})|(?=[${space}]|$)|(?<=${wordEnd})(?=-{2,}[${wordCharacter}])))`,
  "u",
);
const chunksAtSpace = new RegExp(`([${space}]+)`, "u");

export interface WrapOptions {
  /** At least 1. */
  readonly width: number;
  readonly breaksLongWords: boolean;
  readonly breaksOnHyphens: boolean;
}

/** Lines of Python's `textwrap.wrap` for each line of the text. */
export function wrapLines(text: string, options: WrapOptions): readonly string[] {
  refuseRecent(text);
  return splitLines(text, false).map((line) => wrapped(line, options).join("\n"));
}

/** Lines of one paragraph; characters are code points. */
function wrapped(text: string, options: WrapOptions): string[] {
  const chunks = text
    .split(options.breaksOnHyphens ? chunksWithHyphens : chunksAtSpace)
    .filter((chunk) => chunk !== undefined && chunk !== "")
    .map((chunk): readonly string[] => characters(chunk));
  const lines: string[] = [];
  for (let at = 0; at < chunks.length; ) {
    if (lines.length > 0 && isBlank(chunks[at])) at++;
    const line = fitting(chunks, at, options.width);
    at += line.length;
    at += takeLong(line, chunks, at, options);
    if (isBlank(line.at(-1))) line.pop();
    if (line.length > 0) lines.push(line.flat().join(""));
  }
  return lines;
}

/** Puts what it can of a word that is too long for any line on this one. @returns 1 when that is all of it */
function takeLong(line: (readonly string[])[], chunks: (readonly string[])[], at: number, options: WrapOptions): 0 | 1 {
  const word = chunks[at];
  if (word === undefined || word.length <= options.width) return 0;
  const room = options.width - line.reduce((sum, chunk) => sum + chunk.length, 0);
  const cut = cutOf(word, room, line.length === 0, options);
  // The nothing that is cut off where a line is full keeps a blank before it from being dropped.
  if (cut > 0 || options.breaksLongWords) line.push(word.slice(0, cut));
  if (cut === word.length) return 1;
  chunks[at] = word.slice(cut);
  return 0;
}

/** How much of a word that is too long for any line goes on this one. */
function cutOf(word: readonly string[], room: number, isAlone: boolean, options: WrapOptions): number {
  if (options.breaksLongWords) return breakAt(word, room, options.breaksOnHyphens);
  return isAlone ? word.length : 0;
}

/** The chunks from a place on that fit a line. */
function fitting(chunks: readonly (readonly string[])[], from: number, width: number): (readonly string[])[] {
  let length = 0;
  let to = from;
  for (let next = chunks[to]; next !== undefined && length + next.length <= width; next = chunks[++to]) {
    length += next.length;
  }
  return chunks.slice(from, to);
}

function isBlank(chunk: readonly string[] | undefined): boolean {
  return chunk?.every((character) => isPythonSpace(character.charCodeAt(0))) === true;
}

function breakAt(chunk: readonly string[], room: number, breaksOnHyphens: boolean): number {
  if (!breaksOnHyphens || chunk.length <= room) return room;
  const hyphen = chunk.slice(0, room).lastIndexOf("-");
  return hyphen > 0 && chunk.slice(0, hyphen).some((character) => character !== "-") ? hyphen + 1 : room;
}

/** How many words Python's `\w+` finds. */
export function countWords(text: string): number {
  refuseRecent(text);
  let count = 0;
  for (const _ of text.matchAll(/[\p{L}\p{N}_]+/gu)) count++;
  return count;
}
