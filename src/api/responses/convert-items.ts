import type { ChatMessage } from "../chat/messages.ts";
import { within } from "../fields/index.ts";
import { textOf } from "./content-parts.ts";
import { toolContent, userContent } from "./convert-content.ts";
import type { InputItem } from "./items.ts";
import { PendingAssistant } from "./pending-assistant.ts";
import type { ToolNames } from "./tool-names.ts";

/**
 * Messages of a list of input items (dynamo-llm@1.6.1 responses/mod.rs convert_input_items_to_messages).
 * @throws FieldError, UnsupportedContent with the item's index
 */
export function messagesOfItems(items: readonly InputItem[], names: ToolNames): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  let pending = new PendingAssistant();
  const endTurn = (): void => {
    const turn = pending.toMessage();
    if (turn !== undefined) messages.push(turn);
    pending = new PendingAssistant();
  };
  for (const [at, item] of items.entries()) {
    if (item.kind === "reference" || joinTurn(pending, item, names)) continue;
    endTurn();
    const message = within(at, () => messageOf(item));
    if (message !== undefined) messages.push(message);
  }
  endTurn();
  return messages;
}

/** Adds an item of the assistant's turn to it; false for any other item. */
function joinTurn(pending: PendingAssistant, item: InputItem, names: ToolNames): boolean {
  switch (item.kind) {
    case "assistant":
      pending.addText(textOf(item.content));
      return true;
    case "reasoning":
      pending.addReasoning(item.text);
      return true;
    case "function-call":
      pending.addCall(item.callId, names.alias(item.namespace, item.name), item.arguments);
      return true;
    default:
      return false;
  }
}

/** The message of an item that stands for itself; undefined for one that has no form in chat. */
function messageOf(item: InputItem): ChatMessage | undefined {
  switch (item.kind) {
    case "system":
      return { role: "system", content: textOf(item.content) };
    case "user":
      return { role: "user", content: within("content", () => userContent(item.content)) };
    case "function-output":
      return toolMessage(
        within("output", () => toolContent(item.output)),
        item.callId,
      );
    default:
      return undefined;
  }
}

function toolMessage(content: ChatMessage["content"], callId: string): ChatMessage {
  const message = { role: "tool", content, tool_call_id: callId };
  return message;
}

/** Templates of some families take one system message: a leading run becomes one, texts joined by an empty line. */
export function mergeLeadingSystem(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const first = messages.findIndex((message) => message.role !== "system");
  const count = first === -1 ? messages.length : first;
  if (count < 2) return messages;
  const content = messages
    .slice(0, count)
    .map((message) => message.content)
    .join("\n\n");
  return [{ role: "system", content }, ...messages.slice(count)];
}
