import type { JsonObject } from "../../json/index.ts";
import { clientPinsOf, requestExtensions } from "../extensions.ts";
import { refusal } from "../fields/index.ts";
import type { ChatParsed, ParseOptions } from "../parsed-request.ts";
import { checkUnknownFields } from "../unknown-fields.ts";
import { type ChatDraft, checkDraft, checkDraftForModel, draftTemplateArgs, finishDraft } from "./chat-draft.ts";
import { type ChatFields, chatFieldNames, chatFields } from "./chat-fields.ts";
import { checkChatOptions, legacyFunctionField } from "./check-chat.ts";
import { checkForcedOptions } from "./forced-tools.ts";

/**
 * A chat body as the Dynamo frontend takes it.
 * @throws FieldError (400), RoutingError not_implemented (501) for `functions` and `function_call`
 */
export function parseChat(root: JsonObject, options: Pick<ParseOptions, "checkModel">): ChatParsed {
  const request = chatFields(root, "refuse");
  const draft = chatDraft(request);
  const templateArgs = draftTemplateArgs(draft);
  const legacy = legacyFunctionField(request);
  if (legacy !== undefined) throw refusal(legacy, "is deprecated: use `tools` and `tool_choice`", "not_implemented");
  checkUnknownFields(root, chatFieldNames);
  checkDraft(draft);
  checkChatOptions(request);
  options.checkModel?.(request.model);
  checkDraftForModel(draft);
  checkForcedOptions(request);
  return {
    api: "chat",
    model: request.model,
    chat: finishDraft(draft, templateArgs),
    extensions: requestExtensions(request.nvext, root.get("cache_salt"), request.stream ?? false),
    clientPins: clientPinsOf(root),
    root,
  };
}

function chatDraft(request: ChatFields): ChatDraft {
  return {
    model: request.model,
    messages: request.messages,
    tools: request.tools,
    toolChoice: request.tool_choice,
    responseFormat: request.response_format,
    templateArgs: request.chat_template_args,
    thinking: request.thinking,
    reasoningEffort: request.reasoning_effort,
    addGenerationPrompt: request.add_generation_prompt,
    continueFinalMessage: request.continue_final_message,
  };
}
