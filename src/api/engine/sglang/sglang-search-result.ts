import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given } from "../members.ts";

/** A search result as text: title, source and content, a line each where they are given; "" when nothing is. */
export function searchResultText(block: JsonObject): string {
  const lines = [line("Title", textOr(given(block, "title"))), line("Source", sourceOf(given(block, "source")))];
  const texts = textsOf(given(block, "content"));
  if (texts.length > 0) lines.push(`Content: ${texts.join("\n")}`);
  return lines.filter((text) => text !== "").join("\n");
}

function line(name: string, value: string): string {
  return value === "" ? "" : `${name}: ${value}`;
}

function sourceOf(source: JsonValue | undefined): string {
  if (!(source instanceof JsonObject)) return textOr(source);
  return textOr(source.get("url")) || textOr(source.get("text"));
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (!isList(content)) return [];
  return content.flatMap((part) => {
    const text = part instanceof JsonObject && part.get("type") === "text" ? textOr(part.get("text")) : "";
    return text === "" ? [] : [text];
  });
}

function textOr(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
