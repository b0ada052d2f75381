import { isList, JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";
import { ScoringError } from "./scoring-error.ts";

/** What a worker says of one question. */
export interface ScoredPrompt {
  /** Natural logarithms over the whole vocabulary, in the order of the labels; finite. */
  readonly logprobs: readonly number[];
  /** Prompt tokens that came from its cache; undefined when it does not tell. */
  readonly cachedTokens: number | undefined;
}

/** The frame's `meta_info`. @throws ScoringError */
export function metaInfoOf(frame: JsonValue): JsonObject {
  const meta = frame instanceof JsonObject ? frame.get("meta_info") : undefined;
  if (!(meta instanceof JsonObject)) throw new ScoringError("missing meta_info object");
  return meta;
}

/**
 * Log-probabilities of the labels in a last frame. Every other form than the asked one is refused: a wrong number would be a wrong answer
 * that looks right.
 * @throws ScoringError
 */
export function candidateScores(frame: JsonValue, labelIds: readonly number[]): readonly number[] {
  const meta = metaInfoOf(frame);
  checkFinish(meta.get("finish_reason"));
  checkNothingGenerated(frame as JsonObject, meta);
  const rows = meta.get("output_token_ids_logprobs");
  if (!isList(rows)) throw new ScoringError("missing output_token_ids_logprobs");
  if (rows.length !== 1) throw new ScoringError(`expected one scored position, received ${rows.length}`);
  const [row] = rows;
  if (!isList(row)) throw new ScoringError("the scored position is no list");
  if (row.length !== labelIds.length) {
    throw new ScoringError(`expected ${labelIds.length} candidate entries, received ${row.length}`);
  }
  return labelIds.map((labelId, at) => entryLogprob(row[at] as JsonValue, at, labelId));
}

function checkFinish(reason: JsonValue | undefined): void {
  if (reason === undefined || reason === null) throw new ScoringError("response is not terminal");
  const type = reason instanceof JsonObject ? reason.get("type") : undefined;
  if (!(reason instanceof JsonObject) || typeof type !== "string") {
    throw new ScoringError("backend finish reason has no type");
  }
  if (type === "abort") throw abortError(reason.get("status_code"));
  if (type !== "length" && type !== "stop") {
    throw new ScoringError(`unsupported backend finish reason ${JSON.stringify(type.slice(0, 32))}`);
  }
}

/** SGLang ends a request that its queue has no room for with an abort of status 503. */
function abortError(status: JsonValue | undefined): ScoringError {
  const isFull = status instanceof JsonNumber && (status.lexeme === "503" || status.lexeme === "429");
  return new ScoringError("backend aborted candidate scoring", { failure: isFull ? "overloaded" : "malformed" });
}

function checkNothingGenerated(frame: JsonObject, meta: JsonObject): void {
  const outputIds = frame.get("output_ids");
  const hasNone = outputIds === undefined || (isList(outputIds) && outputIds.length === 0);
  if (!hasNone || countOf(meta.get("completion_tokens")) !== 0) {
    throw new ScoringError("prefill-only scoring must not generate tokens");
  }
}

function entryLogprob(entry: JsonValue, at: number, labelId: number): number {
  if (!isList(entry) || entry.length !== 3) throw new ScoringError(`candidate ${at} must be a 3-tuple`);
  const [logprob, tokenId, text] = entry;
  const value = logprob instanceof JsonNumber ? logprob.toNumber() : Number.NaN;
  if (!Number.isFinite(value)) throw new ScoringError(`candidate ${at} logprob must be finite`);
  const id = countOf(tokenId);
  if (id !== labelId) throw new ScoringError(`candidate ${at} returned token ID ${id ?? "none"}, expected ${labelId}`);
  if (text !== null && typeof text !== "string") {
    throw new ScoringError(`candidate ${at} token text must be null or a string`);
  }
  return value;
}

/** What the engine took from its cache; undefined when it does not tell. @throws ScoringError for an impossible count */
export function measuredCachedTokens(meta: JsonObject, inputTokens: number): number | undefined {
  const value = meta.get("cached_tokens");
  if (value === undefined) return undefined;
  const count = countOf(value);
  if (count === undefined || count > inputTokens) throw new ScoringError("invalid cache-read token count");
  return count;
}

/** A whole number from 0; undefined for all else. */
export function countOf(value: JsonValue | undefined): number | undefined {
  if (!(value instanceof JsonNumber) || !/^\d{1,15}$/.test(value.lexeme)) return undefined;
  return value.toNumber();
}
