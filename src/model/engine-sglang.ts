import type { ChatRequest } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import type { ChatTemplate } from "../template/index.ts";
import type { ChatStrategy, RenderedChat, Variables } from "./chat-strategy.ts";
import { sglangTakesParts } from "./engine-content-format.ts";
import { isList, type Message, plainMessage, withMembers } from "./messages.ts";

type Tools = readonly JsonValue[] | null;

/** A conversation as SGLang hands it to Hugging Face's Jinja (sglang@0.5.23 serving_chat.py _apply_jinja_template). */
export class SglangChat implements ChatStrategy {
  readonly #template: ChatTemplate;
  readonly #variables: Variables;
  readonly #takesParts: boolean;
  readonly #effortSwitch: string | undefined;

  /** @param effortSwitch template argument that a low effort turns on */
  constructor(template: ChatTemplate, variables: Variables, effortSwitch: string | undefined) {
    this.#template = template;
    this.#variables = variables;
    this.#takesParts = sglangTakesParts(template.source);
    this.#effortSwitch = effortSwitch;
  }

  render(chat: ChatRequest): RenderedChat {
    const shaped = chat.messages.map((message) => this.#shapeContent(message));
    const { messages, continuation } = withLastTurn(shaped, chat.continueFinalMessage);
    const pieces = this.#renderWithTools(chat, messages);
    return { pieces, areSigns: undefined, ...(continuation === undefined ? {} : { continuation }) };
  }

  /** A template that refuses the tools gets their functions alone. */
  #renderWithTools(chat: ChatRequest, messages: readonly Message[]): readonly string[] {
    if (chat.tools === undefined) return this.#render(chat, messages, null);
    try {
      return this.#render(chat, messages, chat.tools);
    } catch (error) {
      if (!(error instanceof RoutingError)) throw error;
      return this.#render(
        chat,
        messages,
        chat.tools.map((tool) => tool.get("function") ?? tool),
      );
    }
  }

  #render(chat: ChatRequest, messages: readonly Message[], tools: Tools): readonly string[] {
    return this.#template.renderPieces(
      JsonObject.from([
        ...this.#variables,
        ["documents", null],
        ...this.#args(chat),
        ["tools", tools],
        ["add_generation_prompt", true],
        ["messages", messages],
      ]),
    );
  }

  *#args({ templateArgs }: ChatRequest): Generator<readonly [string, JsonValue]> {
    if (templateArgs === undefined) return;
    const name = this.#effortSwitch;
    if (name !== undefined && templateArgs.get("reasoning_effort") === "low") yield [name, true];
    yield* templateArgs.entries();
  }

  /** Text stays text, whatever the template takes; parts are joined by blanks where it takes text, and in a tool's result. */
  #shapeContent(message: Message): Message {
    const parts = message.get("content");
    if (!isList(parts)) return message;
    const texts = parts.filter((part) => part instanceof JsonObject && part.get("type") === "text").map(partText);
    if (!this.#takesParts) return withMembers(message, { content: joined(texts) });
    const isText = message.get("role") === "tool" && texts.length === parts.length;
    const content = isText ? joined(texts) : parts;
    return withMembers(withMembers(message, { content: undefined }), { content });
  }
}

function partText(part: JsonValue): string {
  const text = part instanceof JsonObject ? part.get("text") : undefined;
  return typeof text === "string" ? text : "";
}

/** One text alone stays the string that it is. */
function joined(texts: readonly string[]): string {
  return texts.length === 1 ? (texts[0] as string) : texts.join(" ");
}

/** An assistant's turn at the end is taken off and put behind the prompt, when it is to be continued, and else becomes the user's. */
function withLastTurn(
  messages: readonly Message[],
  continues: boolean,
): { readonly messages: readonly Message[]; readonly continuation: string | undefined } {
  const last = messages.at(-1);
  const text = last?.get("role") === "assistant" ? last.get("content") : undefined;
  if (typeof text !== "string") return { messages, continuation: undefined };
  const earlier = messages.slice(0, -1);
  if (continues) return { messages: earlier, continuation: text === "" ? undefined : text };
  return { messages: [...earlier, plainMessage("user", text)], continuation: undefined };
}
