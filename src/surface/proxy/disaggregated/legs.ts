import type { AnswerReceiver, DispatchError, WorkerExchange, WorkerRequest } from "../../../dispatch/index.ts";
import type { Dispatcher } from "../dispatcher.ts";

/** A split request on its way to two workers; to its receiver it is one request with one answer. */
export interface Legs extends WorkerExchange {
  /** The endpoint of the worker by which it failed, or which answers. */
  readonly answering: string;
  /** The endpoint of the worker that prefills. */
  readonly prefilling: string;
  /** Sends it. Call it once. */
  send(dispatcher: Dispatcher, receiver: AnswerReceiver): void;
  /** The answer's first content has come: the prompt is prefilled. */
  contentBegan(): void;
}

/** What both kinds of legs are told and tell. */
export interface LegEvents {
  /** The prefill worker has taken the request, and will not fail it by what it asks for. */
  prefillAnswered(endpoint: string): void;
  /** The prefill worker broke off after it could do no more harm. */
  prefillBroke(endpoint: string, error: DispatchError): void;
}

/** The head of an answer that waits to be passed on. */
export interface HeldHead {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether an answer is a stream of events that can be read. */
export function isEventStream({ rawHeaders }: HeldHead): boolean {
  const has = (name: string, value: RegExp) =>
    rawHeaders.some((text, at) => at % 2 === 0 && text.toLowerCase() === name && value.test(rawHeaders[at + 1] ?? ""));
  return has("content-type", /^text\/event-stream/i) && !has("content-encoding", /^(?!identity)/i);
}

/** Lines without those that name places: a refusal's could name its worker's address. */
export function withoutPlaces(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!/^(content-)?location$/i.test(name)) kept.push(name, rawHeaders[at + 1] as string);
  }
  return kept;
}

/** The request to each of the two workers. */
export interface LegRequests {
  readonly prefill: WorkerRequest;
  readonly decode: WorkerRequest;
}
