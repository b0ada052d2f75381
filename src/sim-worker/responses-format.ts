import type { AnswerChoice, AnswerFormat, AnswerHead, AnswerStream, AnswerUsage } from "./answer.ts";

/** `/v1/responses`: one output message of one text part. */
export const responsesFormat: AnswerFormat = {
  json: (head, choices, usage) =>
    responseFields(
      head,
      "completed",
      choices.map((choice) => messageItem(head, "completed", choice.text)),
      usage,
    ),
  stream: (head) => new ResponsesStream(head),
};

/** The events of one response, numbered from 0. */
class ResponsesStream implements AnswerStream {
  readonly #head: AnswerHead;
  #sequenceNumber = 0;
  #text = "";

  constructor(head: AnswerHead) {
    this.#head = head;
  }

  start(): string {
    const response = responseFields(this.#head, "in_progress", [], null);
    return [
      this.#event("response.created", { response }),
      this.#event("response.in_progress", { response }),
      this.#event("response.output_item.added", {
        output_index: 0,
        item: { ...messageItem(this.#head, "in_progress", ""), content: [] },
      }),
      this.#event("response.content_part.added", { ...this.#partPosition(), part: textPart("") }),
    ].join("");
  }

  delta(_index: number, text: string): string {
    return this.#event("response.output_text.delta", { ...this.#partPosition(), delta: text, logprobs: [] });
  }

  endChoice(_index: number, choice: AnswerChoice): string {
    this.#text = choice.text;
    return [
      this.#event("response.output_text.done", { ...this.#partPosition(), text: choice.text, logprobs: [] }),
      this.#event("response.content_part.done", { ...this.#partPosition(), part: textPart(choice.text) }),
      this.#event("response.output_item.done", {
        output_index: 0,
        item: messageItem(this.#head, "completed", choice.text),
      }),
    ].join("");
  }

  finish(usage: AnswerUsage): string {
    const output = [messageItem(this.#head, "completed", this.#text)];
    return this.#event("response.completed", { response: responseFields(this.#head, "completed", output, usage) });
  }

  #partPosition(): object {
    return { item_id: `msg_${this.#head.id}`, output_index: 0, content_index: 0 };
  }

  #event(type: string, fields: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequenceNumber, ...fields });
    this.#sequenceNumber += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}

function textPart(text: string): object {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function messageItem(head: AnswerHead, status: string, text: string): object {
  return { id: `msg_${head.id}`, type: "message", status, role: "assistant", content: [textPart(text)] };
}

function responseFields(
  head: AnswerHead,
  status: string,
  output: readonly object[],
  usage: AnswerUsage | null,
): object {
  return {
    id: `resp_${head.id}`,
    object: "response",
    created_at: head.createdAt,
    status,
    model: head.model,
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage: usage === null ? null : responseUsage(usage),
  };
}

function responseUsage(usage: AnswerUsage): object {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: { cached_tokens: usage.cachedTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.promptTokens + usage.outputTokens,
  };
}
