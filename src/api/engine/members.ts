import { JsonObject, type JsonValue } from "../../json/index.ts";
import { Untokenizable } from "./untokenizable.ts";

// An engine's server is the judge of a body. What it would refuse, or take in a way that is not known here, has no tokens.

/** The member, undefined when it is null, too. */
export function given(object: JsonObject, name: string): JsonValue | undefined {
  const value = object.get(name);
  return value === null ? undefined : value;
}

/** A member that is not what the engine takes. */
export function notTaken(name: string): Untokenizable {
  return new Untokenizable(`\`${name}\` has a form that is not known here`);
}

/** The same, or a member that the engine needs and that is not there. */
export function missingOrNotTaken(object: JsonObject, name: string): Untokenizable {
  return object.has(name) ? notTaken(name) : new Untokenizable(`\`${name}\` is missing`);
}

export function textOf(object: JsonObject, name: string): string {
  const value = object.get(name);
  if (typeof value !== "string") throw missingOrNotTaken(object, name);
  return value;
}

/** Null counts as absent. */
export function optionalText(object: JsonObject, name: string): string | undefined {
  const value = given(object, name);
  if (value !== undefined && typeof value !== "string") throw notTaken(name);
  return value;
}

/** Null counts as absent. */
export function optionalFlag(object: JsonObject, name: string): boolean | undefined {
  const value = given(object, name);
  if (value !== undefined && typeof value !== "boolean") throw notTaken(name);
  return value;
}

/** A boolean that may be left out, but not be null. */
export function flagOr(object: JsonObject, name: string, fallback: boolean): boolean {
  const value = object.get(name);
  if (value === undefined) return fallback;
  if (typeof value !== "boolean") throw notTaken(name);
  return value;
}

/** SGLang refuses a `stream` that is null. */
export function refuseNullStream(root: JsonObject): void {
  if (root.get("stream") === null) throw notTaken("stream");
}

/** Null counts as absent. */
export function optionalObject(object: JsonObject, name: string): JsonObject | undefined {
  const value = given(object, name);
  if (value !== undefined && !(value instanceof JsonObject)) throw notTaken(name);
  return value;
}

/** The objects of a list. @throws Untokenizable for anything else in it */
export function objectsOf(values: readonly JsonValue[], name: string): readonly JsonObject[] {
  return values.map((value) => {
    if (!(value instanceof JsonObject)) throw notTaken(name);
    return value;
  });
}

/** An object of the given members, without those that are undefined. */
export function objectOf(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const entries: (readonly [string, JsonValue])[] = [];
  for (const [name, value] of Object.entries(members)) if (value !== undefined) entries.push([name, value]);
  return JsonObject.from(entries);
}

/** A text part of a message. */
export function textPart(text: string): JsonObject {
  return objectOf({ type: "text", text });
}
