import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, objectOf } from "../members.ts";
import { pythonJson } from "../python-json.ts";
import { Untokenizable } from "../untokenizable.ts";
import { vllmContent } from "./vllm-content.ts";
import { messageForm } from "./vllm-message-dicts.ts";

/**
 * A message as vLLM holds it once it is read (vllm@0.33.0 renderers/chat_utils/chat_message.py), but for what the template decides:
 * content is a list of parts, the arguments of calls are objects.
 * @throws Untokenizable for what its server refuses, or media
 */
export function vllmMessage(source: JsonObject): JsonObject {
  const message = withReasoning(source);
  const role = message.get("role");
  if (typeof role !== "string") throw notTaken("role");
  const form = messageForm(message, role);
  if (role === "developer" && given(message, "tools") !== undefined) {
    throw new Untokenizable("a message with tools of its own");
  }
  return objectOf({
    role,
    content: vllmContent(message.get("content"), role, form),
    ...(role === "assistant" ? assistantMembers(message) : {}),
    tool_call_id: role === "tool" ? message.get("tool_call_id") : undefined,
    name: textMember(message, "name"),
    task: textMember(message, "task"),
    tools: role === "developer" ? null : undefined,
  });
}

/** `reasoning_content` is another name for `reasoning`, which wins. */
export function withReasoning(source: JsonObject): JsonObject {
  if (!source.has("reasoning_content")) return source;
  const reasoning = given(source, "reasoning") ?? source.get("reasoning_content") ?? null;
  const isKept = source.has("reasoning") || reasoning !== null;
  const others = [...source.entries()].filter(([name]) => name !== "reasoning_content" && name !== "reasoning");
  return JsonObject.from(isKept ? [...others, ["reasoning", reasoning]] : others);
}

function textMember(message: JsonObject, name: string): string | undefined {
  const value = message.get(name);
  return typeof value === "string" ? value : undefined;
}

function assistantMembers(message: JsonObject): Readonly<Record<string, JsonValue | undefined>> {
  const calls = given(message, "tool_calls");
  const reasoning = given(message, "reasoning");
  if (reasoning instanceof JsonObject && reasoning.get("type") === "prompt_embeds") throw notTaken("reasoning");
  return {
    tool_calls: isList(calls) && calls.length > 0 ? calls.map(toolCall) : undefined,
    reasoning,
    reasoning_content: reasoning,
  };
}

/** Members in the order of the typed dict, others behind them. */
function toolCall(call: JsonValue): JsonObject {
  const target = call instanceof JsonObject ? call.get("function") : undefined;
  if (!(call instanceof JsonObject && target instanceof JsonObject)) throw notTaken("tool_calls");
  const [id, type, name, text] = [call.get("id"), call.get("type"), target.get("name"), target.get("arguments")];
  if (typeof id !== "string" || type !== "function") throw notTaken("tool_calls");
  if (typeof name !== "string" || typeof text !== "string") throw notTaken("tool_calls");
  const called = JsonObject.from([
    ["arguments", vllmCallArguments(text)],
    ["name", name],
    ...others(target, "arguments", "name"),
  ]);
  return JsonObject.from([["id", id], ["function", called], ["type", type], ...others(call, "id", "function", "type")]);
}

function others(object: JsonObject, ...names: readonly string[]): readonly (readonly [string, JsonValue])[] {
  if (object.size === names.length) return [];
  return [...object.entries()].filter(([name]) => !names.includes(name));
}

/** What is no JSON object becomes an empty one. */
export function vllmCallArguments(text: string): JsonObject {
  const value = text === "" ? undefined : pythonJson(text);
  return value instanceof JsonObject ? value : JsonObject.from([]);
}

/** Messages of a request; an empty list is refused. */
export function vllmMessages(value: JsonValue | undefined): readonly JsonObject[] {
  if (!isList(value) || value.length === 0) throw notTaken("messages");
  return value.map((message) => {
    if (!(message instanceof JsonObject)) throw new Untokenizable("a message that is no object");
    return vllmMessage(message);
  });
}
