import type { JsonObject } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import type { SglangTraits } from "../engine-traits.ts";
import { flagOr, given, refuseNullStream } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import { sglangMessages } from "./sglang-message.ts";
import { sglangReasoning, sglangTemplateArgs } from "./sglang-template-args.ts";
import { toolsInForm } from "./sglang-tool-form.ts";
import { sglangTools } from "./sglang-tools.ts";

/**
 * A chat request as SGLang's own server reads it (sglang@0.5.23 ChatCompletionRequest). It always opens a new turn.
 * @throws Untokenizable
 */
export function sglangChat(root: JsonObject, traits: SglangTraits): ChatRequest {
  refuseNullStream(root);
  if (given(root, "input_ids") !== undefined) throw new Untokenizable("`input_ids` brings the prompt");
  return {
    messages: sglangMessages(root.get("messages")),
    tools: toolsInForm(sglangTools(root), traits),
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: sglangTemplateArgs(root, sglangReasoning(root), traits),
    addGenerationPrompt: true,
    continueFinalMessage: flagOr(root, "continue_final_message", false),
    addSpecialTokens: false,
    hasMedia: false,
  };
}
