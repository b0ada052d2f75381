import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { TemplateRefusal } from "../../template-errors.ts";
import { pythonJson } from "../json-text.ts";

/** A message with its content as text. */
export interface Turn {
  readonly role: string;
  /** Undefined when the message has none. */
  readonly content: string | undefined;
  /** A text, or segments. */
  readonly reasoning: JsonValue | undefined;
  readonly calls: readonly JsonValue[];
  /** Of a tool's result: the call that it answers. */
  readonly callId: string;
}

/** What stands with the first system message: tools and format of the request. */
export interface Preamble {
  /** Undefined when the request has none, or wants none used. */
  readonly tools: readonly JsonValue[] | undefined;
  readonly responseFormat: JsonValue | undefined;
}

/** @param textOf the text of content that is none */
export function turnOf(message: JsonObject, textOf: (content: JsonValue) => string | undefined): Turn {
  const role = message.get("role");
  if (typeof role !== "string") throw new TemplateRefusal();
  const content = message.get("content");
  const calls = message.get("tool_calls");
  const callId = message.get("tool_call_id");
  return {
    role,
    content: typeof content === "string" || content === undefined ? content : textOf(content),
    reasoning: message.get("reasoning_content"),
    calls: isList(calls) ? calls : [],
    callId: typeof callId === "string" ? callId : "",
  };
}

/** Texts and text parts, one right behind the other; other parts are left out. */
export function visibleText(content: JsonValue): string {
  if (!isList(content)) return pythonJson(content);
  return content.map(partText).join("");
}

function partText(part: JsonValue): string {
  if (typeof part === "string") return part;
  const text = part instanceof JsonObject && part.get("type") === "text" ? part.get("text") : undefined;
  return typeof text === "string" ? text : "";
}

/** "" for a call without. */
export function idOfCall(call: JsonValue): string {
  const id = call instanceof JsonObject ? call.get("id") : undefined;
  return typeof id === "string" ? id : "";
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The place of the last message that asks for an answer; -1 without one. */
export function lastQuestion(turns: readonly { readonly role: string }[]): number {
  return turns.findLastIndex(({ role }) => role === "user" || role === "developer");
}
