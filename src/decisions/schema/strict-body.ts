import type { Buffer } from "node:buffer";
import { JsonObject, JsonSyntaxError, type JsonValue, parseJson } from "../../json/index.ts";
import { DecisionError } from "../decision-error.ts";

/** Deepest nesting that serde_json reads. */
const maxDepth = 127;

/**
 * A body as an object whose keys are unique at every depth, after unescaping.
 * @throws DecisionError invalid_json; invalid_request for another JSON value, and for any `nvext`
 */
export function strictBody(bytes: Buffer): JsonObject {
  const body = uniqueJson(bytes);
  if (!(body instanceof JsonObject)) throw new DecisionError("invalid_request", "body must be a JSON object");
  if (body.has("nvext")) throw new DecisionError("invalid_request", "nvext is not supported by decision APIs");
  return body;
}

/** @throws DecisionError invalid_json */
function uniqueJson(bytes: Buffer): JsonValue {
  let value: JsonValue;
  try {
    value = parseJson(bytes, { maxDepth, finiteNumbers: true });
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
