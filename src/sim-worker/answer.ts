/** What is known of an answer before its first token. */
export interface AnswerHead {
  /** Unique part of the answer's ids. */
  readonly id: string;
  /** Unix time in s. */
  readonly createdAt: number;
  readonly model: string;
  /** True when a chat or completions stream ends with a usage chunk. */
  readonly includeUsage: boolean;
}

/** Tokens of all sequences of an answer. */
export interface AnswerUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
}

/** Why a sequence ended: at the client's limit, or as if the model had stopped. */
export type FinishReason = "length" | "stop";

/** One finished sequence. */
export interface AnswerChoice {
  readonly text: string;
  readonly finishReason: FinishReason;
}

/** Writes an answer as Server-Sent Events; each method returns their text. Call them in this order. */
export interface AnswerStream {
  /** Before the first token. */
  start(): string;
  /** New text of the sequence with this index. */
  delta(index: number, text: string): string;
  /** A sequence ended. */
  endChoice(index: number, choice: AnswerChoice): string;
  /** All sequences ended. */
  finish(usage: AnswerUsage): string;
}

/** How one API writes answers. */
export interface AnswerFormat {
  /** The whole answer as a JSON value. */
  json(head: AnswerHead, choices: readonly AnswerChoice[], usage: AnswerUsage): object;
  stream(head: AnswerHead): AnswerStream;
}

/** One event without a name, as chat and completions send it. */
export function dataEvent(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The event after which chat and completions streams end. */
export const doneEvent = "data: [DONE]\n\n";

/** Usage as chat and completions write it. */
export function completionUsage(usage: AnswerUsage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.promptTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
  };
}
