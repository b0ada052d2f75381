import type { JsonObject, JsonValue } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import { isList } from "../../fields/index.ts";
import {
  type AnthropicTurn,
  anthropicBlockType,
  anthropicChoice,
  anthropicEffort,
  anthropicSystem,
  anthropicThinking,
  anthropicTurns,
  callInput,
  checkAnthropic,
  inputSchema,
} from "../anthropic.ts";
import type { VllmTraits } from "../engine-traits.ts";
import { given, notTaken, objectOf, objectsOf, optionalFlag, optionalText, textOf, textPart } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";
import { checkWholePrompt } from "./vllm-chat.ts";
import { BILLING_HEADER, vllmContent } from "./vllm-content.ts";
import { harmonyTools, vllmHarmonyChat } from "./vllm-harmony.ts";
import { vllmTemplateArgs } from "./vllm-template-args.ts";
import { vllmTool } from "./vllm-tools.ts";

/**
 * A Messages request as vLLM makes chat of it (vllm@0.33.0 entrypoints/anthropic/serving.py).
 * @throws Untokenizable
 */
export function vllmMessagesRequest(root: JsonObject, traits: VllmTraits): ChatRequest {
  checkAnthropic(root);
  checkWholePrompt(root);
  const turns = anthropicTurns(root);
  const messages = [...systemTurn(root, turns, traits), ...turns.flatMap((turn) => chatTurns(turn, traits))];
  if (messages.length === 0) throw notTaken("messages");
  const offered = tools(root);
  if (traits.usesHarmony) {
    return vllmHarmonyChat(messages, { tools: harmonyTools(offered), effort: effort(root, traits) });
  }
  return {
    messages,
    tools: offered,
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: vllmTemplateArgs(root, effort(root, traits)),
    addGenerationPrompt: true,
    continueFinalMessage: false,
    addSpecialTokens: false,
    hasMedia: false,
  };
}

function effort(root: JsonObject, traits: VllmTraits): string | undefined {
  const configured = anthropicEffort(root, ["low", "medium", "high", "xhigh", "max"]);
  return anthropicThinking(root, "vllm") === "disabled" ? traits.disabledThinkingEffort : configured;
}

/** The system prompt; where the template takes none between turns, theirs are put to it. Nothing stands between the texts. */
function systemTurn(root: JsonObject, turns: readonly AnthropicTurn[], traits: VllmTraits): readonly JsonObject[] {
  const system = anthropicSystem(root);
  const texts = typeof system === "string" ? [system] : blockTexts(system ?? []);
  if (traits.mergesInlineSystem) {
    for (const { role, content } of turns) if (role === "system") texts.push(...systemTexts(content));
  }
  return texts.length === 0 ? [] : [systemMessage(texts.join(""))];
}

function systemMessage(text: string): JsonObject {
  return objectOf({ role: "system", content: vllmContent(text, "system", "own") });
}

/** Texts of blocks, without the attribution line of Claude Code. */
function blockTexts(blocks: readonly JsonObject[]): string[] {
  return blocks.flatMap((block) => {
    const type = blockType(block);
    if (type === "tool_addition" || type === "tool_removal") throw new Untokenizable("tools that change between turns");
    const text = type === "text" ? (optionalText(block, "text") ?? "") : "";
    return text === "" || text.startsWith(BILLING_HEADER) ? [] : [text];
  });
}

function systemTexts(content: AnthropicTurn["content"]): readonly string[] {
  if (typeof content !== "string") return blockTexts(content);
  return content === "" || content.startsWith(BILLING_HEADER) ? [] : [content];
}

function blockType(block: JsonObject): string {
  return anthropicBlockType(block, ["tool_addition", "tool_removal"]);
}

function chatTurns({ role, content }: AnthropicTurn, traits: VllmTraits): readonly JsonObject[] {
  if (role === "system") {
    const text = traits.mergesInlineSystem ? "" : systemTexts(content).join("");
    return text === "" ? [] : [systemMessage(text)];
  }
  if (typeof content === "string") return [objectOf({ role, content: vllmContent(content, role, "own") })];
  return role === "user" ? userTurns(content) : [assistantTurn(content)];
}

/** Results of tools come before the turn's own text, which is left out when there is none. */
function userTurns(blocks: readonly JsonObject[]): readonly JsonObject[] {
  const results: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const block of blocks) {
    const type = blockType(block);
    if (type === "tool_result") results.push(...toolTurns(block));
    else if (type === "text") parts.push(...textParts(block));
    else if (type.startsWith("tool_a") || type === "tool_removal") throw notTaken("messages");
  }
  return parts.length === 0 ? results : [...results, objectOf({ role: "user", content: parts })];
}

/** Empty text is no part. */
function textParts(block: JsonObject): readonly JsonObject[] {
  const text = optionalText(block, "text") ?? "";
  return text === "" ? [] : [textPart(text)];
}

/** A result; the tools that it refers to are named in another one. */
function toolTurns(block: JsonObject): readonly JsonObject[] {
  const id = optionalText(block, "tool_use_id") ?? "";
  const turn = (parts: readonly JsonValue[]) => objectOf({ role: "tool", content: parts, tool_call_id: id });
  const content = given(block, "content") ?? "";
  if (typeof content === "string") return [turn([textPart(content)])];
  if (!isList(content)) throw notTaken("content");
  const items = objectsOf(content, "content");
  if (items.some((item) => item.get("type") === "image")) throw new Untokenizable("content that is not text");
  const texts = items.flatMap((item) => (item.get("type") === "text" ? resultText(item) : []));
  const references = items.flatMap((item) => (item.get("type") === "tool_reference" ? referencePart(item) : []));
  const result = turn([textPart(texts.join("\n"))]);
  return references.length === 0 ? [result] : [result, turn(references)];
}

function resultText(item: JsonObject): string {
  return item.has("text") ? textOf(item, "text") : "";
}

function referencePart(item: JsonObject): readonly JsonObject[] {
  const name = optionalText(item, "tool_name") || optionalText(item, "name");
  return name === undefined || name === "" ? [] : [objectOf({ type: "tool_reference", name })];
}

function assistantTurn(blocks: readonly JsonObject[]): JsonObject {
  const parts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  const thoughts: string[] = [];
  for (const block of blocks) {
    const type = blockType(block);
    if (type === "text") parts.push(...textParts(block));
    else if (type === "thinking")
      thoughts.push(...[optionalText(block, "thinking")].filter((text) => text !== undefined));
    else if (type === "tool_use") calls.push(toolCall(block));
    else if (type === "tool_result") parts.push(resultPart(block));
    else if (type === "tool_addition" || type === "tool_removal") throw notTaken("messages");
  }
  const reasoning = thoughts.length === 0 ? undefined : thoughts.join("");
  return objectOf({
    role: "assistant",
    content: parts,
    tool_calls: calls.length === 0 ? undefined : calls,
    reasoning,
    reasoning_content: reasoning,
  });
}

/** A call without an id gets one of the time. */
function toolCall(block: JsonObject): JsonObject {
  const id = optionalText(block, "id") ?? "";
  if (id === "") throw new Untokenizable("a call without an id");
  const called = objectOf({ arguments: callInput(block), name: optionalText(block, "name") ?? "" });
  return objectOf({ id, function: called, type: "function" });
}

/** In an assistant's turn it is text; blocks would be printed as Python does. */
function resultPart(block: JsonObject): JsonObject {
  const content = given(block, "content") ?? "";
  if (typeof content !== "string") throw new Untokenizable("blocks of a result in an assistant's turn");
  return textPart(`Tool result: ${content}`);
}

function tools(root: JsonObject): readonly JsonObject[] | undefined {
  const choice = anthropicChoice(root);
  if (choice?.type === "tool" && (choice.name ?? "") === "") throw notTaken("tool_choice");
  const value = given(root, "tools");
  if (value === undefined) return undefined;
  if (!isList(value)) throw notTaken("tools");
  return objectsOf(value, "tools").map((tool) =>
    vllmTool(
      {
        name: textOf(tool, "name"),
        description: optionalText(tool, "description") ?? null,
        parameters: inputSchema(tool),
        strict: optionalFlag(tool, "strict"),
        deferLoading: optionalFlag(tool, "defer_loading"),
      },
      undefined,
    ),
  );
}
