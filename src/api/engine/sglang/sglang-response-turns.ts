import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { textPart } from "../members.ts";

/** Messages of an assistant that follow each other become one, as far as they are of the same phase. */
export function mergeAssistants(messages: readonly JsonObject[]): readonly JsonObject[] {
  const merged: JsonObject[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last !== undefined && isContinuation(last, message)) merged[merged.length - 1] = joined(last, message);
    else merged.push(message);
  }
  return merged;
}

function isContinuation(last: JsonObject, message: JsonObject): boolean {
  if (last.get("role") !== "assistant" || message.get("role") !== "assistant") return false;
  return last.get("phase") === message.get("phase") || (last.size === 2 && last.has("reasoning_content"));
}

function joined(last: JsonObject, message: JsonObject): JsonObject {
  const members = new Map<string, JsonValue>(last.entries());
  const set = (name: string, value: JsonValue | undefined) => {
    if (value !== undefined) members.set(name, value);
  };
  set("phase", message.get("phase"));
  set("content", joinedContent(last.get("content"), message.get("content")));
  set("tool_calls", joinedLists(last.get("tool_calls"), message.get("tool_calls")));
  set("reasoning_content", joinedTexts(last.get("reasoning_content"), message.get("reasoning_content"), "\n"));
  return JsonObject.from(members);
}

/** Texts a blank line apart; beside parts text is one. */
function joinedContent(last: JsonValue | undefined, next: JsonValue | undefined): JsonValue | undefined {
  if (isNothing(next)) return last;
  if (isNothing(last)) return next;
  if (typeof last === "string" && typeof next === "string") return `${last}\n\n${next}`;
  return [...partsOf(last), ...partsOf(next)];
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "";
}

function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (isList(content)) return content;
  return typeof content === "string" && content !== "" ? [textPart(content)] : [];
}

function joinedLists(last: JsonValue | undefined, next: JsonValue | undefined): JsonValue | undefined {
  if (!isList(next) || next.length === 0) return last;
  return [...(isList(last) ? last : []), ...next];
}

function joinedTexts(
  last: JsonValue | undefined,
  next: JsonValue | undefined,
  separator: string,
): JsonValue | undefined {
  if (isNothing(next)) return last;
  return typeof last === "string" && last !== "" && typeof next === "string" ? last + separator + next : next;
}
