import type { Buffer } from "node:buffer";
import type { JsonValue } from "./json-value.ts";
import { Parser } from "./parser.ts";

/** What a body may hold beyond JSON's grammar, or may not although it is within it. */
export interface JsonLimits {
  /** Deepest nesting of arrays and objects, 1 <= n <= 1024; default 512. One level deeper is refused. */
  readonly maxDepth?: number;
  /** Refuses numbers beyond the range of a double (`1e400`), as serde_json does. Default false: digits are kept anyway. */
  readonly finiteNumbers?: boolean;
  /** Takes raw control characters inside strings for themselves (dynamo@1.6.1 http/service/openai.rs). Default false: refused. */
  readonly rawControlCharacters?: boolean;
}

/** Largest `maxDepth`: a recursive reader of the value stays far from the end of the stack. */
export const MAX_JSON_DEPTH = 1024;

/**
 * Parses a whole body without loss: the order of keys, digits of numbers, repeated keys and byte spans are kept.
 * Not reentrant through callbacks; O(n).
 * @throws JsonSyntaxError on anything but exactly one JSON value in UTF-8: also on a byte order mark, invalid UTF-8, lone
 *   surrogates (raw or escaped), control characters in strings, text after the value, nesting beyond `maxDepth`
 */
export function parseJson(bytes: Buffer, limits: JsonLimits = {}): JsonValue {
  const { maxDepth = 512, finiteNumbers = false, rawControlCharacters = false } = limits;
  if (!(maxDepth >= 1 && maxDepth <= MAX_JSON_DEPTH)) {
    throw new RangeError(`maxDepth must be between 1 and ${MAX_JSON_DEPTH}, got ${maxDepth}`);
  }
  return new Parser(bytes, { maxDepth, finiteNumbers, rawControlCharacters }).document();
}
