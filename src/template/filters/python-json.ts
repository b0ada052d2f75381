import type { Filter } from "../dialect/dialect.ts";
import { dumpJson } from "../python/json-dump.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { BoundArguments } from "../values/arguments.ts";
import { isTrue } from "../values/iterate.ts";
import { isSequence, isText, textOf, type Value } from "../values/value.ts";

/** transformers' `tojson` (transformers@5 chat_template_utils.py): Python's `json.dumps`, nothing escaped for HTML. */
export const pythonJson: Filter = (value, args, frame) => {
  const bound = new BoundArguments(args, ["ensure_ascii", "indent", "separators", "sort_keys"]);
  const indent = indentText(bound.get("indent"));
  const [item, key] = separators(bound.get("separators"));
  const text = dumpJson(value, {
    indent,
    itemSeparator: item ?? (indent === undefined ? ", " : ","),
    keySeparator: key ?? ": ",
    sortsKeys: isTrue(bound.get("sort_keys")),
    isAscii: isTrue(bound.get("ensure_ascii")),
    nonFinite: (float) => (Number.isNaN(float) ? "NaN" : float > 0 ? "Infinity" : "-Infinity"),
  });
  frame.render.checkLength(text.length);
  return text;
};

function indentText(indent: Value): string | undefined {
  if (indent === null || indent === undefined) return undefined;
  if (isText(indent)) return textOf(indent);
  if (typeof indent === "boolean") return indent ? " " : "";
  if (typeof indent !== "number" || indent > 1_000) throw new TemplateRefusal();
  return " ".repeat(Math.max(0, indent));
}

function separators(pair: Value): readonly (string | undefined)[] {
  if (pair === null || pair === undefined) return [];
  if (!isSequence(pair) || pair.items.length !== 2) throw new TemplateRefusal();
  return pair.items.map((separator) => {
    if (!isText(separator)) throw new TemplateRefusal();
    return textOf(separator);
  });
}
