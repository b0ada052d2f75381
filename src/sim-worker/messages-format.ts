import type { AnswerChoice, AnswerFormat, AnswerHead, AnswerStream, AnswerUsage, FinishReason } from "./answer.ts";

/** `/v1/messages`: one message of one text block. */
export const messagesFormat: AnswerFormat = {
  json: (head, choices, usage) => ({
    ...messageFields(head),
    content: choices.map(({ text }) => ({ type: "text", text })),
    stop_reason: stopReason(choices[0]?.finishReason),
    usage: messagesUsage(usage),
  }),
  stream: (head) => new MessageStream(head),
};

/** The events of one message. */
class MessageStream implements AnswerStream {
  readonly #head: AnswerHead;
  #finishReason: FinishReason | undefined;

  constructor(head: AnswerHead) {
    this.#head = head;
  }

  start(): string {
    const usage = messagesUsage({ promptTokens: 0, cachedTokens: 0, outputTokens: 0 });
    const message = { ...messageFields(this.#head), content: [], stop_reason: null, usage };
    const block = { index: 0, content_block: { type: "text", text: "" } };
    return event("message_start", { message }) + event("content_block_start", block);
  }

  delta(_index: number, text: string): string {
    return event("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
  }

  endChoice(_index: number, choice: AnswerChoice): string {
    this.#finishReason = choice.finishReason;
    return event("content_block_stop", { index: 0 });
  }

  finish(usage: AnswerUsage): string {
    const delta = { stop_reason: stopReason(this.#finishReason), stop_sequence: null };
    return event("message_delta", { delta, usage: messagesUsage(usage) }) + event("message_stop", {});
  }
}

function messageFields({ id, model }: AnswerHead): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function stopReason(reason: FinishReason | undefined): string {
  return reason === "length" ? "max_tokens" : "end_turn";
}

/** `input_tokens` are those that were not read from the cache. */
function messagesUsage({ promptTokens, cachedTokens, outputTokens }: AnswerUsage): object {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
  };
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
