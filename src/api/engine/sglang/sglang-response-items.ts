import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, objectOf, objectsOf, optionalText, textPart } from "../members.ts";
import { CUSTOM_INPUT } from "../responses.ts";
import { Untokenizable } from "../untokenizable.ts";
import { orjson } from "./sglang-arguments.ts";

/** What stands before the text of a developer, whose message becomes a system message. */
const DEVELOPER_LABEL = "Developer instructions:";

/** Reasoning that SGLang packed itself. */
const PACKED = "sglang-reasoning-v1.";

/**
 * The chat message of an item; none for reasoning without text.
 * @throws Untokenizable for items that SGLang refuses, or media
 */
export function sglangItem(item: JsonObject): readonly JsonObject[] {
  switch (item.get("type") ?? null) {
    case "function_call":
      return [callMessage(item, functionArguments(item.get("arguments")))];
    case "custom_tool_call":
      return [callMessage(item, objectOf({ [CUSTOM_INPUT]: optionalText(item, "input") ?? "" }))];
    case "function_call_output":
    case "custom_tool_call_output":
      return [
        objectOf({ role: "tool", content: outputText(item.get("output")), tool_call_id: item.get("call_id") ?? null }),
      ];
    case "reasoning":
      return reasoningMessage(item);
    case "message":
    case null:
      return [plainMessage(item)];
    default:
      throw new Untokenizable("an item that is not known here");
  }
}

function callMessage(item: JsonObject, args: JsonObject): JsonObject {
  const called = objectOf({ name: optionalText(item, "name") ?? null, arguments: args });
  const id = optionalText(item, "call_id") || optionalText(item, "id") || null;
  return objectOf({ role: "assistant", tool_calls: [objectOf({ id, type: "function", function: called })] });
}

/** What is no JSON object counts as an empty one. */
function functionArguments(value: JsonValue | undefined): JsonObject {
  if (value instanceof JsonObject) return value;
  const parsed = typeof value === "string" && value !== "" ? orjson(value) : undefined;
  return parsed instanceof JsonObject ? parsed : objectOf({});
}

/** Texts of parts, without anything between them. */
function outputText(output: JsonValue | undefined): string {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return output;
  if (!isList(output)) throw notTaken("output");
  return output
    .filter((part) => part instanceof JsonObject)
    .map((part) => (part.has("text") ? (part.get("text") ?? null) : ""))
    .map((text) => {
      if (typeof text !== "string") throw notTaken("output");
      return text;
    })
    .join("");
}

/** The summary, else the content, a line each. */
function reasoningMessage(item: JsonObject): readonly JsonObject[] {
  const summary = textsOf(item.get("summary"));
  const texts = summary.length > 0 ? summary : textsOf(item.get("content"));
  if (texts.length > 0) return [objectOf({ role: "assistant", reasoning_content: texts.join("\n") })];
  const packed = item.get("encrypted_content");
  if (typeof packed === "string" && packed.startsWith(PACKED)) throw new Untokenizable("packed reasoning");
  return [];
}

function textsOf(parts: JsonValue | undefined): readonly string[] {
  if (!isList(parts)) return [];
  return parts.flatMap((part) => {
    const text = part instanceof JsonObject ? part.get("text") : undefined;
    return typeof text === "string" && text !== "" ? [text] : [];
  });
}

function plainMessage(item: JsonObject): JsonObject {
  const content = item.get("content") ?? null;
  const shaped = isList(content) ? objectsOf(content, "content").map(chatPart) : content;
  const isDeveloper = item.get("role") === "developer";
  const members = new Map<string, JsonValue>();
  for (const [name, value] of item.entries()) {
    if (value !== null && !["id", "status", "type"].includes(name)) members.set(name, value);
  }
  if (shaped !== null) members.set("content", isDeveloper ? labelled(shaped) : shaped);
  if (isDeveloper) members.set("role", "system");
  return JsonObject.from(members);
}

function chatPart(part: JsonObject): JsonObject {
  const type = part.get("type");
  if (type !== "input_text" && type !== "output_text") return part;
  const text = part.has("text") ? given(part, "text") : "";
  if (typeof text !== "string") throw notTaken("content");
  return textPart(text);
}

/** The label stands before the first text. */
function labelled(content: JsonValue): JsonValue {
  if (typeof content === "string") return `${DEVELOPER_LABEL}\n${content}`;
  if (!isList(content)) return content;
  const at = content.findIndex((part) => part instanceof JsonObject && typeof part.get("text") === "string");
  const part = content[at];
  if (!(part instanceof JsonObject)) return [textPart(DEVELOPER_LABEL), ...content];
  const text = `${DEVELOPER_LABEL}\n${String(part.get("text"))}`;
  return content.with(at, JsonObject.from([...part.entries(), ["text", text]]));
}
