import { JsonObject, type JsonValue } from "../json/index.ts";
import { isList, type Message, plainMessage, textPart, withMembers } from "./messages.ts";

const probeText = "CONTENT_PROBE_7f3a";

/**
 * Whether a template takes content as a list of parts only: it prints a text given in a part, and not one given plainly.
 * @param render the prompt of messages; undefined when it cannot be rendered
 */
export function requiresParts(render: (messages: readonly Message[]) => string | undefined): boolean {
  const prints = (content: JsonValue) => render([plainMessage("user", content)])?.includes(probeText) === true;
  return prints([textPart(probeText)]) && !prints(probeText);
}

/** Media parts as Hugging Face's templates know them. */
const mediaTypes: ReadonlyMap<string, string> = new Map([
  ["image_url", "image"],
  ["video_url", "video"],
  ["audio_url", "audio"],
]);

/**
 * Content in the shape that the template takes (dynamo-renderer@8.0.3 template/oai.rs): a list of parts everywhere, or plain text
 * wherever all parts are text, joined by line ends. Absent and empty content stays.
 */
export function shapeContent(message: Message, isPartsRequired: boolean): Message {
  const content = message.get("content");
  if (typeof content === "string")
    return isPartsRequired ? withMembers(message, { content: [textPart(content)] }) : message;
  if (!isList(content) || content.length === 0) return message;
  const parts = content.map(templatePart);
  const texts = parts.map(partText);
  const isAllText = texts.every((text) => text !== undefined);
  return withMembers(message, { content: isAllText && !isPartsRequired ? texts.join("\n") : parts });
}

function templatePart(part: JsonValue): JsonValue {
  const type = part instanceof JsonObject ? part.get("type") : undefined;
  const mediaType = typeof type === "string" ? mediaTypes.get(type) : undefined;
  return mediaType === undefined ? part : JsonObject.from([["type", mediaType]]);
}

function partText(part: JsonValue): string | undefined {
  if (!(part instanceof JsonObject) || part.get("type") !== "text") return undefined;
  const text = part.get("text");
  return typeof text === "string" ? text : undefined;
}
