import { Buffer } from "node:buffer";
import {
  JsonObject,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
  serdeJsonText,
  serdeValue,
} from "../../../json/index.ts";
import { TemplateRefusal } from "../../template-errors.ts";
import { isList } from "./declared-tools.ts";
import { callName } from "./results.ts";
import type { Segments } from "./segments.ts";

/** Texts of parts and images, one right behind the other. */
export function writeContent(segments: Segments, content: JsonValue | undefined): void {
  if (typeof content === "string") segments.text(content);
  if (!isList(content)) return;
  for (const part of content) {
    const type = part instanceof JsonObject ? part.get("type") : undefined;
    const text = part instanceof JsonObject ? part.get("text") : undefined;
    if (type === "image" || type === "image_url") segments.image();
    else if (typeof text === "string") segments.text(text);
  }
}

/** The channel of thoughts, which a thinking model has in each answer. */
export function writeThoughts(segments: Segments, message: JsonObject): void {
  const reasoning = message.get("reasoning_content");
  const parts = (isList(reasoning) ? reasoning : [reasoning]).filter((part) => typeof part === "string" && part !== "");
  segments.open("think");
  segments.text(parts.join("\n"));
  segments.close("think");
}

/** What an answer says and which tools it calls. */
export function writeAnswer(segments: Segments, message: JsonObject): void {
  segments.open("response");
  writeContent(segments, message.get("content"));
  segments.close("response");
  const calls = message.get("tool_calls");
  if (!isList(calls) || calls.length === 0) return;
  segments.open("tools");
  for (const [at, call] of calls.entries()) writeCall(segments, call, at + 1);
  segments.close("tools");
}

function writeCall(segments: Segments, call: JsonValue, index: number): void {
  const name = callName(call);
  const target = call instanceof JsonObject ? call.get("function") : undefined;
  if (name === undefined || !(target instanceof JsonObject)) throw new TemplateRefusal();
  segments.open("call", [
    ["tool", name],
    ["index", String(index)],
  ]);
  const text = target.get("arguments");
  if (typeof text === "string" && /\P{White_Space}/u.test(text)) writeArguments(segments, text);
  segments.close("call");
}

/** Text that is no JSON stands as it is. @throws TemplateRefusal for JSON that is no object */
function writeArguments(segments: Segments, text: string): void {
  const parsed = parsedArguments(text);
  if (parsed === undefined) {
    segments.open("json", [["type", "object"]]);
    segments.text(text);
    segments.close("json");
    return;
  }
  if (!(parsed instanceof JsonObject)) throw new TemplateRefusal();
  for (const [key, value] of parsed.entries()) {
    segments.open("argument", [
      ["key", key],
      ["type", typeName(value)],
    ]);
    segments.text(typeof value === "string" ? value : spaced(serdeJsonText(value)));
    segments.close("argument");
  }
}

function parsedArguments(text: string): JsonValue | undefined {
  try {
    return serdeValue(parseJson(Buffer.from(text), { maxDepth: 127, finiteNumbers: true }));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (value instanceof JsonObject) return "object";
  if (isList(value)) return "array";
  return typeof value === "object" ? "number" : typeof value;
}

/** Compact JSON with Python's spaces, its numbers left as they are. */
function spaced(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (found) => (found.length === 1 ? `${found} ` : found));
}
