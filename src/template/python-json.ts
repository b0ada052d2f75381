import { floatText } from "./python-text.ts";
import {
  isArray,
  isBoolean,
  isFloat,
  isInteger,
  isMapping,
  isNone,
  isString,
  type RuntimeValue,
} from "./runtime-values.ts";
import { UnsupportedTemplateError } from "./template-errors.ts";
import { integerText } from "./value-text.ts";

export interface DumpOptions {
  /** Spaces a level; undefined keeps everything on one line. */
  readonly indent?: number | undefined;
  readonly itemSeparator?: string | undefined;
  readonly keySeparator?: string | undefined;
  readonly ensureAscii?: boolean | undefined;
}

/** Python's `json.dumps` (transformers chat_template_utils.py `tojson`: `ensure_ascii=False`, nothing escaped for HTML). */
export function dumpJson(value: RuntimeValue, options: DumpOptions, depth = 0): string {
  if (isNone(value)) return "null";
  if (isString(value)) return dumpString(value.value, options);
  if (isInteger(value)) return integerText(value);
  if (isFloat(value)) return floatText(value.value);
  if (isBoolean(value)) return String(value.value);
  if (isArray(value)) {
    return enclosed(
      "[",
      "]",
      value.value.map((item) => dumpJson(item, options, depth + 1)),
      options,
      depth,
    );
  }
  if (!isMapping(value)) throw new UnsupportedTemplateError(`tojson of ${value.type}`);
  const { keySeparator = ": " } = options;
  const members = [...value.value].map(
    ([key, member]) => `${dumpString(key, options)}${keySeparator}${dumpJson(member, options, depth + 1)}`,
  );
  return enclosed("{", "}", members, options, depth);
}

function enclosed(open: string, close: string, items: readonly string[], options: DumpOptions, depth: number): string {
  const { indent, itemSeparator = indent === undefined ? ", " : "," } = options;
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(itemSeparator) + close;
  const inner = `\n${" ".repeat(indent * (depth + 1))}`;
  return `${open}${inner}${items.join(itemSeparator + inner)}\n${" ".repeat(indent * depth)}${close}`;
}

/** JSON.stringify escapes as Python does: quotes, backslash, the control characters below U+0020; strings hold no lone surrogates. */
function dumpString(value: string, options: DumpOptions): string {
  const json = JSON.stringify(value);
  if (options.ensureAscii !== true) return json;
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
