import type { JsonObject, JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, objectOf, objectsOf, optionalText, textOf, textPart } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import { searchResultText } from "./sglang-search-result.ts";

export interface ToolResult {
  /** A turn for each run of text parts, or of references to tools. */
  readonly turns: readonly JsonObject[];
  /** The texts, a line each. */
  readonly text: string;
}

/** The result of a tool, as turns of role `tool`. */
export function toolResultTurns(block: JsonObject): ToolResult {
  const content = given(block, "content") ?? "";
  if (typeof content !== "string" && !isList(content)) throw notTaken("content");
  const id = optionalText(block, "tool_use_id") || optionalText(block, "id") || "";
  const turn = (value: JsonValue) => objectOf({ role: "tool", content: value, tool_call_id: id });
  if (typeof content === "string") return { turns: [turn(content)], text: content };
  const parts = objectsOf(content, "content").flatMap(resultPart);
  const groups = runs(parts).map((group) => turn(groupContent(group)));
  return {
    turns: groups.length === 0 ? [turn("")] : groups,
    text: parts.flatMap((part) => part.get("text") ?? []).join("\n"),
  };
}

/** Blocks of other types are left out. */
function resultPart(block: JsonObject): readonly JsonObject[] {
  const type = block.get("type");
  if (type === "image") throw new Untokenizable("content that is not text");
  if (type === "tool_reference") {
    const name = optionalText(block, "tool_name") || optionalText(block, "name") || "";
    return name === "" ? [] : [objectOf({ type: "tool_reference", name })];
  }
  const text = type === "text" ? textOf(block, "text") : type === "search_result" ? searchResultText(block) : "";
  return text === "" ? [] : [textPart(text)];
}

function runs(parts: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const groups: JsonObject[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    if (group !== undefined && group[0]?.get("type") === part.get("type")) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

function groupContent(group: readonly JsonObject[]): JsonValue {
  return group.length === 1 ? (group[0]?.get("text") ?? group) : group;
}
