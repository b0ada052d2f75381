import { JsonObject, type JsonValue } from "../json/index.ts";

/** A message as the template sees it. */
export type Message = JsonObject;

/** The message with members set, in place where they are and last where they are new; undefined leaves a member out. */
export function withMembers(message: JsonObject, changes: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const members = new Map<string, JsonValue>(message.entries());
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) members.delete(key);
    else members.set(key, value);
  }
  return JsonObject.from(members);
}

/** The message without a member, whose place the last one takes: how the frontend's JSON library removes (serde_json `swap_remove`). */
export function withoutMember(message: JsonObject, name: string): JsonObject {
  const members = [...message.entries()];
  const at = members.findIndex(([key]) => key === name);
  const last = members.at(-1);
  if (at === -1 || last === undefined) return message;
  return JsonObject.from(members.with(at, last).slice(0, -1));
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A text part of a message. */
export function textPart(text: string): JsonObject {
  return JsonObject.from([
    ["type", "text"],
    ["text", text],
  ]);
}

/** A message of a role with plain content. */
export function plainMessage(role: string, content: JsonValue): Message {
  return JsonObject.from([
    ["role", role],
    ["content", content],
  ]);
}
