import { type JsonValue, serdeJsonTextWith } from "../../json/index.ts";
import { pythonFloatText } from "../../template/index.ts";

/**
 * Text or structured text as a prompt shows it: a string as it is, nothing for null, else as Python's
 * `json.dumps(value, ensure_ascii=False, separators=(",", ":"))` writes what serde_json read.
 */
export function structuredText(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "string" ? value : serdeJsonTextWith(value, pythonFloatText);
}
