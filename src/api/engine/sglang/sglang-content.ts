import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { notTaken, objectOf, textPart } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";

/** Content as text, or as a list of text parts and tool references. Thinking parts, which only an assistant may have, are dropped. */
export function sglangContent(content: JsonValue, isAssistant: boolean): JsonValue {
  if (typeof content === "string") return content;
  if (!isList(content)) throw notTaken("content");
  return content.flatMap((part) => {
    if (!(part instanceof JsonObject)) throw notTaken("content");
    return partOf(part, isAssistant);
  });
}

function partOf(part: JsonObject, isAssistant: boolean): readonly JsonObject[] {
  const type = part.get("type");
  const text = part.get("text");
  if (type === "text" && typeof text === "string") return [textPart(text)];
  if ((type === "thinking" || type === "reasoning") && isAssistant && isThinking(part)) return [];
  const name = part.get("name");
  if (type === "tool_reference" && typeof name === "string") return [objectOf({ type, name })];
  throw new Untokenizable("content that is not text");
}

/** Exactly one of the two members holds the text. */
function isThinking(part: JsonObject): boolean {
  const texts = [part.get("thinking") ?? null, part.get("text") ?? null];
  return (
    texts.every((text) => text === null || typeof text === "string") &&
    texts.filter((text) => text !== null).length === 1
  );
}
