import { JsonObject } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import type { EngineTraits } from "../engine-traits.ts";
import { flagOr, given, notTaken } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import { vllmMessages } from "./vllm-message.ts";
import { vllmEffort, vllmTemplateArgs } from "./vllm-template-args.ts";
import { checkVllmToolChoice, vllmTools } from "./vllm-tools.ts";

/**
 * A chat request as vLLM's own server reads it (vllm@0.33.0 ChatCompletionRequest).
 * @throws Untokenizable
 */
export function vllmChat(root: JsonObject, traits: EngineTraits & { readonly name: "vllm" }): ChatRequest {
  if (traits.usesHarmony) throw harmony();
  if (given(root, "chat_template") !== undefined) throw new Untokenizable("`chat_template` changes the prompt");
  checkWholePrompt(root);
  const tools = vllmTools(root.get("tools"));
  checkVllmToolChoice(root, tools);
  const continueFinalMessage = flagOr(root, "continue_final_message", false);
  const addGenerationPrompt = flagOr(root, "add_generation_prompt", true);
  if (continueFinalMessage && addGenerationPrompt) throw notTaken("continue_final_message");
  return {
    messages: vllmMessages(root.get("messages")),
    tools,
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: vllmTemplateArgs(root, vllmEffort(root.get("reasoning_effort"))),
    addGenerationPrompt,
    continueFinalMessage,
    addSpecialTokens: flagOr(root, "add_special_tokens", false),
    hasMedia: false,
  };
}

/** gpt-oss is rendered in code, with the date of the day. */
export function harmony(): Untokenizable {
  return new Untokenizable("the backend renders this model without its template");
}

/**
 * Refuses what takes the place of the prompt, or cuts it.
 * @throws Untokenizable
 */
export function checkWholePrompt(root: JsonObject): void {
  if (given(root, "truncate_prompt_tokens") !== undefined) {
    throw new Untokenizable("`truncate_prompt_tokens` changes the prompt");
  }
  const transfer = root.get("kv_transfer_params");
  if (transfer instanceof JsonObject && given(transfer, "prompt_token_ids") !== undefined) {
    throw new Untokenizable("`kv_transfer_params` brings the prompt");
  }
}
