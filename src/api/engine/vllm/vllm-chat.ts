import { JsonObject } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import { isList } from "../../fields/index.ts";
import type { EngineTraits } from "../engine-traits.ts";
import { flagOr, given, notTaken, objectsOf } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import { harmonyTools, vllmHarmonyChat } from "./vllm-harmony.ts";
import { vllmMessages, withReasoning } from "./vllm-message.ts";
import { vllmEffort, vllmTemplateArgs } from "./vllm-template-args.ts";
import { checkVllmToolChoice, vllmTools } from "./vllm-tools.ts";

/**
 * A chat request as vLLM's own server reads it (vllm@0.33.0 ChatCompletionRequest).
 * @throws Untokenizable
 */
export function vllmChat(root: JsonObject, traits: EngineTraits & { readonly name: "vllm" }): ChatRequest {
  if (given(root, "chat_template") !== undefined) throw new Untokenizable("`chat_template` changes the prompt");
  checkWholePrompt(root);
  const tools = vllmTools(root.get("tools"));
  checkVllmToolChoice(root, tools);
  const continueFinalMessage = flagOr(root, "continue_final_message", false);
  const addGenerationPrompt = flagOr(root, "add_generation_prompt", true);
  if (continueFinalMessage && addGenerationPrompt) throw notTaken("continue_final_message");
  const messages = vllmMessages(root.get("messages"));
  const effort = vllmEffort(root.get("reasoning_effort"));
  if (traits.usesHarmony) return vllmHarmonyChat(sourcesOf(root), { tools: harmonyTools(tools), effort });
  return {
    messages,
    tools,
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: vllmTemplateArgs(root, effort),
    addGenerationPrompt,
    continueFinalMessage,
    addSpecialTokens: flagOr(root, "add_special_tokens", false),
    hasMedia: false,
  };
}

/** The messages as the client sent them, once they are known to be taken. */
function sourcesOf(root: JsonObject): readonly JsonObject[] {
  const messages = root.get("messages");
  return objectsOf(isList(messages) ? messages : [], "messages").map(withReasoning);
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
