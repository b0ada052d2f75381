import type { JsonValue } from "../../json/index.ts";
import { dumpJson } from "../python/json-dump.ts";
import { jsonConversion, serdeNumber } from "../values/json.ts";

const convert = jsonConversion(serdeNumber);

/** Python's `json.dumps(value, ensure_ascii=False)` of a value that serde_json has read. */
export function pythonJson(value: JsonValue): string {
  return dumpJson(convert(value), {
    indent: undefined,
    itemSeparator: ", ",
    keySeparator: ": ",
    isAscii: false,
    nonFinite: () => "null",
  });
}
