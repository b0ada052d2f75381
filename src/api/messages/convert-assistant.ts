import { JsonObject, serdeJsonText } from "../../json/index.ts";
import type { ChatMessage } from "../chat/messages.ts";
import { FieldError } from "../fields/index.ts";
import type { ContentBlock, ToolUseBlock } from "./content-blocks.ts";

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/**
 * An assistant's blocks as one message: texts joined, tool calls in order, and the thinking before each call (and after the last)
 * as a segment of its own, so that a template can write the turn as the model did.
 * @throws FieldError with the block's index for an input that is no object
 */
export function assistantMessage(blocks: readonly ContentBlock[]): ChatMessage {
  let content = "";
  const calls: ToolCall[] = [];
  const segments: string[] = [];
  let thinking = "";
  for (const [at, block] of blocks.entries()) {
    if (block.kind === "text") content += block.text;
    else if (block.kind === "thinking") thinking += thinking === "" ? block.text : `\n${block.text}`;
    else if (block.kind === "tool-use") {
      segments.push(thinking);
      thinking = "";
      calls.push(toolCall(block, at));
    }
  }
  segments.push(thinking);
  const message = {
    role: "assistant",
    content: content === "" ? undefined : content,
    reasoning_content: reasoningOf(segments),
    tool_calls: calls.length === 0 ? undefined : calls,
  };
  return message;
}

/** Without calls there is one segment, which is plain text. */
function reasoningOf(segments: readonly string[]): string | readonly string[] | undefined {
  if (segments.every((segment) => segment === "")) return undefined;
  return segments.length === 1 ? segments[0] : segments;
}

function toolCall({ id, name, input }: ToolUseBlock, at: number): ToolCall {
  if (!(input instanceof JsonObject)) throw new FieldError("must be an object", "input").within(at);
  return { id, type: "function", function: { name, arguments: serdeJsonText(input) } };
}
