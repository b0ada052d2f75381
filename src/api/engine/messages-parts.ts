import { JsonObject, stringifyJson } from "../../json/index.ts";
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from "../messages/content-blocks.ts";
import { Untokenizable } from "./untokenizable.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export function textPart(text: string): TextPart {
  return { type: "text", text };
}

/** One part alone is plain text; undefined when there is none. */
export function contentOf(parts: readonly TextPart[]): string | readonly TextPart[] | undefined {
  return parts.length > 1 ? parts : parts[0]?.text;
}

/** A call of an earlier turn. Templates get its arguments as an object, so their spelling here does not matter. */
export function toolCall({ id, name, input, isServerSide }: ToolUseBlock): object {
  if (isServerSide) throw new Untokenizable("a server tool is not known here");
  const args = input instanceof JsonObject ? stringifyJson(input) : "{}";
  return { id, type: "function", function: { name, arguments: args } };
}

/** Texts of a tool's result; with anything else the engine's form is not known. */
export function resultTexts(content: readonly ToolResultBlock[]): readonly string[] {
  return content.map((block) => {
    if (block.kind !== "text") throw new Untokenizable("a tool result that is not text is not known here");
    return block.text;
  });
}

/** For a block that has no place in this turn, or no known form. */
export function unknownBlock({ kind }: ContentBlock): Untokenizable {
  return new Untokenizable(`a ${kind} block is not known here`);
}
