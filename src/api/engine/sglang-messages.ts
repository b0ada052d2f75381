import type { ChatMessage } from "../chat/messages.ts";
import type { ContentBlock } from "../messages/content-blocks.ts";
import type { MessagesMessage } from "../messages/messages-fields.ts";
import { isBlank } from "../sampling.ts";
import type { ConvertMessages, EngineMessages } from "./engine-messages.ts";
import { contentOf, resultTexts, type TextPart, textPart, toolCall, unknownBlock } from "./messages-parts.ts";
import { Untokenizable } from "./untokenizable.ts";

/** SGLang's conversion (sglang entrypoints/anthropic/request_conversion.py): blocks stay in order, system blocks are lines. */
export const sglangMessages: ConvertMessages = ({ system, messages }) => [
  ...systemMessages(system),
  ...messages.flatMap(chatMessages),
];

function systemMessages(system: EngineMessages["system"]): readonly ChatMessage[] {
  const content = typeof system === "string" || system === undefined ? (system ?? "") : system.join("\n");
  return isBlank(content) ? [] : [{ role: "system", content }];
}

function chatMessages({ role, content }: MessagesMessage): readonly ChatMessage[] {
  if (role === "system") throw new Untokenizable("a system message between turns goes where the engine's setting says");
  if (typeof content === "string") return [{ role, content }];
  return role === "user" ? userMessages(content) : [assistantMessage(content)];
}

function userMessages(blocks: readonly ContentBlock[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let parts: TextPart[] = [];
  const endTurn = (): void => {
    const content = contentOf(parts);
    if (content !== undefined) messages.push({ role: "user", content });
    parts = [];
  };
  for (const block of blocks) {
    if (block.kind === "text") parts.push(textPart(block.text));
    else if (block.kind === "tool-result") {
      endTurn();
      messages.push(toolMessage(block));
    } else throw unknownBlock(block);
  }
  endTurn();
  return messages;
}

function toolMessage({ toolUseId, content }: Extract<ContentBlock, { kind: "tool-result" }>): ChatMessage {
  const kept = typeof content === "string" ? content : (contentOf(resultTexts(content).map(textPart)) ?? "");
  const message = { role: "tool", content: kept, tool_call_id: toolUseId };
  return message;
}

/** Thinking is wrapped in the parser's own marks, which are not known here. */
function assistantMessage(blocks: readonly ContentBlock[]): ChatMessage {
  const parts: TextPart[] = [];
  const calls: object[] = [];
  for (const block of blocks) {
    if (block.kind === "text") parts.push(textPart(block.text));
    else if (block.kind === "tool-use") calls.push(toolCall(block));
    else throw unknownBlock(block);
  }
  const message = {
    role: "assistant",
    content: contentOf(parts) ?? "",
    tool_calls: calls.length === 0 ? undefined : calls,
  };
  return message as ChatMessage;
}
