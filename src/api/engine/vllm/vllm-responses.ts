import type { JsonObject } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import type { VllmTraits } from "../engine-traits.ts";
import { given, notTaken, objectOf, optionalText } from "../members.ts";
import { responseEffort, responseInput } from "../responses.ts";
import { checkWholePrompt } from "./vllm-chat.ts";
import { vllmContent } from "./vllm-content.ts";
import { vllmHarmonyResponses } from "./vllm-harmony-responses.ts";
import { VllmItems } from "./vllm-response-items.ts";
import { vllmResponseTools } from "./vllm-response-tools.ts";
import { vllmEfforts, vllmTemplateArgs } from "./vllm-template-args.ts";

/**
 * A Responses request as vLLM makes chat of it (vllm@0.33.0 entrypoints/openai/responses/). Special tokens are added to the prompt, beside
 * those that the template prints; a last turn that is not completed is continued.
 * @throws Untokenizable
 */
export function vllmResponses(root: JsonObject, traits: VllmTraits): ChatRequest {
  checkWholePrompt(root);
  if (traits.usesHarmony) return vllmHarmonyResponses(root);
  const input = responseInput(root);
  const instructions = optionalText(root, "instructions") ?? "";
  const messages = typeof input === "string" ? [turn("user", input)] : new VllmItems().chatMessages(input);
  const head = instructions === "" ? [] : [turn("system", instructions)];
  if (head.length + messages.length === 0) throw notTaken("input");
  const continueFinalMessage = typeof input !== "string" && isContinued(input.at(-1));
  return {
    messages: [...head, ...messages],
    tools: vllmResponseTools(root),
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: vllmTemplateArgs(root, responseEffort(root, vllmEfforts)),
    addGenerationPrompt: !continueFinalMessage,
    continueFinalMessage,
    addSpecialTokens: true,
    hasMedia: false,
  };
}

function turn(role: string, text: string): JsonObject {
  return objectOf({ role, content: vllmContent(text, role, "own") });
}

function isContinued(last: JsonObject | undefined): boolean {
  const type = last === undefined ? undefined : (given(last, "type") ?? "message");
  const status = last?.get("status");
  return (type === "message" || type === "reasoning") && (status === "in_progress" || status === "incomplete");
}
