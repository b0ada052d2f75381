import type { Buffer } from "node:buffer";
import type { JsonLimits } from "./json-limits.ts";
import { JsonReader } from "./json-reader.ts";
import type { JsonValue } from "./json-value.ts";

/** `JsonLimits`, and who reads. */
export interface ParseJsonOptions extends JsonLimits {
  /** Whose kept strings are found again; default {@link sharedReader}. */
  readonly reader?: JsonReader;
}

/**
 * Reads what nobody has a reader for: texts within texts, answers, files. One of the process (of the worker thread). It keeps
 * 4 MiB of strings, as arguments of tool calls come again with each turn.
 */
export const sharedReader = new JsonReader({ internedBytes: 4 * 1_048_576 });

/**
 * Parses a whole body without loss: the order of keys, digits of numbers, repeated keys and byte spans are kept.
 * Strings that the reader keeps are the same objects again (see `JsonReader`). O(n).
 * @throws JsonSyntaxError on anything but exactly one JSON value in UTF-8: also on a byte order mark, invalid UTF-8, lone
 *   surrogates (raw or escaped), control characters in strings, text after the value, nesting beyond `maxDepth`
 */
export function parseJson(bytes: Buffer, options: ParseJsonOptions = {}): JsonValue {
  const { reader = sharedReader } = options;
  return reader.parse(bytes, options);
}
