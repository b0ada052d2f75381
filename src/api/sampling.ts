import { JsonNumber, type JsonValue } from "../json/index.ts";
import { FieldError } from "./fields/index.ts";

// Limits of dynamo-llm@1.6.1 protocols/openai/validate.rs; numbers compare in single precision, as they were read.

const MAX_OUTPUT_TOKENS = 1_048_576;
const MAX_STOP_SEQUENCES = 32;

/** Refuses a number outside [least, most]. */
export function checkRange(field: string, value: number | undefined, least: number, most: number): void {
  if (value !== undefined && !(value >= least && value <= most)) {
    throw new FieldError(`must be between ${least} and ${most}`, field);
  }
}

/** Refuses a number outside (0, most]. */
export function checkPositive(field: string, value: number | undefined, most: number): void {
  if (value !== undefined && !(value > 0 && value <= most)) {
    throw new FieldError(`must be greater than 0 and at most ${most}`, field);
  }
}

export function checkOutputTokens(field: string, value: number | undefined): void {
  checkRange(field, value, 1, MAX_OUTPUT_TOKENS);
}

/** The options that chat and completions check alike. */
export interface SamplingFields {
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly top_k?: number | undefined;
  readonly min_p?: number | undefined;
  readonly repetition_penalty?: number | undefined;
  readonly frequency_penalty?: number | undefined;
  readonly presence_penalty?: number | undefined;
  readonly n?: number | undefined;
  readonly stop?: string | readonly (string | number)[] | undefined;
  readonly logit_bias?: ReadonlyMap<string, JsonValue> | undefined;
  readonly user?: string | undefined;
  readonly stream?: boolean | undefined;
  readonly stream_options?: object | undefined;
}

/** @throws FieldError naming the first option out of its limits */
export function checkSampling(request: SamplingFields): void {
  checkTemperature(request);
  if ((request.top_k ?? 0) < -1) throw new FieldError("must be -1 or greater", "top_k");
  checkRange("min_p", request.min_p, 0, 1);
  checkPositive("repetition_penalty", request.repetition_penalty, 2);
  checkRange("frequency_penalty", request.frequency_penalty, -2, 2);
  checkRange("presence_penalty", request.presence_penalty, -2, 2);
  checkRange("n", request.n, 1, 128);
  if ((request.n ?? 1) > 1 && request.temperature === 0) {
    throw new FieldError("must be greater than 0 when `n` is greater than 1", "temperature");
  }
  checkStop(request.stop);
  checkLogitBias(request.logit_bias);
  if (request.user !== undefined && isBlank(request.user)) throw new FieldError("must not be empty", "user");
  if (request.stream !== true && request.stream_options !== undefined) {
    throw new FieldError("is only allowed when `stream` is true", "stream_options");
  }
}

export function checkTemperature(request: Pick<SamplingFields, "temperature" | "top_p">): void {
  checkRange("temperature", request.temperature, 0, 2);
  checkPositive("top_p", request.top_p, 1);
}

/** Only Unicode white space, as Rust's `trim` sees it. */
export function isBlank(text: string): boolean {
  return /^\p{White_Space}*$/u.test(text);
}

function checkStop(stop: SamplingFields["stop"]): void {
  if (stop === undefined) return;
  if (stop.length === 0) throw new FieldError("must not be empty", "stop");
  if (typeof stop === "string") return;
  if (stop.length > MAX_STOP_SEQUENCES) throw new FieldError(`has more than ${MAX_STOP_SEQUENCES} entries`, "stop");
  const empty = stop.indexOf("");
  if (empty !== -1) throw new FieldError("must not be empty", `stop[${empty}]`);
}

function checkLogitBias(bias: SamplingFields["logit_bias"]): void {
  for (const [token, value] of bias ?? []) {
    // Rust's u32 parser takes a leading plus.
    if (!/^\+?[0-9]+$/.test(token) || Number(token) > 0xffff_ffff) {
      throw new FieldError("must have token ids as keys", "logit_bias");
    }
    if (!(value instanceof JsonNumber)) throw new FieldError("must have numbers as values", "logit_bias");
    checkRange("logit_bias", Math.fround(value.toNumber()), -100, 100);
  }
}
