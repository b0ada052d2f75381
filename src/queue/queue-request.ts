import type { Buffer } from "node:buffer";

/** One request for the queue. */
export interface QueueRequest {
  /**
   * Names the request in the queue and in its result. Fresh for every attempt: with a name that was used before, a result of the attempt before
   * could be taken for this one's. Absent = a new UUID.
   */
  readonly id?: string;
  /** A JSON object in UTF-8. Written as it is, byte for byte; what is not JSON is destroyed by the processor without a word. */
  readonly payload: Buffer;
  /** Path that the processor sends it to, `/v1/chat/completions`. */
  readonly endpoint: string;
  /** Absent = the client's default queue. */
  readonly queue?: string | undefined;
  /** How long its result is waited for, ms, > 0. */
  readonly timeoutMs: number;
  /** What gates and merge policies read. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Headers of the processor's request. They override its own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called once Redis has taken the request: its payload is not needed any more. */
  readonly written?: (() => void) | undefined;
}

/** What a processor said of a request; llm-d-async's `ResultMessage`. */
export interface QueueResult {
  readonly id: string;
  /** HTTP status of the answer, whatever number it is; undefined = there was no answer, or the processor is too old to tell. */
  readonly statusCode: number | undefined;
  /** The answer's body, or a JSON text of an error. */
  readonly payload: string;
  /** `GATE_DROPPED`, `DEADLINE_EXCEEDED`, ..., or `UNREADABLE_RESULT`, which no processor says; undefined = none. */
  readonly errorCode: string | undefined;
  readonly errorMessage: string | undefined;
  /** Token of the submission that it belongs to; undefined = the processor does not tell. */
  readonly requestToken: string | undefined;
}
