import { JsonObject, type JsonValue } from "../json/index.ts";
import { isList, type Message, plainMessage, textPart, withMembers } from "./messages.ts";
import type { Probe } from "./template-probe.ts";

/** What a template takes as the content of a message, for the whole model. */
export interface ContentForm {
  /** Lists of parts only: a plain text becomes one. */
  readonly isPartsRequired: boolean;
  /** Stands for a part that is no text, where lists become texts; `{n}` is its place among such parts. Undefined: such lists stay. */
  readonly placeholder: string | undefined;
}

/** As the engines' own Jinja takes it. */
export const plainContent: ContentForm = { isPartsRequired: false, placeholder: undefined };

const probeText = "template_test";
const passedThrough = "\u0001passthrough_probe\u0001";

/**
 * What a template takes, learnt at load (dynamo-renderer@8.0.3 template/formatters.rs).
 * @param source of the default template
 * @param probe with messages only
 */
export function contentForm(source: string, probe: Probe): ContentForm {
  const rendered = (content: JsonValue) => probe([plainMessage("user", content)]) ?? "";
  const isPartsRequired =
    rendered([textPart(probeText)]).includes(probeText) && !rendered(probeText).includes(probeText);
  return { isPartsRequired, placeholder: isPartsRequired ? undefined : placeholderOf(source, rendered) };
}

/** Families whose templates put content beside text, and templates that are nothing but the content. */
function placeholderOf(source: string, rendered: (content: JsonValue) => string): string | undefined {
  if (source.includes("<|end|>") && source.includes("<|assistant|>")) return "<|image_{n}|>";
  if (source.includes("USER:") && source.includes("ASSISTANT:")) return "<image>";
  if (trimmed(rendered(passedThrough)) !== passedThrough) return undefined;
  const mixed = rendered([textPart(passedThrough), JsonObject.from([["type", "image"]])]);
  return mixed.includes("[") && mixed.includes("type") ? "" : undefined;
}

/** Without white space at its ends, as Rust's `trim`. */
function trimmed(text: string): string {
  return text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
}

/** Media parts as Hugging Face's templates know them. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["image_url", "image"],
  ["video_url", "video"],
  ["audio_url", "audio"],
]);

/**
 * Content in the shape that the template takes (dynamo-renderer@8.0.3 template/oai.rs): a list of parts everywhere, or plain text
 * wherever all parts are text, joined by line ends, or all have a form as text. Absent and empty content stays.
 */
export function shapeContent(message: Message, { isPartsRequired, placeholder }: ContentForm): Message {
  const content = message.get("content");
  if (typeof content === "string")
    return isPartsRequired ? withMembers(message, { content: [textPart(content)] }) : message;
  if (!isList(content) || content.length === 0) return message;
  const parts = content.map(templatePart);
  if (isPartsRequired) return withMembers(message, { content: parts });
  if (parts.every((part) => typeOf(part) === "text"))
    return withMembers(message, { content: parts.flatMap(partText).join("\n") });
  return withMembers(message, { content: placeholder === undefined ? parts : flattened(parts, placeholder) });
}

/** Texts and placeholders with nothing between. */
function flattened(parts: readonly JsonValue[], placeholder: string): string {
  let others = 0;
  return parts
    .flatMap((part) => {
      const type = typeOf(part);
      if (type === "text") return partText(part);
      return type === "" ? [] : [placeholder.replaceAll("{n}", String(++others))];
    })
    .join("");
}

function templatePart(part: JsonValue): JsonValue {
  const mediaType = mediaTypes.get(typeOf(part));
  return mediaType === undefined ? part : JsonObject.from([["type", mediaType]]);
}

/** "" for a part without. */
function typeOf(part: JsonValue): string {
  const type = part instanceof JsonObject ? part.get("type") : undefined;
  return typeof type === "string" ? type : "";
}

function partText(part: JsonValue): readonly string[] {
  const text = part instanceof JsonObject ? part.get("text") : undefined;
  return typeof text === "string" ? [text] : [];
}
