import { spend, spendSearch } from "../work.ts";
import { isPythonSpace, stripLeft, stripRight } from "./strip.ts";

const lineEnds = "\\n\\v\\f\\r\\x1c-\\x1e\\x85\\u2028\\u2029";
const lineEnd = new RegExp(`\\r\\n|[${lineEnds}]`, "g");

/** Python's `str.split` at a separator that is not empty. `limit` is the most cuts, < 0 none. */
export function splitAt(text: string, separator: string, limit: number): string[] {
  spendSearch(text, separator);
  const parts: string[] = [];
  let from = 0;
  while (limit < 0 || parts.length < limit) {
    const at = text.indexOf(separator, from);
    if (at === -1) break;
    spend(4);
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** Python's `str.rsplit` at a separator. */
export function splitRightAt(text: string, separator: string, limit: number): string[] {
  spendSearch(text, separator);
  const parts: string[] = [];
  let to = text.length;
  while (limit < 0 || parts.length < limit) {
    const at = to < separator.length ? -1 : text.lastIndexOf(separator, to - separator.length);
    if (at === -1) break;
    spend(4);
    parts.push(text.slice(at + separator.length, to));
    to = at;
  }
  parts.push(text.slice(0, to));
  return parts.reverse();
}

/** Python's `str.split` at runs of white space; what follows the last cut keeps its end. */
export function splitWords(text: string, limit: number): string[] {
  spend(text.length);
  const words: string[] = [];
  const rest = stripLeft(text);
  let from = 0;
  while (from < rest.length) {
    if (words.length === limit) {
      words.push(rest.slice(from));
      break;
    }
    const end = edge(rest, from, true);
    words.push(rest.slice(from, end));
    from = edge(rest, end, false);
  }
  return words;
}

/** Python's `str.rsplit` at runs of white space. */
export function splitWordsRight(text: string, limit: number): string[] {
  spend(text.length);
  const words: string[] = [];
  let rest = stripRight(text);
  while (rest !== "") {
    if (words.length === limit) return [...words, rest].reverse();
    let at = rest.length;
    while (at > 0 && !isPythonSpace(rest.charCodeAt(at - 1))) at--;
    words.push(rest.slice(at));
    rest = stripRight(rest.slice(0, at));
  }
  return words.reverse();
}

function edge(text: string, from: number, isWord: boolean): number {
  let at = from;
  while (at < text.length && isPythonSpace(text.charCodeAt(at)) !== isWord) at++;
  return at;
}

/** Python's `str.splitlines`. */
export function splitLines(text: string, keepsEnds: boolean): string[] {
  spend(text.length);
  const lines: string[] = [];
  let from = 0;
  for (const match of text.matchAll(lineEnd)) {
    const end = match.index + match[0].length;
    spend(4);
    lines.push(text.slice(from, keepsEnds ? end : match.index));
    from = end;
  }
  if (from < text.length) lines.push(text.slice(from));
  return lines;
}
