import type { ChatMessage } from "../chat/messages.ts";
import { FieldError, within } from "../fields/index.ts";
import type { ContentBlock, ImageSource, ToolResultBlock } from "./content-blocks.ts";

type ChatPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } };

/**
 * A user's blocks in the order they came: each tool result is a message of its own, what stands between results is one of the user.
 * @throws FieldError with the block's index
 */
export function userMessages(blocks: readonly ContentBlock[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let parts: ChatPart[] = [];
  const endTurn = (): void => {
    if (parts.length > 0) messages.push({ role: "user", content: joined(parts) });
    parts = [];
  };
  for (const [at, block] of blocks.entries()) {
    if (block.kind === "text") parts.push({ type: "text", text: block.text });
    else if (block.kind === "image") parts.push(within(at, () => imagePart(block.source)));
    else if (block.kind === "tool-result") {
      endTurn();
      messages.push(within(at, () => toolMessage(block.toolUseId, block.content)));
    }
  }
  endTurn();
  return messages;
}

function toolMessage(toolUseId: string, content: string | readonly ToolResultBlock[]): ChatMessage {
  const message = { role: "tool", content: toolContent(content), tool_call_id: toolUseId };
  return message;
}

function toolContent(content: string | readonly ToolResultBlock[]): string | readonly ChatPart[] {
  if (typeof content === "string") return content;
  const parts = content.map((block, at) => within("content", () => within(at, () => toolPart(block))));
  return joined(parts);
}

function toolPart(block: ToolResultBlock): ChatPart {
  switch (block.kind) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return imagePart(block.source);
    case "other":
      throw new FieldError("must be a text or an image");
  }
}

/** Texts alone become one text; with an image the parts stay. */
function joined(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("") : parts;
}

function imagePart(source: ImageSource): ChatPart {
  if (source.type !== "base64") throw new FieldError("must be base64", "source.type");
  return { type: "image_url", image_url: { url: `data:${source.media_type};base64,${source.data}` } };
}
