import { JsonObject, type JsonValue } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import { isList } from "../../fields/index.ts";
import type { SglangTraits } from "../engine-traits.ts";
import { notTaken, objectOf, optionalText, refuseNullStream } from "../members.ts";
import { responseInput } from "../responses.ts";
import { Untokenizable } from "../untokenizable.ts";
import { sglangHarmonyResponses } from "./sglang-harmony.ts";
import { sglangMessage } from "./sglang-message.ts";
import { sglangItem } from "./sglang-response-items.ts";
import { sglangResponseTools } from "./sglang-response-tools.ts";
import { mergeAssistants } from "./sglang-response-turns.ts";
import { sglangResponseEffort } from "./sglang-responses-effort.ts";
import { sglangTemplateArgs } from "./sglang-template-args.ts";
import { toolsInForm } from "./sglang-tool-form.ts";

/**
 * A Responses request as SGLang makes chat of it (sglang@0.5.23 entrypoints/openai/serving_responses.py).
 * @throws Untokenizable
 */
export function sglangResponses(root: JsonObject, traits: SglangTraits): ChatRequest {
  if (traits.unknownResponses !== undefined) throw new Untokenizable(traits.unknownResponses);
  refuseNullStream(root);
  if (traits.usesHarmony) return sglangHarmonyResponses(root);
  const input = responseInput(root);
  const instructions = optionalText(root, "instructions") ?? "";
  const head = instructions === "" ? [] : [objectOf({ role: "system", content: instructions })];
  const items = typeof input === "string" ? [objectOf({ role: "user", content: input })] : input.flatMap(sglangItem);
  const merged = mergeAssistants([...head, ...items]);
  const messages = (traits.keepsInlineSystem ? merged : withSystemAtHead(merged)).map(sglangMessage);
  if (messages.length === 0) throw notTaken("input");
  const effort = sglangResponseEffort(root);
  return {
    messages,
    tools: toolsInForm(sglangResponseTools(root), traits),
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: sglangTemplateArgs(
      root,
      { effort, thinks: effort === undefined ? undefined : effort !== "none" },
      traits,
    ),
    addGenerationPrompt: true,
    continueFinalMessage: false,
    addSpecialTokens: false,
    hasMedia: false,
  };
}

/** System messages as one at the head, a blank line between their texts. */
function withSystemAtHead(messages: readonly JsonObject[]): readonly JsonObject[] {
  const texts = messages.flatMap((message) =>
    message.get("role") === "system" ? textsOf(message.get("content")) : [],
  );
  const others = messages.filter((message) => message.get("role") !== "system");
  return texts.length === 0 ? others : [objectOf({ role: "system", content: texts.join("\n\n") }), ...others];
}

function textsOf(content: JsonValue | undefined): readonly string[] {
  if (typeof content === "string") return [content];
  if (!isList(content)) return [];
  return content.flatMap((part) => {
    const text = part instanceof JsonObject ? part.get("text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
}
