import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { notTaken, textPart } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import type { MessageForm } from "./vllm-message-dicts.ts";

/** How the line starts that Claude Code puts first into the system prompt. It differs with each request. */
export const BILLING_HEADER = "x-anthropic-billing-header";

/** Types of parts that are text, with the member that holds it. */
const textMembers: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ["text", "text"],
  ["input_text", "text"],
  ["output_text", "text"],
  ["refusal", "refusal"],
  ["thinking", "thinking"],
]);

/** Members of parts of media, or that name some. */
const mediaMembers = [
  "audio_embeds",
  "audio_url",
  "data",
  "file",
  "image_embeds",
  "image_pil",
  "image_url",
  "input_audio",
  "uuid",
  "video_embeds",
  "video_url",
];

/** Members that some part has; others are kept for templates that take parts. */
const knownMembers: ReadonlySet<string> = new Set([
  ...mediaMembers,
  "closed",
  "name",
  "prompt_cache_breakpoint",
  "refusal",
  "text",
  "thinking",
  "type",
]);

/** Content as a list of text parts and tool references, whatever it was. The attribution line of Claude Code is dropped. */
export function vllmContent(content: JsonValue | undefined, role: string, form: MessageForm): readonly JsonValue[] {
  if (content === undefined || content === null) return [];
  if (typeof content !== "string" && !isList(content)) throw notTaken("content");
  const parts = typeof content === "string" ? [textPart(content)] : content.map((part) => readPart(part, role, form));
  return role === "system" ? parts.flatMap(withoutBillingHeader) : parts;
}

function readPart(part: JsonValue, role: string, form: MessageForm): JsonObject {
  if (typeof part === "string" && form === "own") return textPart(part);
  if (!(part instanceof JsonObject)) throw notTaken("content");
  if (mediaMembers.some((name) => part.has(name))) throw new Untokenizable("content that is not text");
  const type = part.get("type");
  if (form === "openai" && type !== "text" && !(type === "refusal" && role === "assistant")) throw notTaken("content");
  if (type === "tool_reference" && typeof part.get("name") === "string") {
    return JsonObject.from([
      ["type", type],
      ["name", part.get("name") as string],
    ]);
  }
  const text = part.get(textMembers.get(type) ?? "");
  if (typeof text !== "string") throw new Untokenizable("content that is not text");
  const others = [...part.entries()].filter(([name]) => !knownMembers.has(name));
  return others.length === 0 ? textPart(text) : JsonObject.from([...textPart(text).entries(), ...others]);
}

/** Members that the best typed dict of a part sets; undefined for what is no part, or media. */
export function contentPartSize(part: JsonValue): number | undefined {
  if (typeof part === "string") return 0;
  if (!(part instanceof JsonObject)) return undefined;
  const type = part.get("type");
  if (type === "tool_reference") return typeof part.get("name") === "string" ? 2 : 1;
  if (type !== "text" && type !== "refusal" && type !== "thinking") return 0;
  if (typeof part.get(type) !== "string") return 0;
  return 2 + extraSize(part, type);
}

function extraSize(part: JsonObject, type: string): number {
  if (type === "thinking") return typeof part.get("closed") === "boolean" ? 1 : 0;
  const breakpoint = type === "text" ? part.get("prompt_cache_breakpoint") : undefined;
  return breakpoint instanceof JsonObject && breakpoint.get("mode") === "explicit" ? 2 : 0;
}

function withoutBillingHeader(part: JsonObject): readonly JsonObject[] {
  const text = part.get("text");
  if (typeof text !== "string" || !text.startsWith(BILLING_HEADER)) return [part];
  const rest = text.slice(text.indexOf("\n") + 1);
  return text.includes("\n") && rest !== "" ? [textPart(rest)] : [];
}
