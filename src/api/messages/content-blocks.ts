import { JsonObject, type JsonValue } from "../../json/index.ts";
import { anyObject, FieldError, isList, listOf, type Reader, required, struct, text, within } from "../fields/index.ts";

// Shapes: dynamo-protocols@8.2.0 types/anthropic.rs. Blocks are read from a value tree, so that repeated keys do no harm.

/** An image as the API has it; the frontend takes no other source than one with these members. */
export interface ImageSource {
  readonly type: string;
  readonly media_type: string;
  readonly data: string;
}

export type ToolResultBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly source: ImageSource }
  | { readonly kind: "other" };

/** A call of a tool. */
export interface ToolUseBlock {
  readonly kind: "tool-use";
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** The tool runs on the API's side. */
  readonly isServerSide: boolean;
}

/** A block of a message, by what it does to the conversation. */
export type ContentBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly source: ImageSource }
  | ToolUseBlock
  | {
      readonly kind: "tool-result";
      readonly toolUseId: string;
      readonly content: string | readonly ToolResultBlock[];
    }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "redacted-thinking" }
  /** What a server-side tool found. */
  | { readonly kind: "server-result" };

const imageSource = struct(
  { type: required(text), media_type: required(text), data: required(text) },
  { positional: true },
);

const textBlock = struct({ text: required(text) });
const imageBlock = struct({ source: required(imageSource) });
const toolUse = struct({ id: required(text), name: required(text) });
const toolResult = struct({ tool_use_id: required(text) });
const thinking = struct({ thinking: required(text), signature: required(text) });
const redactedThinking = struct({ data: required(text) });

const noInput = JsonObject.from([]);

const readers: Readonly<Record<string, (block: JsonObject) => ContentBlock>> = {
  text: (block) => ({ kind: "text", text: textBlock(block, "last").text }),
  image: (block) => ({ kind: "image", source: imageBlock(block, "last").source }),
  tool_use: (block) => readToolUse(block, false),
  server_tool_use: (block) => readToolUse(block, true),
  tool_result: (block) => ({
    kind: "tool-result",
    toolUseId: toolResult(block, "last").tool_use_id,
    content: toolResultContent(block.get("content")),
  }),
  thinking: (block) => ({ kind: "thinking", text: thinking(block, "last").thinking }),
  redacted_thinking: (block) => {
    redactedThinking(block, "last");
    return { kind: "redacted-thinking" };
  },
  web_search_tool_result: (block) => {
    toolResult(block, "last");
    return { kind: "server-result" };
  },
};

/** One block of a message; `type` decides, and one that the frontend does not know is refused. */
export const contentBlock: Reader<ContentBlock> = (value, duplicates) => {
  const block = anyObject(value, duplicates);
  const type = block.get("type");
  if (typeof type !== "string" || type === "") throw new FieldError("must be a non-empty string", "type");
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) throw new FieldError("is not a supported type of content block", "type");
  return read(block);
};

/** An absent input means no arguments; null is kept, to be refused where it is used. */
function readToolUse(block: JsonObject, isServerSide: boolean): ToolUseBlock {
  const input = block.get("input");
  return { kind: "tool-use", ...toolUse(block, "last"), input: input === undefined ? noInput : input, isServerSide };
}

const toolResultBlocks = listOf(toolResultBlock);

/** The frontend takes a result that it cannot read for an empty one. */
function toolResultContent(value: JsonValue | undefined): string | readonly ToolResultBlock[] {
  if (typeof value === "string") return value;
  if (!isList(value)) return "";
  try {
    return toolResultBlocks(value, "last");
  } catch (error) {
    if (error instanceof FieldError) return "";
    throw error;
  }
}

/** A text may leave out its type. */
function toolResultBlock(value: JsonValue): ToolResultBlock {
  if (!(value instanceof JsonObject)) return { kind: "other" };
  const type = value.get("type");
  if (type === "text") return { kind: "text", text: textBlock(value, "last").text };
  if (type === "image") return { kind: "image", source: imageBlock(value, "last").source };
  const bare = value.get("text");
  return typeof type !== "string" && typeof bare === "string" ? { kind: "text", text: bare } : { kind: "other" };
}

/** The content of a message: text, or at least one block. */
export const messageContent: Reader<string | readonly ContentBlock[]> = (value, duplicates) => {
  if (typeof value === "string") return value;
  if (!isList(value)) throw new FieldError("must be a string or an array of content blocks");
  if (value.length === 0) throw new FieldError("must have at least one content block");
  return value.map((block, at) => within(at, () => contentBlock(block, duplicates)));
};
