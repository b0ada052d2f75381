import { HttpError } from "../../http/index.ts";
import type { QueueResult } from "../../queue/index.ts";

/** An answer of the gateway behind the queue, as it goes to the client. */
export interface ResultAnswer {
  readonly status: number;
  /** As it came. */
  readonly body: string;
  readonly contentType: string;
}

const jsonType = "application/json";
/** Longer texts are believed to be JSON by their first and last character. */
const maxParsedLength = 262_144;

/**
 * What a result says to the client: an answer as it came, or an error of the queue's. Source of the codes: llm-d-async `api/api.go`; a shed request of
 * its tier-priority gate has neither status nor code, and neither had results before v0.9.
 * @throws HttpError
 */
export function resultAnswer(result: QueueResult): ResultAnswer {
  const { statusCode, errorCode, payload } = result;
  if (statusCode !== undefined) return httpAnswer(statusCode, payload, result);
  if (errorCode !== undefined) throw codedError(result, errorCode);
  return untoldAnswer(result);
}

function httpAnswer(status: number, body: string, result: QueueResult): ResultAnswer {
  // Interim answers are not answers; a redirect's place did not travel with it.
  if (status >= 200 && status <= 599) return { status, body, contentType: contentTypeOf(body) };
  throw unreadable(result, `the queue's result has the status ${status}`);
}

function codedError(result: QueueResult, code: string): HttpError {
  const text = result.errorMessage ?? "the request failed in the queue";
  switch (code) {
    case "GATE_DROPPED":
      return new HttpError(429, "gate_dropped", text);
    case "GATE_ERROR":
      return new HttpError(503, "queue_unavailable", text);
    case "DEADLINE_EXCEEDED":
      return new HttpError(504, "deadline_exceeded", text);
    case "CANCELLED":
      return new HttpError(499, "cancelled", text);
    case "INVALID_REQUEST":
      return new HttpError(400, "invalid_request", text);
    case "INFERENCE_ERROR":
      return inferenceError(result);
    default:
      return unreadable(result, `the queue's result has the error ${code.slice(0, 64)}`);
  }
}

/** What the processor met on its way to the gateway names hosts that are no business of clients. */
function inferenceError(result: QueueResult): HttpError {
  const { errorMessage = "", id } = result;
  // Up to v0.9 a deadline that passes in flight has no code of its own.
  if (/context deadline exceeded|Client\.Timeout exceeded/i.test(errorMessage)) {
    return new HttpError(504, "deadline_exceeded", "the deadline passed while the request was served");
  }
  return new HttpError(502, "worker_failed", `the request could not be sent to the models (request ${id})`);
}

/** A result with neither status nor code. */
function untoldAnswer(result: QueueResult): ResultAnswer {
  const { payload } = result;
  const error = errorIn(payload);
  if (error === undefined) {
    if (payload.trim() === "") throw unreadable(result, "the queue's result is empty");
    return { status: 200, body: payload, contentType: contentTypeOf(payload) };
  }
  const { status, text } = error;
  if (status === undefined) throw unreadable(result, "the queue's result is an error that says no more");
  // An answer in an API's own form; a shed request's is not.
  if (text === undefined) return { status, body: payload, contentType: jsonType };
  throw new HttpError(status, codeOf(status), text);
}

interface UntoldError {
  /** Undefined = it says none. */
  readonly status: number | undefined;
  /** Undefined = the payload is an answer for clients. */
  readonly text: string | undefined;
}

function errorIn(payload: string): UntoldError | undefined {
  // Only errors are short; a long answer is not read for what it may be.
  if (payload.length > maxParsedLength) return undefined;
  const members = objectOf(payload);
  if (members === undefined) return undefined;
  const { code, error } = members;
  if (typeof error === "string" || isStatus(code)) {
    return { status: isStatus(code) ? code : undefined, text: typeof error === "string" ? error : undefined };
  }
  // The error of an API; a Response that failed has an id, and is an answer.
  const inner = typeof error === "object" && error !== null && members["id"] === undefined ? error : {};
  if (!("message" in inner)) return undefined;
  const innerCode = "code" in inner ? inner.code : undefined;
  return { status: isStatus(innerCode) ? innerCode : undefined, text: undefined };
}

function isStatus(code: unknown): code is number {
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 599;
}

function codeOf(status: number): HttpError["code"] {
  if (status === 429) return "gate_dropped";
  if (status === 504) return "deadline_exceeded";
  if (status === 503) return "queue_unavailable";
  return status < 500 ? "invalid_request" : "worker_failed";
}

function unreadable({ id }: QueueResult, why: string): HttpError {
  return new HttpError(502, "worker_failed", `${why} (request ${id})`);
}

/** The type that the answer had did not travel with it. */
function contentTypeOf(body: string): string {
  if (/^\s*(data|event):/.test(body)) return "text/event-stream";
  return isJson(body) ? jsonType : "text/plain; charset=utf-8";
}

function isJson(body: string): boolean {
  if (body.length > maxParsedLength) return /^\s*[{[]/.test(body) && /[}\]]\s*$/.test(body.slice(-64));
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
