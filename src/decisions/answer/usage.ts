import { invalidResult } from "./distribution.ts";

/** Tokens of all branches of a decision. */
export interface DecisionUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Measured by the engine; undefined when any branch was not. */
  readonly cachedTokens: number | undefined;
  readonly reasoningTokens: number;
}

const MAX_I32 = 2 ** 31 - 1;

/** @throws DecisionError invalid_result for parts that are more than their wholes */
export function checkUsage({ inputTokens, outputTokens, cachedTokens = 0, reasoningTokens }: DecisionUsage): void {
  if (cachedTokens > inputTokens || reasoningTokens > outputTokens) {
    throw invalidResult("executor token usage details exceed their totals");
  }
}

/** Usage as OpenAI's contract writes it, JSON text. @throws DecisionError invalid_result */
export function openAiUsage({ inputTokens, outputTokens, cachedTokens, reasoningTokens }: DecisionUsage): string {
  if (cachedTokens === undefined) {
    throw invalidResult("OpenAI usage requires measured cache reads or a verified zero-cache-read profile");
  }
  const totalTokens = inputTokens + outputTokens;
  if (totalTokens > MAX_I32) throw invalidResult("token usage exceeds the OpenAI wire range");
  return JSON.stringify({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    // Nobody measures writes.
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens_details: { reasoning_tokens: reasoningTokens },
  });
}

/** Usage as Jev's contract writes it, JSON text. */
export function jevUsage({ inputTokens, outputTokens }: DecisionUsage): string {
  return JSON.stringify({ input_tokens: inputTokens, output_tokens: outputTokens });
}
