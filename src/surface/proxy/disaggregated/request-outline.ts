import type { StreamFormat } from "../../../http/index.ts";
import { type ByteSpan, itemCount, parseJson, type RootMember, rootMemberList } from "../../../json/index.ts";

/** Members of a request that the split looks at or changes. */
const names: ReadonlySet<string> = new Set([
  "stream",
  "stream_options",
  "n",
  "prompt",
  "text",
  "input_ids",
  "sampling_params",
  "return_logprob",
  "use_beam_search",
  "stop",
  "ignore_eos",
  "request_id",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "min_tokens",
  "kv_transfer_params",
  "bootstrap_host",
  "bootstrap_port",
  "bootstrap_room",
  "routed_dp_rank",
  "disagg_prefill_dp_rank",
]);

/** Longer values are not looked into, in bytes. */
const maxValueBytes = 16_384;
/** Bodies up to here are read at once, in bytes. */
const maxAtOnceBytes = 524_288;

/** What the split needs to know of a request. */
export interface RequestOutline {
  /** Every occurrence of the members that it knows, in order. */
  readonly members: readonly RootMember[];
  /** Prompts, where they stand in an array; undefined = there is one, by itself. */
  readonly prompts: number | undefined;
  /** Answers to each prompt, >= 1. */
  readonly answers: number;
  /** Whether the engine tells of the prompt's tokens, which the decode worker did not compute. */
  readonly wantsPromptLogprobs: boolean;
  readonly isBeamSearch: boolean;
  /** The client's own id of the request; "" = none. */
  readonly requestId: string;
}

/** Reads a body's outline; at once where it is short. */
export function outlineOf(body: Buffer, format: StreamFormat): RequestOutline | Promise<RequestOutline> {
  const steps = outlineSteps(body, format);
  return body.length <= maxAtOnceBytes ? finish(steps) : finishBetweenOthers(steps);
}

function finish<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

async function finishBetweenOthers<T>(steps: Generator<void, T>): Promise<T> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await new Promise((resolve) => setImmediate(resolve));
  return step.value;
}

function* outlineSteps(body: Buffer, format: StreamFormat): Generator<void, RequestOutline> {
  const members = yield* rootMemberList(body, names);
  const spans = new Map(members.map(({ name, value }) => [name, value]));
  const value = (name: string) => smallValue(body, spans.get(name));
  const prompts = yield* promptCount(body, spans, format);
  const answers = format === "generate" ? memberOf(value("sampling_params"), "n") : value("n");
  const requestId = value("request_id");
  return {
    members,
    prompts,
    answers: typeof answers === "number" && Number.isInteger(answers) && answers > 1 ? answers : 1,
    wantsPromptLogprobs: format === "generate" && isTruthy(value("return_logprob")),
    isBeamSearch: value("use_beam_search") === true,
    requestId: typeof requestId === "string" ? requestId : "",
  };
}

function* promptCount(
  body: Buffer,
  spans: ReadonlyMap<string, ByteSpan>,
  format: StreamFormat,
): Generator<void, number | undefined> {
  if (format !== "completions" && format !== "generate") return undefined;
  for (const name of ["prompt", "input_ids", "text"]) {
    const span = spans.get(name);
    if (span === undefined || !isBatch(body, span)) continue;
    return yield* itemCount(body, span);
  }
  return undefined;
}

/** Whether an array holds prompts; one of numbers is a single prompt, in tokens. */
function isBatch(body: Buffer, { start, end }: ByteSpan): boolean {
  if (body[start] !== 0x5b) return false;
  let at = start + 1;
  while (at < end && (body[at] as number) <= 0x20) at++;
  return body[at] === 0x22 || body[at] === 0x5b;
}

function smallValue(body: Buffer, span: ByteSpan | undefined): unknown {
  if (span === undefined || span.end - span.start > maxValueBytes) return undefined;
  try {
    return JSON.parse(body.toString("utf8", span.start, span.end));
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** SGLang takes a flag, or one for each prompt. */
function isTruthy(value: unknown): boolean {
  return Array.isArray(value) ? value.includes(true) : value === true;
}

/** The last value of a member, as it stands in the text; undefined = there is none, or null, or no JSON. */
export function rawMember(text: Buffer, name: string): Buffer | undefined {
  const member = finish(rootMemberList(text, new Set([name]))).at(-1);
  if (member === undefined) return undefined;
  const raw = text.subarray(member.value.start, member.value.end);
  try {
    return parseJson(raw) === null ? undefined : raw;
  } catch {
    return undefined;
  }
}
