import type { LoadApi } from "./workload.ts";

/** One exchange of a conversation that is over. */
export interface PastTurn {
  readonly question: string;
  readonly answer: string;
}

/** How requests are written. */
export interface TurnStyle {
  readonly api: LoadApi;
  readonly model: string;
  /** True asks for Server-Sent Events with usage. */
  readonly stream: boolean;
  /** Limit of output tokens. */
  readonly outputTokens: number;
}

/** Path of an API. */
export const pathByApi: Readonly<Record<LoadApi, string>> = {
  chat: "/v1/chat/completions",
  completions: "/v1/completions",
  responses: "/v1/responses",
};

/** Body of the request that asks `question` after the past turns. */
export function turnBody(style: TurnStyle, system: string, past: readonly PastTurn[], question: string): object {
  const { api, model, stream, outputTokens } = style;
  const usage = stream ? { stream, stream_options: { include_usage: true } } : {};
  switch (api) {
    case "chat":
      return { model, messages: chatMessages(system, past, question), max_tokens: outputTokens, ...usage };
    case "completions":
      return { model, prompt: transcript(system, past, question), max_tokens: outputTokens, ...usage };
    case "responses": {
      const [, ...input] = chatMessages(system, past, question);
      return { model, instructions: system, input, max_output_tokens: outputTokens, ...(stream ? { stream } : {}) };
    }
  }
}

function chatMessages(system: string, past: readonly PastTurn[], question: string): readonly object[] {
  return [
    { role: "system", content: system },
    ...past.flatMap((turn) => [
      { role: "user", content: turn.question },
      { role: "assistant", content: turn.answer },
    ]),
    { role: "user", content: question },
  ];
}

function transcript(system: string, past: readonly PastTurn[], question: string): string {
  const turns = past.map((turn) => `\n\nQ: ${turn.question}\n\nA: ${turn.answer}`).join("");
  return `${system}${turns}\n\nQ: ${question}\n\nA:`;
}
