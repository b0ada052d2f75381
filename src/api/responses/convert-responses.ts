import type { ChatDraft } from "../chat/chat-draft.ts";
import type { ChatMessage } from "../chat/messages.ts";
import { within } from "../fields/index.ts";
import { UnsupportedContent } from "./content-parts.ts";
import { mergeLeadingSystem, messagesOfItems } from "./convert-items.ts";
import { convertTools } from "./convert-tools.ts";
import type { ResponsesFields } from "./responses-fields.ts";
import { ToolNames } from "./tool-names.ts";

/**
 * The chat request that a Responses body stands for (dynamo-llm@1.6.1 responses/mod.rs
 * `TryFrom<NvCreateResponse> for NvCreateChatCompletionRequest`).
 * @throws FieldError, UnsupportedContent
 */
export function convertResponses(request: ResponsesFields): ChatDraft {
  const { input } = request;
  const names = new ToolNames(request.tools ?? [], typeof input === "string" ? [] : input);
  const messages: readonly ChatMessage[] =
    typeof input === "string"
      ? [{ role: "user", content: input }]
      : within("input", () => messagesOfItems(input, names));
  const instructions: readonly ChatMessage[] =
    request.instructions === undefined ? [] : [{ role: "system", content: request.instructions }];
  const { tools, choice } = convertTools(request.tools, request.tool_choice, names);
  if (request.service_tier === "ultrafast") throw new UnsupportedContent("has no form in chat", "service_tier");
  return {
    model: request.model ?? "",
    messages: mergeLeadingSystem([...instructions, ...messages]),
    tools,
    toolChoice: choice,
    responseFormat: chatFormat(request.text?.format),
    templateArgs: request.chat_template_args,
    thinking: undefined,
    reasoningEffort: request.reasoning?.effort,
    addGenerationPrompt: undefined,
    continueFinalMessage: undefined,
  };
}

/** Plain text, which is the default, is no format in chat. */
function chatFormat(format: object | undefined): object | undefined {
  return format === undefined || ("type" in format && format.type === "text") ? undefined : format;
}
