/** One request of a trace: how much was asked, and which blocks it has in common with others; nothing of its text. */
export interface TraceRequest {
  /** Since the trace began, in ms. */
  readonly timestampMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** One id a block of the prompt, its incomplete last block included or not; equal ids are equal blocks behind equal prompts. */
  readonly blockIds: readonly number[];
}

interface TracePlace {
  readonly line: number;
  readonly file?: string;
}

/** A line that is no request. */
export class TraceError extends Error {
  override readonly name = "TraceError";
  readonly #reason: string;
  readonly #line: number;

  /** @param line its number, from 1 */
  constructor(reason: string, { line, file, ...options }: ErrorOptions & TracePlace) {
    super(`${file === undefined ? "" : `${file}: `}line ${line}: ${reason}`, options);
    this.#reason = reason;
    this.#line = line;
  }

  /** The same, of a line of this file. */
  in(file: string): TraceError {
    return new TraceError(this.#reason, { line: this.#line, file, cause: this });
  }
}

/** Most tokens of a prompt or an answer. */
const maxTokens = 16_777_216;

/**
 * Reads a line of a trace in Mooncake's format: `{"timestamp": ms, "input_length": tokens, "output_length": tokens, "hash_ids": [...]}`. Other
 * members are left alone.
 * @param line its number, from 1
 * @throws TraceError naming the line and the member
 */
export function parseTraceRequest(text: string, line: number): TraceRequest {
  const members = membersOf(text, line);
  const { hash_ids: blockIds } = members;
  if (!Array.isArray(blockIds) || !blockIds.every(isBlockId))
    throw new TraceError("hash_ids: expected a list of whole numbers from 0 to 2^53", { line });
  const timestampMs = members["timestamp"];
  if (typeof timestampMs !== "number" || !(timestampMs >= 0 && timestampMs <= Number.MAX_SAFE_INTEGER))
    throw new TraceError("timestamp: expected milliseconds since the beginning, 0 or more", { line });
  const inputTokens = tokensOf(members, "input_length", line);
  return { timestampMs, inputTokens, outputTokens: tokensOf(members, "output_length", line), blockIds };
}

/** A line of a trace, without its end. */
export function traceText({ timestampMs, inputTokens, outputTokens, blockIds }: TraceRequest): string {
  return JSON.stringify({
    timestamp: timestampMs,
    input_length: inputTokens,
    output_length: outputTokens,
    hash_ids: blockIds,
  });
}

function membersOf(text: string, line: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TraceError("expected a JSON object", { line, cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TraceError("expected a JSON object", { line });
  return value as Record<string, unknown>;
}

function tokensOf(members: Readonly<Record<string, unknown>>, name: string, line: number): number {
  const value = members[name];
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > maxTokens)
    throw new TraceError(`${name}: expected a whole number of tokens, at most ${maxTokens}`, { line });
  return value;
}

function isBlockId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
