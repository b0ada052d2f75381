import { JsonNumber, JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, objectOf, optionalFlag, optionalText } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import { sglangArguments } from "./sglang-arguments.ts";
import { sglangContent } from "./sglang-content.ts";

/** Roles beside `user`, in any case of letters (sglang@0.5.23 ChatCompletionMessageGenericParam). */
const roles: ReadonlySet<string> = new Set([
  "system",
  "assistant",
  "tool",
  "function",
  "developer",
  "latest_reminder",
  "root",
]);

const phases: ReadonlySet<JsonValue> = new Set(["commentary", "final_answer"]);

/**
 * A message as SGLang dumps it: content is text or a list of parts, the arguments of calls are objects.
 * @throws Untokenizable for what its server refuses, or media
 */
export function sglangMessage(message: JsonObject): JsonObject {
  const given = message.get("role");
  if (given === "user") return objectOf({ role: "user", content: userContent(message.get("content")) });
  const role = typeof given === "string" ? given.toLowerCase() : "";
  if (!roles.has(role)) throw notTaken("role");
  return genericMessage(message, role);
}

function userContent(content: JsonValue | undefined): JsonValue {
  if (content === undefined || content === null) throw notTaken("content");
  return sglangContent(content, false);
}

function genericMessage(message: JsonObject, role: string): JsonObject {
  if (given(message, "tools") !== undefined) throw new Untokenizable("a message with tools of its own");
  const phase = given(message, "phase");
  if (phase !== undefined && !phases.has(phase)) throw notTaken("phase");
  return objectOf({
    role,
    content: sglangContent(message.get("content") ?? "", role === "assistant"),
    tool_call_id: optionalText(message, "tool_call_id"),
    name: optionalText(message, "name"),
    phase,
    reasoning_content: optionalText(message, "reasoning_content"),
    tool_calls: toolCalls(given(message, "tool_calls"), role),
    prefix: optionalFlag(message, "prefix"),
  });
}

function toolCalls(calls: JsonValue | undefined, role: string): JsonValue | undefined {
  if (calls === undefined) return undefined;
  if (!isList(calls) || role !== "assistant") throw notTaken("tool_calls");
  return calls.map((call) => {
    if (!(call instanceof JsonObject)) throw notTaken("tool_calls");
    return toolCall(call);
  });
}

/** Known members in order, those left out as null. */
function toolCall(call: JsonObject): JsonObject {
  const target = call.get("function");
  const type = call.get("type");
  if (!(target instanceof JsonObject) || (type !== undefined && type !== "function")) throw notTaken("tool_calls");
  const index = call.get("index") ?? null;
  if (index !== null && !(index instanceof JsonNumber && index.isInteger)) throw notTaken("tool_calls");
  const name = optionalText(target, "name") ?? null;
  const dumped = objectOf({ name, arguments: sglangArguments(target.get("arguments") ?? null) });
  return objectOf({ id: optionalText(call, "id") ?? null, index, type: "function", function: dumped });
}

/** Messages of a request; an empty list is refused. */
export function sglangMessages(value: JsonValue | undefined): readonly JsonObject[] {
  if (!isList(value) || value.length === 0) throw notTaken("messages");
  return value.map((message) => {
    if (!(message instanceof JsonObject)) throw new Untokenizable("a message that is no object");
    return sglangMessage(message);
  });
}
