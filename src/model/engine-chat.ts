import { Buffer } from "node:buffer";
import type { ChatRequest } from "../api/index.ts";
import { JsonObject, JsonSyntaxError, type JsonValue, parseJson } from "../json/index.ts";
import type { ChatTemplate } from "../template/index.ts";
import type { ChatStrategy, Variables } from "./chat-strategy.ts";
import { plainContent, shapeContent } from "./content-shape.ts";
import { isList, type Message, withMembers } from "./messages.ts";

/** A loop over a message's content: such a template takes lists of parts. */
const loopOverContent = /\bfor\s+\w+\s+in\s+[\w.[\]'"]*\bcontent\b/;

/** A conversation as vLLM and SGLang hand it to Hugging Face's Jinja (vllm entrypoints/chat_utils.py, transformers apply_chat_template). */
export class EngineChat implements ChatStrategy {
  readonly #variables: Variables;
  readonly #takesParts: boolean;

  constructor(template: ChatTemplate, variables: Variables) {
    this.#variables = variables;
    this.#takesParts = loopOverContent.test(template.source);
  }

  shape(messages: readonly Message[]): readonly Message[] {
    return messages.map((message) => {
      const shaped = this.#takesParts ? message : shapeContent(message, plainContent);
      return withParsedCalls(withContent(shaped));
    });
  }

  /** The client's template arguments reach the template, before the defaults. */
  context(chat: ChatRequest, messages: readonly Message[], tools: readonly JsonObject[] | undefined): JsonObject {
    return JsonObject.from([
      ...this.#variables,
      ["documents", null],
      ["tools", tools ?? null],
      ["add_generation_prompt", chat.addGenerationPrompt],
      ...(chat.templateArgs?.entries() ?? []),
      ["messages", messages],
    ]);
  }
}

/** An assistant turn without content has None there. */
function withContent(message: Message): Message {
  return message.has("content") ? message : withMembers(message, { content: null });
}

/** Templates get the arguments of earlier calls as objects. */
function withParsedCalls(message: Message): Message {
  const calls = message.get("tool_calls");
  if (!isList(calls)) return message;
  return withMembers(message, {
    tool_calls: calls.map((call) => {
      const target = call instanceof JsonObject ? call.get("function") : undefined;
      if (!(call instanceof JsonObject && target instanceof JsonObject)) return call;
      return withMembers(call, { function: withMembers(target, { arguments: argumentsOf(target.get("arguments")) }) });
    }),
  });
}

function argumentsOf(text: JsonValue | undefined): JsonValue | undefined {
  if (typeof text !== "string") return text;
  if (text === "") return JsonObject.from([]);
  try {
    return parseJson(Buffer.from(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return text;
    throw error;
  }
}
