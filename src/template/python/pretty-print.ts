import { UnsupportedTemplateError } from "../template-errors.ts";
import { DictValue } from "../values/dict-value.ts";
import { pythonRepr } from "../values/text.ts";
import { isSequence, isText, type Value } from "../values/value.ts";
import { lengthOf } from "./code-points.ts";

const width = 80;

/**
 * Python's `pprint.pformat`, which prints like `repr` with the keys of dicts in order.
 * @throws UnsupportedTemplateError for what does not fit on one line of 80
 */
export function prettyText(value: Value): string {
  const text = pythonRepr(sorted(value));
  const isFlat = !(value instanceof DictValue) && !isSequence(value) && !isText(value);
  if (!isFlat && lengthOf(text) > width - 1) throw new UnsupportedTemplateError("printing on several lines");
  if (isText(value) && text.includes("\\n")) throw new UnsupportedTemplateError("printing on several lines");
  return text;
}

function sorted(value: Value): Value {
  if (value instanceof DictValue) {
    const entries = value.entries();
    if (entries.some(([key]) => typeof key !== "string")) throw new UnsupportedTemplateError("printing dicts in order");
    const inOrder = entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    if (/[\ud800-\udfff]/.test(inOrder.map(([key]) => String(key)).join("")))
      throw new UnsupportedTemplateError("printing dicts in order");
    return DictValue.of(inOrder.map(([key, member]) => [key, sorted(member)] as const));
  }
  return isSequence(value) && (value.type === "list" || value.type === "tuple") ? value.mapped(sorted) : value;
}
