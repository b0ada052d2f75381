import { randomUUID } from "node:crypto";
import OpenAI from "openai";
import type { Conversation } from "./conversations.ts";

/** One exchange that is over. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
}

/** What the SDK gave back for one request. */
export interface SdkAnswer {
  readonly requestId: string;
  readonly text: string;
  readonly promptTokens: number;
  /** As the worker reported. */
  readonly cachedTokens: number;
  /** Name of the simulated worker that answered. */
  readonly worker: string;
}

const outputTokens = 24;

/** Asks by the official OpenAI SDK, as any client of the gateway would. */
export class SdkClient {
  readonly #openai: OpenAI;
  readonly #model: string;

  constructor(gatewayUrl: string, model: string) {
    this.#openai = new OpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: "none", maxRetries: 0 });
    this.#model = model;
  }

  /** Asks the next question of a conversation. Rejects with the SDK's error when the answer is not a 200. */
  async ask(conversation: Conversation, past: readonly Exchange[], question: string): Promise<SdkAnswer> {
    switch (conversation.api) {
      case "chat":
        return await this.#chat(conversation, past, question);
      case "completions":
        return await this.#completion(conversation, past, question);
      case "responses":
        return await this.#response(conversation, past, question);
    }
  }

  async #chat(conversation: Conversation, past: readonly Exchange[], question: string): Promise<SdkAnswer> {
    const requestId = randomUUID();
    const body = {
      model: this.#model,
      max_tokens: outputTokens,
      messages: [{ role: "system" as const, content: conversation.system }, ...messagesOf(past, question)],
    };
    const options = { headers: { "x-request-id": requestId } };
    if (!conversation.isStreamed) {
      const { data, response } = await this.#openai.chat.completions.create(body, options).withResponse();
      return answerOf(requestId, response, data.choices[0]?.message.content, data.usage);
    }
    const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } };
    const { data, response } = await this.#openai.chat.completions.create(streamed, options).withResponse();
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of data) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    return answerOf(requestId, response, text, usage);
  }

  async #completion(conversation: Conversation, past: readonly Exchange[], question: string): Promise<SdkAnswer> {
    const requestId = randomUUID();
    const turns = past.map((turn) => `\n\nQ: ${turn.question}\n\nA: ${turn.answer}`).join("");
    const prompt = `${conversation.system}${turns}\n\nQ: ${question}\n\nA:`;
    const body = { model: this.#model, max_tokens: outputTokens, prompt };
    const options = { headers: { "x-request-id": requestId } };
    if (!conversation.isStreamed) {
      const { data, response } = await this.#openai.completions.create(body, options).withResponse();
      return answerOf(requestId, response, data.choices[0]?.text, data.usage);
    }
    const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } };
    const { data, response } = await this.#openai.completions.create(streamed, options).withResponse();
    let text = "";
    let usage: OpenAI.CompletionUsage | undefined;
    for await (const chunk of data) {
      text += chunk.choices[0]?.text ?? "";
      usage = chunk.usage ?? usage;
    }
    return answerOf(requestId, response, text, usage);
  }

  async #response(conversation: Conversation, past: readonly Exchange[], question: string): Promise<SdkAnswer> {
    const requestId = randomUUID();
    const body = {
      model: this.#model,
      max_output_tokens: outputTokens,
      instructions: conversation.system,
      input: messagesOf(past, question),
    };
    const options = { headers: { "x-request-id": requestId } };
    if (!conversation.isStreamed) {
      const { data, response } = await this.#openai.responses.create(body, options).withResponse();
      return answerOf(requestId, response, data.output_text, chatUsage(data.usage));
    }
    const streamed = { ...body, stream: true as const };
    const { data, response } = await this.#openai.responses.create(streamed, options).withResponse();
    let text = "";
    let usage: OpenAI.Responses.ResponseUsage | undefined;
    for await (const event of data) {
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") usage = event.response.usage;
    }
    return answerOf(requestId, response, text, chatUsage(usage));
  }
}

function messagesOf(past: readonly Exchange[], question: string) {
  const before = past.flatMap((turn) => [
    { role: "user" as const, content: turn.question },
    { role: "assistant" as const, content: turn.answer },
  ]);
  return [...before, { role: "user" as const, content: question }];
}

interface Usage {
  readonly prompt_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | undefined } | null | undefined;
}

function chatUsage(usage: OpenAI.Responses.ResponseUsage | undefined): Usage | undefined {
  return usage && { prompt_tokens: usage.input_tokens, prompt_tokens_details: usage.input_tokens_details };
}

function answerOf(
  requestId: string,
  response: Response,
  text: string | null | undefined,
  usage: Usage | null | undefined,
): SdkAnswer {
  if (!text || !usage) throw new Error(`the answer of request ${requestId} has no text or no usage`);
  return {
    requestId,
    text,
    promptTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    worker: response.headers.get("x-sim-worker") ?? "unknown",
  };
}
