import type { ServerResponse } from "node:http";
import { apiErrorBody, type ErrorDialect } from "./api-error.ts";
import type { Clock } from "./clock.ts";
import type { HttpError } from "./error-answer.ts";

/** What is read of a worker's answer's head. */
export interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  /** As they go to the client, names and values in turn. */
  readonly lines: readonly string[];
  /** Without parameters, in lower case; "" = none. */
  readonly mediaType: string;
  readonly isEncoded: boolean;
  /** Announced length in bytes; undefined = not announced. */
  readonly contentLength: number | undefined;
  readonly hasRequestId: boolean;
}

/** What all answers of one request have. */
export interface AnswerFrame {
  readonly dialect: ErrorDialect;
  /** The body of an error where it is in no dialect's words, JSON text; absent = it is. */
  readonly errorJson?: ((error: HttpError) => string) | undefined;
  /** Lines that each answer gets, names and values in turn. */
  readonly lines: readonly string[];
  /** Set when the worker's answer has none. */
  readonly requestId: string | undefined;
  /** Whether the workers' `access-control-*` lines make room for ours. */
  readonly ownsCors: boolean;
  /** How long the client may read nothing, ms; 0 = for ever. */
  readonly stallTimeoutMs: number;
}

/** What the writer of an answer is told. */
export interface ClientListener {
  /** The client can take more. */
  drained(): void;
  /** The client has gone, or was cut off, before its answer was complete. */
  left(): void;
}

/** The answer to one client: its head once, then its body, no faster than it is read. */
export class ClientAnswer {
  readonly #response: ServerResponse;
  readonly #frame: AnswerFrame;
  readonly #clock: Clock;
  #listener: ClientListener | undefined;
  #cancelStall: (() => void) | undefined;

  constructor(response: ServerResponse, frame: AnswerFrame, clock: Clock) {
    this.#response = response;
    this.#frame = frame;
    this.#clock = clock;
    response.on("close", () => this.#closed());
    response.on("error", () => response.destroy());
  }

  /** @param listener undefined = nobody is told any more */
  listen(listener: ClientListener | undefined): void {
    this.#listener = listener;
  }

  /** Whether the client may have got a byte. */
  get isBegun(): boolean {
    return this.#response.headersSent;
  }

  get isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  /** Whether the whole answer has been handed over. */
  get isAnswered(): boolean {
    return this.#response.writableEnded;
  }

  get status(): number {
    return this.#response.statusCode;
  }

  /** The client waits to be told that it may send its body. */
  invite(): void {
    this.#response.writeContinue();
  }

  /** The head of a worker's answer whose body follows. It leaves with the first of it, or by itself when none comes at once. */
  begin(head: AnswerHead): void {
    this.#response.writeHead(head.status, head.reason, this.#lines(head));
    queueMicrotask(() => {
      if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.flushHeaders();
    });
  }

  /** @returns false when the client is behind: `drained` is called once it is not */
  write(chunk: Buffer | string): boolean {
    const isTaken = this.#response.write(chunk);
    if (!isTaken) this.#awaitDrain();
    return isTaken;
  }

  end(): void {
    this.#response.end();
  }

  /** A worker's answer that is there as a whole. */
  whole(head: AnswerHead, body: Buffer): void {
    const lines = this.#lines(head);
    const hasLength = head.contentLength !== undefined || head.status === 204 || head.status === 304;
    if (!hasLength) lines.push("content-length", String(body.length));
    this.#response.writeHead(head.status, head.reason, lines);
    this.#response.end(body);
  }

  /** JSON of our own. */
  own(status: number, lines: readonly string[], body: string): void {
    const own = ["content-type", "application/json", "content-length", String(Buffer.byteLength(body)), ...lines];
    if (this.#frame.requestId !== undefined) own.push("x-request-id", this.#frame.requestId);
    this.#response.writeHead(status, [...own, ...this.#frame.lines]);
    this.#response.end(body);
  }

  /** The answer to a browser that asks whether it may call. */
  preflight(lines: readonly string[]): void {
    this.#response.writeHead(204, [...lines]);
    this.#response.end();
  }

  /** @param listener told once the answer has ended, however it did */
  closed(listener: () => void): void {
    this.#response.once("close", listener);
  }

  /** An error of our own, in the API's words. */
  refuse(error: HttpError, field?: string): void {
    const { errorJson, dialect } = this.#frame;
    const { status, message, code, headers } = error;
    const body = errorJson?.(error) ?? JSON.stringify(apiErrorBody({ message, code, field }, dialect));
    this.own(status, Object.entries(headers).flat(), body);
  }

  /** Ends the connection: half an answer must not look like a whole one. */
  cut(): void {
    this.#response.destroy();
  }

  #lines({ lines, hasRequestId }: AnswerHead): string[] {
    const { requestId, ownsCors, lines: added } = this.#frame;
    const own = ownsCors ? withoutCors(lines) : [...lines];
    if (!hasRequestId && requestId !== undefined) own.push("x-request-id", requestId);
    own.push(...added);
    return own;
  }

  #awaitDrain(): void {
    if (this.#cancelStall !== undefined) return;
    const { stallTimeoutMs } = this.#frame;
    this.#cancelStall =
      stallTimeoutMs === 0 ? () => undefined : this.#clock.after(stallTimeoutMs, () => this.#response.destroy());
    this.#response.once("drain", () => {
      this.#endStall();
      this.#listener?.drained();
    });
  }

  #closed(): void {
    this.#endStall();
    if (!this.#response.writableFinished) this.#listener?.left();
  }

  #endStall(): void {
    this.#cancelStall?.();
    this.#cancelStall = undefined;
  }
}

function withoutCors(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const name = lines[at] as string;
    if (!name.toLowerCase().startsWith("access-control-")) kept.push(name, lines[at + 1] as string);
  }
  return kept;
}
