import { Buffer } from "node:buffer";
import { FieldError } from "../fields/index.ts";
import { checkGuidedDecoding } from "../guided-decoding.ts";
import { checkOutputTokens, checkRange, checkSampling, isBlank } from "../sampling.ts";
import type { CompletionFields } from "./completion-fields.ts";
import { checkPrompt, promptCount } from "./prompt.ts";

const MAX_CHOICES = 128;
const MAX_SUFFIX_BYTES = 10_000;
const MIN_EMBEDS_BYTES = 100;
const MAX_EMBEDS_BYTES = 10 * 1024 * 1024;

/**
 * Limits of a completions body (dynamo-llm@1.6.1 completions.rs validate).
 * @throws FieldError
 */
export function checkCompletion(request: CompletionFields): void {
  if (isBlank(request.model)) throw new FieldError("must not be empty", "model");
  if (request.prompt_embeds === undefined) checkPrompt(request.prompt);
  else checkEmbeds(request.prompt_embeds);
  if (Buffer.byteLength(request.suffix ?? "") > MAX_SUFFIX_BYTES) {
    throw new FieldError(`is longer than ${MAX_SUFFIX_BYTES} bytes`, "suffix");
  }
  checkOutputTokens("max_tokens", request.max_tokens);
  checkRange("logprobs", request.logprobs, 0, 5);
  checkSampling(request);
  checkGuidedDecoding(request, false);
  checkBestOf(request);
  checkChoices(request);
  for (const name of ["add_generation_prompt", "continue_final_message"] as const) {
    if (request[name] !== undefined) throw new FieldError("is only supported on chat", name);
  }
}

function checkBestOf({ best_of: bestOf, n }: CompletionFields): void {
  checkRange("best_of", bestOf, 0, 20);
  if (bestOf !== undefined && n !== undefined && bestOf < n) throw new FieldError("must be at least `n`", "best_of");
}

function checkChoices(request: CompletionFields): void {
  const choices = promptCount(request.prompt) * (request.n ?? 1);
  if (choices > MAX_CHOICES) throw new FieldError(`makes more than ${MAX_CHOICES} choices with \`n\``, "prompt");
  if (choices > 1 && request.nvext?.extra_fields?.includes("completion_token_ids") === true) {
    throw new FieldError("asks for token ids, which needs a single choice", "nvext.extra_fields");
  }
}

/** A tensor in padded standard base64. */
function checkEmbeds(embeds: string): void {
  const isBase64 = embeds.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(embeds);
  if (!isBase64) throw new FieldError("must be base64", "prompt_embeds");
  const bytes = (embeds.length / 4) * 3 - (embeds.match(/=*$/)?.[0].length ?? 0);
  checkRange("prompt_embeds", bytes, MIN_EMBEDS_BYTES, MAX_EMBEDS_BYTES);
}
