import { createHash, randomUUID } from "node:crypto";
import { RoutingError } from "../../errors/index.ts";
import {
  type ClientAnswer,
  type ClientListener,
  type Clock,
  type HeldBody,
  HttpError,
  refusalOf,
} from "../../http/index.ts";
import type { QueueRequest, QueueResult } from "../../queue/index.ts";
import { type RetryAdvice, retryLines } from "./answer-head.ts";
import { type DeadlineOptions, timeoutOf } from "./call-deadline.ts";
import type { Callers, QueueApiKey } from "./callers.ts";
import type { ClientLines } from "./client-lines.ts";
import type { QueueRoute } from "./queue-paths.ts";
import { queueRefusal } from "./queue-refusal.ts";
import type { BodyReader, ReadBody } from "./request-body.ts";
import type { CallKey, SharedCalls } from "./shared-calls.ts";
import type { QueueLog, QueueTelemetry } from "./telemetry.ts";
import type { TrackedRequests } from "./tracked-requests.ts";
import { type StreamWish, WaitingAnswer } from "./waiting-answer.ts";

/** Where requests go; of `src/queue`. */
export interface QueueSubmitter {
  submitAndAwait(request: QueueRequest, signal: AbortSignal): Promise<QueueResult>;
}

export interface CallSettings extends DeadlineOptions, RetryAdvice {
  /** Whether streams are answered by the events of the finished answer; otherwise they are refused. */
  readonly replaysStreams: boolean;
  /** Pause between two signs of life of a stream, ms; 0 = there are none. */
  readonly keepAliveMs: number;
  /** Models that are served; empty = any. */
  readonly models: readonly string[];
  /** Names of the headers that go along, lower-case. */
  readonly forwardedHeaders: readonly string[];
  /** Whether `X-AP-Mode` counts. */
  readonly readsModeHeader: boolean;
}

/** What all calls share. */
export interface CallParts {
  readonly queue: QueueSubmitter;
  readonly bodies: BodyReader;
  readonly callers: Callers;
  /** Undefined: `Idempotency-Key` does not count. */
  readonly shared: SharedCalls | undefined;
  /** Undefined: requests cannot be asked for by their ids. */
  readonly tracked: TrackedRequests | undefined;
  readonly telemetry: QueueTelemetry;
  readonly log: QueueLog;
  readonly clock: Clock;
  readonly settings: CallSettings;
}

/** One request with its whole body. */
export interface ReceivedCall {
  readonly route: Extract<QueueRoute, { readonly kind: "submit" }>;
  readonly headers: ClientLines;
  readonly key: QueueApiKey | undefined;
  readonly body: HeldBody;
  /** As the client knows it. */
  readonly requestId: string;
  readonly receivedMs: number;
}

interface PreparedCall {
  readonly request: QueueRequest;
  readonly key: CallKey | undefined;
  readonly mode: "wait" | "enqueue";
}

const noBytes: Buffer = Buffer.alloc(0);

/** The client has left: nobody is to be told. */
class ClientLeft extends Error {}

/** One request on its way: into the queue, and its result back to the client, whatever comes of it exactly once. */
export class QueuedCall implements ClientListener {
  readonly #call: ReceivedCall;
  readonly #client: ClientAnswer;
  readonly #parts: CallParts;
  readonly #controller = new AbortController();
  #answer: WaitingAnswer;

  constructor(call: ReceivedCall, client: ClientAnswer, parts: CallParts) {
    this.#call = call;
    this.#client = client;
    this.#parts = parts;
    this.#answer = this.#answerAs(undefined);
  }

  /** Never rejects. */
  async run(): Promise<void> {
    this.#client.listen(this);
    try {
      await this.#serve();
    } catch (cause) {
      if (!(cause instanceof ClientLeft)) this.#refuse(cause);
    } finally {
      this.#answer.stop();
      this.#client.listen(undefined);
      this.#call.body.release();
    }
  }

  /** Ends it in the middle: the process stops. */
  abandon(): void {
    this.#controller.abort(new RoutingError("the queue's front is shutting down", { code: "shutting_down" }));
  }

  drained(): void {}

  left(): void {
    this.#parts.telemetry.left();
    this.#controller.abort(new ClientLeft());
  }

  async #serve(): Promise<void> {
    const { request, key, mode } = await this.#prepare();
    if (mode === "enqueue") {
      await this.#enqueue(request);
      return;
    }
    const result = await this.#await(request, key);
    this.#answered(this.#answer.answer(result));
  }

  /** Apart from the waiting, so that what was read of the body is not kept for it. */
  async #prepare(): Promise<PreparedCall> {
    const { bodies, settings } = this.#parts;
    const { body } = this.#call;
    const read = await bodies.read(body.bytes);
    this.#controller.signal.throwIfAborted();
    if (read.model !== undefined && settings.models.length > 0 && !settings.models.includes(read.model)) {
      throw new RoutingError("this model is not served", { code: "unknown_model", field: "model" });
    }
    const mode = this.#mode();
    const wish = this.#wishOf(read, mode);
    this.#answer = this.#answerAs(wish);
    return { request: this.#requestOf(read, wish), key: this.#callKey(), mode };
  }

  #wishOf({ isStream, includesUsage }: ReadBody, mode: string): StreamWish | undefined {
    const { format } = this.#call.route;
    if (!isStream || format === undefined) return undefined;
    if (this.#parts.settings.replaysStreams && mode === "wait") return { format, includesUsage };
    throw new RoutingError("streams do not pass through the queue: send the request without stream", {
      code: "invalid_request",
      field: "stream",
    });
  }

  #answerAs(wish: StreamWish | undefined): WaitingAnswer {
    const { clock, settings } = this.#parts;
    return new WaitingAnswer(this.#client, wish, { clock, keepAliveMs: settings.keepAliveMs, advice: settings });
  }

  #mode(): "wait" | "enqueue" {
    const { settings, tracked } = this.#parts;
    const mode = settings.readsModeHeader ? this.#call.headers.get("x-ap-mode") : undefined;
    if (mode === undefined || mode === "wait") return "wait";
    if (mode === "enqueue" && tracked !== undefined) return "enqueue";
    throw new HttpError(400, "invalid_request", "the header x-ap-mode must be wait or enqueue here");
  }

  #requestOf(read: ReadBody, wish: StreamWish | undefined): QueueRequest {
    const { callers, settings } = this.#parts;
    const { headers, key, body, route } = this.#call;
    const traits = callers.traitsOf(headers, key);
    const { queue, metadata } = callers.place(traits, key, read.model, headers);
    const request = {
      id: randomUUID(),
      payload: wish === undefined ? body.bytes : read.withoutStream(),
      endpoint: route.endpoint,
      queue,
      metadata,
      headers: headers.only(settings.forwardedHeaders),
      timeoutMs: timeoutOf(headers, settings),
      written: () => {
        body.release();
        request.payload = noBytes;
      },
    };
    return request;
  }

  /** Undefined = the request stands for itself. */
  #callKey(): CallKey | undefined {
    const { headers, body, route, key } = this.#call;
    const name = this.#parts.shared === undefined ? undefined : headers.get("idempotency-key");
    if (name === undefined || name === "") return undefined;
    if (name.length > 256)
      throw new HttpError(400, "invalid_request", "the Idempotency-Key is longer than 256 characters");
    const digest = createHash("sha256").update(route.endpoint).update("\0").update(body.bytes).digest("base64");
    return { name: `${key?.sha256 ?? ""}\n${name}`, fingerprint: digest };
  }

  async #await(request: QueueRequest, key: CallKey | undefined): Promise<QueueResult> {
    const { shared, tracked, telemetry, clock } = this.#parts;
    const untrack = tracked?.watch(this.#trackedName(), this.#controller);
    const sinceMs = clock.now();
    this.#answer.wait();
    try {
      const start = (signal: AbortSignal) => this.#parts.queue.submitAndAwait(request, signal);
      const { signal } = this.#controller;
      const result = await (key === undefined ? start(signal) : this.#join(shared, key, request.timeoutMs, start));
      telemetry.resulted(clock.now() - sinceMs);
      return result;
    } finally {
      untrack?.();
    }
  }

  /** One of several with this key may have a longer time than another. */
  async #join(
    shared: SharedCalls | undefined,
    key: CallKey,
    timeoutMs: number,
    start: (signal: AbortSignal) => Promise<QueueResult>,
  ): Promise<QueueResult> {
    const late = new AbortController();
    const cancel = this.#parts.clock.after(timeoutMs, () =>
      late.abort(new RoutingError(`no result came in ${timeoutMs} ms`, { code: "deadline_exceeded" })),
    );
    const signal = AbortSignal.any([this.#controller.signal, late.signal]);
    try {
      return await (shared?.join(key, start, signal) ?? start(signal));
    } finally {
      cancel();
    }
  }

  /** Answers once the request stands in the queue. Rejects when it does not get there. */
  async #enqueue(request: QueueRequest): Promise<void> {
    const { tracked } = this.#parts;
    const name = this.#trackedName();
    if (tracked?.stateOf(name).kind === "unknown") await this.#detach(tracked, name, request);
    this.#client.own(202, [], JSON.stringify({ id: this.#call.requestId, status: "pending" }));
    this.#answered(202);
  }

  #detach(tracked: TrackedRequests, name: string, request: QueueRequest): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const detached = {
      ...request,
      payload: request.payload,
      written: () => {
        request.written?.();
        detached.payload = noBytes;
        resolve();
      },
    };
    tracked.detach(name, (signal) => {
      const result = this.#parts.queue.submitAndAwait(detached, signal);
      result.then(() => resolve(), reject);
      return result;
    });
    return promise;
  }

  #trackedName(): string {
    return trackedName(this.#call.key, this.#call.requestId);
  }

  #answered(status: number): void {
    const { telemetry, clock } = this.#parts;
    const { route, receivedMs } = this.#call;
    telemetry.answered(route.endpoint, status, clock.now() - receivedMs);
  }

  #refuse(cause: unknown): void {
    const { settings, telemetry, log } = this.#parts;
    const { error, field } = refusalOf(queueRefusal(cause), settings.retryAfterSeconds);
    const { status, code, message } = error;
    const { requestId } = this.#call;
    telemetry.refused({ code, status, field, message, requestId });
    const fields = { requestId: requestId.slice(0, 128), status, code, field };
    if (code === "internal") log.error({ ...fields, err: cause }, "queue: a request failed");
    else log[status >= 500 ? "info" : "debug"](fields, "queue: refused");
    this.#answer.refuse(withLines(error, retryLines(status, settings)), field);
    this.#answered(status);
  }
}

/** Under which a request is known; nobody finds another's. */
export function trackedName(key: QueueApiKey | undefined, requestId: string): string {
  return `${key?.sha256 ?? ""}\n${requestId}`;
}

/** The error with lines that it does not have. */
function withLines(error: HttpError, lines: readonly string[]): HttpError {
  const headers = { ...error.headers };
  for (let at = 0; at + 1 < lines.length; at += 2) headers[lines[at] as string] ??= lines[at + 1] as string;
  return new HttpError(error.status, error.code, error.message, headers);
}
