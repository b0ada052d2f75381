import { patched } from "./patches.ts";
import { rawEnd, tagEnd, tagWords } from "./tags.ts";

/**
 * A template's source as the Dynamo frontend changes it when it loads it (dynamo-renderer@8.0.3 template/formatters.rs
 * `normalize_chat_template_source`): in tags, not in comments, raw blocks or quoted texts, a call of `items` becomes the filter, and a
 * block `generation` one that only has variables of its own; two known templates are patched.
 */
export function dynamoSource(source: string): string {
  return patched(withItemsFilter(source));
}

const tagStart = /\{[#{%]/g;

function withItemsFilter(source: string): string {
  let result = "";
  let at = 0;
  for (;;) {
    tagStart.lastIndex = at;
    const start = tagStart.exec(source)?.index ?? source.length;
    result += source.slice(at, start);
    const tagEnds = endOfTag(source, start);
    const isRawBlock = tagEnds !== -1 && isRaw(source.slice(start, tagEnds));
    const end = isRawBlock ? rawEnd(source, tagEnds) : tagEnds;
    // What has no end stays as it is, with all that follows.
    if (end === -1) return result + source.slice(start);
    result += isRawBlock ? source.slice(start, end) : changedTag(source.slice(start, end));
    at = end;
  }
}

function endOfTag(source: string, start: number): number {
  const kind = source.charAt(start + 1);
  if (kind === "#") {
    const end = source.indexOf("#}", start + 2);
    return end === -1 ? -1 : end + 2;
  }
  if (kind === "") return -1;
  return tagEnd(source, start + 2, kind === "{" ? "}}" : "%}");
}

function isRaw(tag: string): boolean {
  return tag.charAt(1) === "%" && tagWords(tag.slice(2, -2)) === "raw";
}

function changedTag(tag: string): string {
  const inner = tag.slice(2, -2);
  switch (tag.charAt(1)) {
    case "#":
      return tag;
    case "{":
      return `{{${changedCode(inner)}}}`;
    default:
      return `{%${changedBlock(inner)}%}`;
  }
}

function changedBlock(inner: string): string {
  const words = tagWords(inner);
  if (words === "generation") return inner.replace(words, "with");
  return words === "endgeneration" ? inner.replace(words, "endwith") : changedCode(inner);
}

const itemsOrQuoted = /\.items\(\)|'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?/gs;

function changedCode(code: string): string {
  return code.replace(itemsOrQuoted, (found) => (found === ".items()" ? "|items" : found));
}
