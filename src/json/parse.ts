import type { Buffer } from "node:buffer";
import type { JsonLimits } from "./json-limits.ts";
import { JsonReader } from "./json-reader.ts";
import type { JsonValue } from "./json-value.ts";

/** `JsonLimits`, and who reads. */
export interface ParseJsonOptions extends JsonLimits {
  /** Whose kept strings are found again; default one reader of the process (of the worker thread), which keeps 64 MiB. */
  readonly reader?: JsonReader;
}

const sharedReader = new JsonReader();

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
