import { TemplateRefusal } from "../template-errors.ts";
import { spendSearch } from "../work.ts";

type Parts = readonly [before: string, separator: string, after: string];

/** Python's `str.partition`. @throws TemplateRefusal for an empty separator */
export function partition(text: string, separator: string): Parts {
  const at = searched(text, separator).indexOf(separator);
  return at === -1 ? [text, "", ""] : cut(text, separator, at);
}

/** Python's `str.rpartition`. @throws TemplateRefusal for an empty separator */
export function partitionRight(text: string, separator: string): Parts {
  const at = searched(text, separator).lastIndexOf(separator);
  return at === -1 ? ["", "", text] : cut(text, separator, at);
}

function searched(text: string, separator: string): string {
  if (separator === "") throw new TemplateRefusal();
  spendSearch(text, separator);
  return text;
}

function cut(text: string, separator: string, at: number): Parts {
  return [text.slice(0, at), separator, text.slice(at + separator.length)];
}
