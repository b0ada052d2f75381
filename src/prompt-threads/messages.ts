import { RoutingError, type RoutingErrorCode } from "../errors/index.ts";
import type { CompiledModel, PromptHead, TokenizedPrompt } from "../model/index.ts";
import type { PreparedRequest, PrepareInput } from "../router/index.ts";

/** A model for a thread, by its place among the configured ones. */
export interface ModelMessage {
  readonly kind: "model";
  readonly index: number;
  readonly compiled: CompiledModel;
  /** Where its files lie. */
  readonly folder: string;
}

/** From here on the thread defers every prompt of a model. */
export interface DeferMessage {
  readonly kind: "defer";
  readonly index: number;
}

/** A request to prepare. The body's memory is handed over. */
export interface PrepareMessage extends Omit<PrepareInput, "body"> {
  readonly kind: "prepare";
  readonly job: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Nobody waits for a job any more. */
export interface CancelMessage {
  readonly kind: "cancel";
  readonly job: number;
}

/** What every thread is told, also one that is started later. */
export type ThreadState = ModelMessage | DeferMessage;
export type ToThread = ThreadState | PrepareMessage | CancelMessage;

/** A prepared request as plain values; the model goes by its name. */
export interface PreparedMessage extends Omit<PreparedRequest, "model" | "prompt"> {
  readonly modelName: string | undefined;
  readonly prompt: PromptMessage | undefined;
}

/** A prompt without what cannot be sent. */
export type PromptMessage = Pick<
  TokenizedPrompt,
  "tokenIds" | "injectable" | "batch" | "inexactReason" | "isDeferred"
> & {
  /** Absent when it is too large to be worth sending. */
  readonly promptHead: PromptHead | undefined;
};

/** A RoutingError as plain values. */
interface RefusalMessage {
  readonly message: string;
  readonly code: RoutingErrorCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** A model is ready in the thread, or cannot be used. */
export interface LoadedMessage {
  readonly kind: "loaded";
  readonly index: number;
  readonly failure: string | undefined;
}

/** The end of one job; every job has exactly one. */
export type JobAnswer = { readonly job: number } & (
  | { readonly kind: "prepared"; readonly prepared: PreparedMessage }
  | { readonly kind: "refused"; readonly refusal: RefusalMessage }
  /** A fault of ours, as text without content of the request. */
  | { readonly kind: "failed"; readonly fault: string }
  | { readonly kind: "cancelled" }
);
export type FromThread = JobAnswer | LoadedMessage;

export function refusalOf(error: RoutingError): RefusalMessage {
  const { message, code, field, retryAfterSeconds } = error;
  return { message, code, field, retryAfterSeconds };
}

export function errorOf({ message, code, field, retryAfterSeconds }: RefusalMessage): RoutingError {
  return new RoutingError(message, {
    code,
    ...(field === undefined ? {} : { field }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
