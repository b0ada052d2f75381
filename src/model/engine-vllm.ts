import type { ChatRequest } from "../api/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import type { ChatTemplate } from "../template/index.ts";
import type { ChatStrategy, RenderedChat, Variables } from "./chat-strategy.ts";
import { vllmTakesParts } from "./engine-content-format.ts";
import { continueFinalMessage } from "./engine-continuation.ts";
import { isList, type Message, plainMessage, withMembers } from "./messages.ts";

/** A conversation as vLLM hands it to Hugging Face's Jinja (vllm@0.33.0 renderers/hf.py). */
export class VllmChat implements ChatStrategy {
  readonly #template: ChatTemplate;
  readonly #variables: Variables;
  readonly #takesParts: boolean;
  readonly #knowsDevelopers: boolean;

  constructor(template: ChatTemplate, variables: Variables) {
    this.#template = template;
    this.#variables = variables;
    this.#takesParts = vllmTakesParts(template.source);
    this.#knowsDevelopers = /"developer"|'developer'/.test(template.source);
  }

  render(chat: ChatRequest): RenderedChat {
    const messages = this.#shape(chat.messages);
    const render = (shaped: readonly Message[]) => this.#template.renderPieces(this.#context(chat, shaped));
    const pieces = chat.continueFinalMessage ? continueFinalMessage(messages, render) : render(messages);
    return { pieces, areSigns: undefined };
  }

  #shape(messages: readonly Message[]): readonly Message[] {
    const shaped = messages.map((message) => this.#shapeContent(message));
    if (this.#knowsDevelopers || !messages.some(isDeveloper)) return shaped;
    return consolidated(shaped.map(asSystem));
  }

  /** A tool's result is text wherever it can be. */
  #shapeContent(message: Message): Message {
    const parts = message.get("content");
    if (!isList(parts)) return message;
    if (!this.#takesParts)
      return withMembers(message, { content: joined(parts.map(partText).filter((text) => text !== "")) });
    const isPlain = message.get("role") === "tool" && parts.every(isTextPart);
    return isPlain ? withMembers(message, { content: joined(parts.map(partText)) }) : message;
  }

  #context(chat: ChatRequest, messages: readonly Message[]): JsonObject {
    return JsonObject.from([
      ...this.#variables,
      ["documents", null],
      ...(chat.templateArgs?.entries() ?? []),
      ["tools", chat.tools ?? null],
      ["add_generation_prompt", chat.addGenerationPrompt],
      ["messages", messages],
    ]);
  }
}

/** One text alone stays the string that it is. */
function joined(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] as string) : texts.join("\n");
}

function partText(part: JsonValue): string {
  const text = part instanceof JsonObject ? (part.get("text") ?? part.get("name")) : part;
  return typeof text === "string" ? text : "";
}

function isTextPart(part: JsonValue): boolean {
  return part instanceof JsonObject && part.get("type") === "text";
}

function isDeveloper(message: Message): boolean {
  return message.get("role") === "developer";
}

function asSystem(message: Message): Message {
  return isDeveloper(message) ? withMembers(message, { role: "system", tools: undefined }) : message;
}

/** System messages in other places than the first become one, at the head. */
function consolidated(messages: readonly Message[]): readonly Message[] {
  const systems = messages.filter((message) => message.get("role") === "system");
  if (systems.length === 1 && systems[0] === messages[0]) return messages;
  const texts = systems.map(systemText).filter((text) => text !== "");
  const others = messages.filter((message) => message.get("role") !== "system");
  return [plainMessage("system", texts.join("\n\n")), ...others];
}

function systemText(message: Message): string {
  const content = message.get("content");
  if (typeof content === "string") return content;
  return isList(content) ? content.filter(isTextPart).map(partText).join("\n") : "";
}
