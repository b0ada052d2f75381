import { Buffer } from "node:buffer";
import { JsonObject, JsonSyntaxError, type JsonValue, parseJson, serdeValue } from "../json/index.ts";
import { isList, type Message, withMembers } from "./messages.ts";
import type { Probe } from "./template-probe.ts";
import { conversationWithCall } from "./template-probe-messages.ts";

const probeArguments = '{"probe": "value"}';

/** Whether a template prints the arguments of earlier tool calls as the text that it is given; otherwise it wants the parsed value. */
export function keepsArgumentText(source: string, probe: Probe): boolean {
  if (!source.includes("arguments is string")) return false;
  return probe(conversationWithCall(probeArguments), true)?.includes(probeArguments) === true;
}

/** The message with its calls' arguments parsed; text that is no JSON stays text. */
export function parseArguments(message: Message, keepsText: boolean): Message {
  const calls = message.get("tool_calls");
  const legacy = message.get("function_call");
  const parsedCalls = isList(calls) && !keepsText ? calls.map(withParsedFunction) : calls;
  const parsedLegacy = legacy instanceof JsonObject ? withParsedArguments(legacy) : legacy;
  if (parsedCalls === calls && parsedLegacy === legacy) return message;
  return withMembers(message, { tool_calls: parsedCalls, function_call: parsedLegacy });
}

function withParsedFunction(call: JsonValue): JsonValue {
  const target = call instanceof JsonObject ? call.get("function") : undefined;
  if (!(call instanceof JsonObject && target instanceof JsonObject)) return call;
  return withMembers(call, { function: withParsedArguments(target) });
}

function withParsedArguments(target: JsonObject): JsonObject {
  const text = target.get("arguments");
  return typeof text === "string" ? withMembers(target, { arguments: parsedOrText(text) }) : target;
}

function parsedOrText(text: string): JsonValue {
  try {
    return serdeValue(parseJson(Buffer.from(text)));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return text;
    throw error;
  }
}
