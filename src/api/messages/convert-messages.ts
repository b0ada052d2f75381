import { JsonObject, type JsonValue } from "../../json/index.ts";
import type { ChatDraft } from "../chat/chat-draft.ts";
import type { ChatMessage } from "../chat/messages.ts";
import { within } from "../fields/index.ts";
import { withoutBillingHeader } from "./billing-header.ts";
import { assistantMessage } from "./convert-assistant.ts";
import { userMessages } from "./convert-user.ts";
import type { MessagesFields, MessagesMessage } from "./messages-fields.ts";

/**
 * The chat request that a Messages body stands for (dynamo-llm@1.6.1 protocols/anthropic/types.rs
 * `TryFrom<AnthropicCreateMessageRequest> for NvCreateChatCompletionRequest`).
 * Thinking is switched by `thinkingArgs`.
 * @throws FieldError
 */
export function convertMessages(request: MessagesFields): ChatDraft {
  const { system, tools } = request;
  const head: readonly ChatMessage[] =
    system === undefined
      ? []
      : [{ role: "system", content: withoutBillingHeader(typeof system === "string" ? system : system.join("\n")) }];
  return {
    model: request.model,
    messages: [
      ...head,
      ...request.messages.flatMap((message, at) => within("messages", () => within(at, () => chatMessages(message)))),
    ],
    tools: tools?.length === 0 ? undefined : tools,
    toolChoice: request.tool_choice,
    responseFormat: chatFormat(request.output_config),
    templateArgs: undefined,
    thinking: undefined,
    reasoningEffort: undefined,
    addGenerationPrompt: undefined,
    continueFinalMessage: undefined,
  };
}

function chatMessages({ role, content }: MessagesMessage): readonly ChatMessage[] {
  if (typeof content === "string") return [{ role, content }];
  switch (role) {
    case "system":
      return [{ role, content: content.flatMap((block) => (block.kind === "text" ? [block.text] : [])).join("\n") }];
    case "user":
      return within("content", () => userMessages(content));
    case "assistant":
      return [within("content", () => assistantMessage(content))];
  }
}

/** The schema of an answer, under chat's name of it. */
function chatFormat(config: JsonValue | undefined): object | undefined {
  const format = config instanceof JsonObject ? config.get("format") : undefined;
  const schema = format instanceof JsonObject ? format.get("schema") : undefined;
  if (schema === undefined) return undefined;
  return { type: "json_schema", json_schema: { name: "response", schema, strict: true } };
}
