import { JsonObject, type JsonValue } from "../../../json/index.ts";
import type { ChatRequest } from "../../chat/chat-request.ts";
import {
  type AnthropicTurn,
  anthropicBlockType,
  anthropicEffort,
  anthropicSystem,
  anthropicThinking,
  anthropicTurns,
  callInput,
  checkAnthropic,
} from "../anthropic.ts";
import type { SglangThinking, SglangTraits } from "../engine-traits.ts";
import { notTaken, objectOf, textOf, textPart } from "../members.ts";
import { stripped } from "../python-text.ts";
import { Untokenizable } from "../untokenizable.ts";
import { objectAsOrjson } from "./sglang-arguments.ts";
import { sglangMessagesTools } from "./sglang-messages-tools.ts";
import { searchResultText } from "./sglang-search-result.ts";
import { hunyuanEffort } from "./sglang-template-args.ts";
import { toolsInForm } from "./sglang-tool-form.ts";
import { toolResultTurns } from "./sglang-tool-result.ts";

const efforts = ["minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * A Messages request as SGLang makes chat of it (sglang@0.5.23 entrypoints/anthropic/serving.py).
 * @throws Untokenizable
 */
export function sglangMessagesRequest(root: JsonObject, traits: SglangTraits): ChatRequest {
  checkAnthropic(root);
  const turns = anthropicTurns(root);
  const messages = [...systemTurn(root, turns, traits), ...turns.flatMap((turn) => chatTurns(turn, traits))];
  if (messages.length === 0) throw notTaken("messages");
  return {
    messages,
    tools: toolsInForm(sglangMessagesTools(root, traits), traits),
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: templateArgs(root, traits),
    addGenerationPrompt: true,
    continueFinalMessage: false,
    addSpecialTokens: false,
    hasMedia: false,
  };
}

/** Thinking goes where the model has its switch; an effort, which comes later, wins over one that stands for thinking. */
function templateArgs(root: JsonObject, traits: SglangTraits): JsonObject | undefined {
  const thinking = anthropicThinking(root, "sglang");
  const args = thinking === undefined ? [] : thinkingArgs(thinking !== "disabled", traits.thinking);
  const effort = anthropicEffort(root, efforts);
  if (effort !== undefined) args.push(["reasoning_effort", effort === "xhigh" ? "max" : effort]);
  const all = args.length === 0 ? undefined : JsonObject.from(args);
  if (!traits.usesHunyuanEffort) return all;
  const own = all?.get("reasoning_effort");
  return objectOf({ reasoning_effort: hunyuanEffort(typeof own === "string" ? own : undefined) });
}

function thinkingArgs(isOn: boolean, way: SglangThinking): [string, JsonValue][] {
  switch (way.kind) {
    case "toggle":
      return way.arguments.map((name) => [name, isOn]);
    case "effort":
      return [["reasoning_effort", isOn ? way.on : way.off]];
    case "always":
      if (!isOn) throw notTaken("thinking");
      return [];
    case "unsupported":
      if (isOn) throw notTaken("thinking");
      return [];
    case "unknown":
      throw new Untokenizable("how the engine's reasoning parser switches thinking");
  }
}

/** The system prompt; where the template loses system messages between turns, theirs are put to it, a line each. */
function systemTurn(root: JsonObject, turns: readonly AnthropicTurn[], traits: SglangTraits): readonly JsonObject[] {
  const system = anthropicSystem(root);
  const texts =
    typeof system === "string" ? [system].filter((text) => stripped(text) !== "") : blockTexts(system ?? []);
  if (!traits.keepsInlineSystem) {
    for (const { role, content } of turns) if (role === "system") texts.push(...inlineText(content));
  }
  return texts.length === 0 ? [] : [objectOf({ role: "system", content: texts.join("\n") })];
}

function blockTexts(blocks: readonly JsonObject[]): string[] {
  return blocks.flatMap((block) => {
    const text = blockType(block) === "text" ? textOf(block, "text") : "";
    return text === "" ? [] : [text];
  });
}

function inlineText(content: AnthropicTurn["content"]): readonly string[] {
  const texts = typeof content === "string" ? [content] : blockTexts(content);
  const text = texts.map(stripped).filter((line) => line !== "");
  return text.length === 0 ? [] : [text.join("\n")];
}

function blockType(block: JsonObject): string {
  return anthropicBlockType(block, ["search_result"]);
}

function chatTurns({ role, content }: AnthropicTurn, traits: SglangTraits): readonly JsonObject[] {
  if (role === "system" && !traits.keepsInlineSystem) return [];
  if (typeof content === "string") return [objectOf({ role, content })];
  return new TurnWriter(role, traits).write(content);
}

/** Makes chat messages of the blocks of a turn, in their order; an assistant's thinking comes first. */
class TurnWriter {
  readonly #role: AnthropicTurn["role"];
  readonly #marks: SglangTraits["thinkMarks"];
  readonly #messages: JsonObject[] = [];
  readonly #calls: JsonObject[] = [];
  #parts: JsonObject[] = [];

  constructor(role: AnthropicTurn["role"], { thinkMarks }: SglangTraits) {
    this.#role = role;
    this.#marks = thinkMarks;
  }

  write(blocks: readonly JsonObject[]): readonly JsonObject[] {
    if (this.#role === "assistant") this.#addThinking(blocks);
    for (const block of blocks) this.#add(block);
    this.#end();
    return this.#messages;
  }

  #add(block: JsonObject): void {
    const type = blockType(block);
    if (type === "text") this.#parts.push(textPart(textOf(block, "text")));
    else if (type === "tool_use") this.#calls.push(toolCall(block));
    else if (type === "tool_result") this.#addResult(block);
    else if (type === "search_result") this.#addText(searchResultText(block));
    else if (type === "thinking") textOf(block, "thinking");
  }

  #addText(text: string): void {
    if (text !== "") this.#parts.push(textPart(text));
  }

  #addThinking(blocks: readonly JsonObject[]): void {
    if (blocks.some((block) => block.get("type") === "redacted_thinking")) throw notTaken("messages");
    const thoughts = blocks.flatMap((block) => (block.get("type") === "thinking" ? textOf(block, "thinking") : []));
    const text = thoughts.filter((thought) => thought !== "").join("\n");
    if (text === "" || this.#marks === "dropped") return;
    if (this.#marks === "unknown") throw new Untokenizable("the marks of the engine's reasoning parser");
    this.#addText(`${this.#marks.start}${text}\n${this.#marks.end}`);
  }

  #addResult(block: JsonObject): void {
    const { turns, text } = toolResultTurns(block);
    if (this.#role !== "user") {
      this.#parts.push(textPart(`Tool result: ${text}`));
      return;
    }
    this.#flush();
    this.#messages.push(...turns);
  }

  #flush(): void {
    if (this.#parts.length > 0) this.#messages.push(objectOf({ role: this.#role, content: contentOf(this.#parts) }));
    this.#parts = [];
  }

  /** A turn with nothing in it stays as empty text, unless it is a user's. */
  #end(): void {
    const role = this.#role;
    const calls = this.#calls.length === 0 ? undefined : this.#calls;
    if (this.#parts.length === 0 && calls === undefined && role === "user") return;
    if (calls !== undefined && role !== "assistant")
      throw new Untokenizable("a call in another turn than an assistant's");
    const content = this.#parts.length === 0 ? "" : contentOf(this.#parts);
    this.#messages.push(objectOf({ role, content, tool_calls: calls }));
  }
}

/** One part alone is plain text. */
function contentOf(parts: readonly JsonObject[]): JsonValue {
  return parts.length === 1 ? ((parts[0] as JsonObject).get("text") ?? "") : parts;
}

/** A call without an id gets one at random. */
function toolCall(block: JsonObject): JsonObject {
  const id = textOf(block, "id");
  if (id === "") throw new Untokenizable("a call without an id");
  const called = objectOf({ name: textOf(block, "name"), arguments: objectAsOrjson(callInput(block)) });
  return objectOf({ id, index: null, type: "function", function: called });
}
