import type { ChatMessage } from "../chat/messages.ts";
import { BILLING_HEADER } from "../messages/billing-header.ts";
import type { ContentBlock } from "../messages/content-blocks.ts";
import type { MessagesMessage } from "../messages/messages-fields.ts";
import type { ConvertMessages, EngineMessages } from "./engine-messages.ts";
import { contentOf, resultTexts, type TextPart, textPart, toolCall, unknownBlock } from "./messages-parts.ts";
import { Untokenizable } from "./untokenizable.ts";

/** vLLM's conversion (vllm entrypoints/anthropic/serving.py): billing header dropped, tool results before a user's own text. */
export const vllmMessages: ConvertMessages = (request) => {
  const first = request.messages.findIndex(({ role }) => role !== "system");
  const lead = first === -1 ? request.messages.length : first;
  const heads = [...systemTexts(request.system), ...request.messages.slice(0, lead).map(systemText)];
  const head: readonly ChatMessage[] = heads.length === 0 ? [] : [{ role: "system", content: heads.join("\n\n") }];
  return [...head, ...request.messages.slice(lead).flatMap(chatMessages)];
};

/** The system prompt, when there is one. */
function systemTexts(system: EngineMessages["system"]): readonly string[] {
  if (system === undefined || typeof system === "string") return system === undefined || system === "" ? [] : [system];
  const text = system.filter((block) => !block.startsWith(BILLING_HEADER)).join("");
  return text === "" ? [] : [text];
}

function systemText({ content }: MessagesMessage): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.kind === "text" ? block.text : "")).join("");
}

function chatMessages({ role, content }: MessagesMessage): readonly ChatMessage[] {
  if (role === "system") throw new Untokenizable("a system message between turns goes where the engine's probe says");
  if (typeof content === "string") return [{ role, content }];
  return role === "user" ? userMessages(content) : assistantMessages(content);
}

function userMessages(blocks: readonly ContentBlock[]): readonly ChatMessage[] {
  const results: ChatMessage[] = [];
  const parts: TextPart[] = [];
  for (const block of blocks) {
    if (block.kind === "tool-result") results.push(toolMessage(block));
    else if (block.kind !== "text") throw unknownBlock(block);
    else if (block.text !== "") parts.push(textPart(block.text));
  }
  const content = contentOf(parts);
  return content === undefined ? results : [...results, { role: "user", content }];
}

function toolMessage({ toolUseId, content }: Extract<ContentBlock, { kind: "tool-result" }>): ChatMessage {
  const text = typeof content === "string" ? content : resultTexts(content).join("\n");
  const message = { role: "tool", content: text, tool_call_id: toolUseId };
  return message;
}

/** A turn with nothing in it is left out. */
function assistantMessages(blocks: readonly ContentBlock[]): readonly ChatMessage[] {
  const parts: TextPart[] = [];
  const calls: object[] = [];
  let reasoning = "";
  for (const block of blocks) {
    if (block.kind === "thinking") reasoning += block.text;
    else if (block.kind === "tool-use") calls.push(toolCall(block));
    else if (block.kind === "text") parts.push(textPart(block.text));
    else if (block.kind !== "redacted-thinking") throw unknownBlock(block);
  }
  const content = contentOf(parts.filter(({ text }) => text !== ""));
  if (content === undefined && reasoning === "" && calls.length === 0) return [];
  return [assistantTurn(content, reasoning, calls)];
}

function assistantTurn(content: ChatMessage["content"], reasoning: string, calls: readonly object[]): ChatMessage {
  const message = {
    role: "assistant",
    content,
    reasoning_content: reasoning === "" ? undefined : reasoning,
    tool_calls: calls.length === 0 ? undefined : calls,
  };
  return message as ChatMessage;
}
