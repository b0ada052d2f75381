import { TemplateRefusal } from "../template-errors.ts";
import { spend, spendSearch } from "../work.ts";
import { minijinjaEquals, pythonEquals } from "./compare.ts";
import { DictValue } from "./dict-value.ts";
import { pythonIterate } from "./iterate.ts";
import { minijinjaText } from "./text.ts";
import { isSequence, isText, textOf, type Value } from "./value.ts";

/** Python's `item in container`. */
export function pythonContains(container: Value, item: Value): boolean {
  if (isText(container)) {
    if (!isText(item)) throw new TemplateRefusal();
    return includes(textOf(container), textOf(item));
  }
  if (container instanceof DictValue) return container.entryOf(item) !== undefined;
  const isKeys = isSequence(container) && container.type === "view" && container.text === "dict_keys";
  // What cannot be a key is not looked for among keys.
  if (isKeys && (item instanceof DictValue || (isSequence(item) && item.type !== "tuple"))) throw new TemplateRefusal();
  const items = pythonIterate(container);
  spend(items.length);
  return items.some((member) => pythonEquals(member, item));
}

/** minijinja's `item in container`. */
export function minijinjaContains(container: Value, item: Value): boolean {
  if (container === undefined) return false;
  if (isText(container)) return includes(textOf(container), isText(item) ? textOf(item) : minijinjaText(item));
  if (container instanceof DictValue)
    return !isSequence(item) && !(item instanceof DictValue) && container.entryOf(item) !== undefined;
  if (!isSequence(container)) throw new TemplateRefusal();
  spend(container.items.length);
  return container.items.some((member) => minijinjaEquals(member, item));
}

function includes(text: string, part: string): boolean {
  spendSearch(text, part);
  return text.includes(part);
}
