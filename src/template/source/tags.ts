/** Reading of tags as dynamo-renderer@8.0.3 reads them before a template is parsed (template/formatters.rs). */

const quotedOrSign = /'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|[{}%]/gs;

/** Where the tag that begins before `from` ends: behind `close`, quoted text and inner braces passed over; -1 without end. */
export function tagEnd(source: string, from: number, close: "}}" | "%}"): number {
  let depth = 0;
  quotedOrSign.lastIndex = from;
  for (let found = quotedOrSign.exec(source); found !== null; found = quotedOrSign.exec(source)) {
    if (depth === 0 && source.startsWith(close, found.index)) return found.index + close.length;
    if (found[0] === "{") depth++;
    else if (found[0] === "}" && depth > 0) depth--;
  }
  return -1;
}

const endOfRaw = /\{%[-+]?\s*endraw\s*[-+]?%\}/gu;

/** Where the text of a raw block ends, its end tag included; -1 without end. */
export function rawEnd(source: string, from: number): number {
  endOfRaw.lastIndex = from;
  const end = endOfRaw.exec(source);
  return end === null ? -1 : end.index + end[0].length;
}

/** The words of a tag, without the signs at its ends. */
export function tagWords(inner: string): string {
  return inner.replace(/^[-+]/, "").replace(/[-+]$/, "").trim();
}
