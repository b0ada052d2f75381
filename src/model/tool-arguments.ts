import { Buffer } from "node:buffer";
import {
  JsonNumber,
  JsonObject,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
  serdeJsonText,
  serdeValue,
} from "../json/index.ts";
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

/**
 * The messages with the arguments of all calls as objects, which the templates of some models insist on (dynamo-llm@1.6.1
 * preprocessor/prompt.rs `normalize_tool_call_arguments`): from the first that are no JSON on they stay as they are.
 */
export function withArgumentObjects(messages: readonly Message[]): readonly Message[] {
  let isOver = false;
  const parsed = (call: JsonValue): JsonValue => {
    const target = call instanceof JsonObject ? call.get("function") : undefined;
    const text = target instanceof JsonObject ? target.get("arguments") : undefined;
    if (isOver || !(call instanceof JsonObject && target instanceof JsonObject && typeof text === "string"))
      return call;
    const value = argumentObject(text);
    isOver = value === undefined;
    return value === undefined ? call : withMembers(call, { function: withMembers(target, { arguments: value }) });
  };
  return messages.map((message) => {
    const calls = message.get("tool_calls");
    return isList(calls) ? withMembers(message, { tool_calls: calls.map(parsed) }) : message;
  });
}

/** Undefined for what is no JSON; no members for JSON of another kind. */
function argumentObject(text: string): JsonObject | undefined {
  const value = text === "" ? null : parsedOrText(text);
  // A JSON string is no text that stayed: what was parsed lacks its quotes.
  if (value === text) return undefined;
  if (!(value instanceof JsonObject)) return JsonObject.from([]);
  return JsonObject.from([...value.entries()].map(([key, member]) => [key, spelledNumber(text, key, member)] as const));
}

/** A number that is not written as the frontend would becomes text. It is looked up where its name first stands in the source. */
function spelledNumber(source: string, key: string, member: JsonValue): JsonValue {
  if (!(member instanceof JsonNumber)) return member;
  const name = `${JSON.stringify(key)}:`;
  const at = source.indexOf(name);
  const lexeme = at === -1 ? undefined : firstToken(source.slice(at + name.length));
  return lexeme === undefined || lexeme === serdeJsonText(member) ? member : lexeme;
}

/** The first JSON value of a text, by its brackets and quotes alone. */
function firstToken(text: string): string | undefined {
  const trimmed = text.trimStart();
  if (trimmed.startsWith('"')) return /^"(?:\\.|[^"\\])*"/s.exec(trimmed)?.[0];
  const open = trimmed[0];
  if (open !== "{" && open !== "[") return /^[^,}\]\s]+/.exec(trimmed)?.[0];
  return balanced(trimmed, open, open === "{" ? "}" : "]");
}

function balanced(text: string, open: string, close: string): string | undefined {
  let depth = 0;
  for (const match of text.matchAll(/"(?:\\.|[^"\\])*"|[[\]{}]/gs)) {
    if (match[0] === open) depth++;
    else if (match[0] === close && --depth === 0) return text.slice(0, match.index + 1);
  }
  return undefined;
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
