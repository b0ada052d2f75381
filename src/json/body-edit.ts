import { Buffer } from "node:buffer";
import type { JsonObject } from "./json-object.ts";

/** One change of a body: `body[0, offset) + insert + body[offset + deleteBytes, end)`. */
export interface BodyEdit {
  readonly offset: number;
  readonly deleteBytes: number;
  /** In parts, to be read one after the other. */
  readonly insert: readonly Buffer[];
}

/** The body after an edit; a copy. */
export function applyEdit(body: Buffer, edit: BodyEdit): Buffer {
  return Buffer.concat([body.subarray(0, edit.offset), ...edit.insert, body.subarray(edit.offset + edit.deleteBytes)]);
}

/**
 * Sets a member of an object parsed from `body`, and touches no other byte. A value that is there is replaced (of a repeated key
 * the last, which is the one that counts); a new member comes last, right before the closing brace.
 * @param jsonText the value, as JSON in UTF-8, whole or in parts; not checked
 */
export function setMember(
  body: Buffer,
  object: JsonObject,
  key: string,
  jsonText: Buffer | readonly Buffer[],
): BodyEdit {
  const parts = Buffer.isBuffer(jsonText) ? [jsonText] : jsonText;
  const span = object.valueSpan(key);
  if (span !== undefined) return { offset: span.start, deleteBytes: span.end - span.start, insert: parts };
  if (object.start < 0 || object.end > body.length) throw new RangeError("the object was not parsed from this body");
  const lead = Buffer.from(`${object.size === 0 ? "" : ","}${JSON.stringify(key)}:`);
  return { offset: object.end - 1, deleteBytes: 0, insert: [lead, ...parts] };
}
