import type { Buffer } from "node:buffer";
import { JsonObject, type JsonReader, JsonSyntaxError, type JsonValue, parseJson } from "../../json/index.ts";
import { DecisionError } from "../decision-error.ts";

/** Deepest nesting that serde_json reads. */
const maxDepth = 127;

/** What a body may cost to read. */
export interface BodyBounds {
  /** Looks over the body before it is read. */
  readonly reader: JsonReader;
  /** Most values and keys: each takes a fraction of a microsecond, and more than that many tokens are refused anyway. */
  readonly maxValues: number;
}

/**
 * A body as an object whose keys are unique at every depth, after unescaping.
 * @param bounds absent = there are none
 * @throws DecisionError invalid_json; invalid_request for another JSON value, for any `nvext`, and beyond the bounds
 */
export function strictBody(bytes: Buffer, bounds?: BodyBounds): JsonObject {
  if (bounds !== undefined) checkBounds(bytes, bounds);
  const body = uniqueJson(bytes, bounds?.reader);
  if (!(body instanceof JsonObject)) throw new DecisionError("invalid_request", "body must be a JSON object");
  if (body.has("nvext")) throw new DecisionError("invalid_request", "nvext is not supported by decision APIs");
  return body;
}

function checkBounds(bytes: Buffer, { reader, maxValues }: BodyBounds): void {
  const weight = reader.weigh(bytes, maxValues, { maxDepth });
  // The scan says no without reading what would take long to be found wrong.
  if (weight === undefined) throw notJson(undefined);
  if (weight.records > maxValues) {
    throw new DecisionError(
      "invalid_request",
      `request has over ${maxValues} JSON values; that is the System One limit`,
    );
  }
}

/** @throws DecisionError invalid_json */
function uniqueJson(bytes: Buffer, reader: JsonReader | undefined): JsonValue {
  let value: JsonValue;
  try {
    value = parseJson(bytes, { maxDepth, finiteNumbers: true, ...(reader === undefined ? {} : { reader }) });
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) throw notJson(cause);
    throw cause;
  }
  if (hasRepeatedKey(value)) throw notJson(undefined);
  return value;
}

function notJson(cause: unknown): DecisionError {
  return new DecisionError("invalid_json", "body must be valid JSON with unique object keys", { cause });
}

function hasRepeatedKey(value: JsonValue): boolean {
  if (value instanceof JsonObject) {
    if (value.duplicateKeys.length > 0) return true;
    for (const [, member] of value.entries()) if (hasRepeatedKey(member)) return true;
    return false;
  }
  return Array.isArray(value) && value.some(hasRepeatedKey);
}
