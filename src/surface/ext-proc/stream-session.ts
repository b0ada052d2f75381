import { randomUUID } from "node:crypto";
import type { RoutingError } from "../../errors/index.ts";
import { type BufferPool, type Clock, errorDialectOf } from "../../http/index.ts";
import { PickAttempt } from "../../router/index.ts";
import type { Admission, StreamTicket } from "./admission.ts";
import { type StreamModes, streamModes } from "./body-mode.ts";
import type { HeaderRemovals } from "./control-headers.ts";
import { requestedEndpoints, subsetHint } from "./endpoint-metadata.ts";
import { errorAnswer, toRoutingError } from "./error-answer.ts";
import { contentLength, HeaderList } from "./header-list.ts";
import type { MismatchLog } from "./mismatch-log.ts";
import type { ResolvedExtProcOptions } from "./options.ts";
import { pickAnswer } from "./pick-answer.ts";
import type { PickDecision, PickRouter } from "./pick-router.ts";
import type { HttpBody, HttpHeaders, ProcessingRequest, ProcessingResponse } from "./processing-messages.ts";
import { noBody } from "./request-answers.ts";
import type { RequestPhase, RequestPhaseHost } from "./request-phase.ts";
import { requestPhaseOfMode } from "./request-phase-of-mode.ts";
import { ResponsePhase } from "./response-phase.ts";
import { type ExtProcLogger, type ExtProcTelemetry, logRefusal, type StreamPhase } from "./telemetry.ts";

/** Where answers go. */
export interface GatewaySink {
  /** @param written called when the message has left; not called when the stream breaks before */
  write(message: ProcessingResponse, written?: () => void): void;
  /** Ends the stream with status OK; nothing is written afterwards. */
  end(): void;
}

/** What all streams share. */
export interface SessionContext {
  readonly router: PickRouter;
  readonly telemetry: ExtProcTelemetry;
  readonly logger: ExtProcLogger;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly removals: HeaderRemovals;
  readonly mismatches: MismatchLog;
  readonly pool: BufferPool;
  readonly options: ResolvedExtProcOptions;
}

/**
 * One ext_proc stream, that is one HTTP request: reads the gateway's messages, has the request placed, and passes the
 * response. It holds no socket and no timer of its own: messages come by `receive`, answers go to the sink.
 *
 * Its own state tells whether the work is done. The stream's end does not: Envoy ends or resets streams after normal
 * requests as well, so an end before the work is done means that the client has left.
 */
export class StreamSession {
  /** Place among the open streams, which they keep; -1: none. */
  listedAt = -1;
  /** When the stream was opened, by the clock of its context. */
  readonly openedMs: number;
  readonly #sink: GatewaySink;
  readonly #context: SessionContext;
  readonly #ticket: StreamTicket;
  #modes: StreamModes | undefined;
  #phase: StreamPhase = "request";
  #isComplete = false;
  #isClosed = false;
  /** Whether the gateway has answered in our stead, before the request was placed. */
  #isOverEarly = false;
  #headers: HeaderList = HeaderList.none;
  #subset: readonly string[] | undefined;
  #request: RequestPhase | undefined;
  #attempt: PickAttempt<PickDecision> | undefined;
  #pickStartMs = 0;
  #decision: PickDecision | undefined;
  #response: ResponsePhase | undefined;

  constructor(sink: GatewaySink, context: SessionContext) {
    this.#sink = sink;
    this.#context = context;
    this.openedMs = context.clock.now();
    this.#ticket = context.admission.open();
  }

  /** How far the stream has come. */
  get phase(): StreamPhase {
    return this.#phase;
  }

  /** Whether more of the request is waited for, to place it. */
  get isReading(): boolean {
    return this.#phase === "request" && !this.#isComplete && !this.#isClosed;
  }

  /** A message of the gateway. Does not throw: what fails before the answer is refused, what fails later only logged. */
  receive(message: ProcessingRequest): void {
    if (this.#isClosed) return;
    try {
      this.#dispatch(message);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** The gateway has ended or reset the stream. */
  peerLeft(): void {
    if (this.#isClosed) return;
    const isAbort = !this.#isComplete && !this.#endsEarly();
    this.#close();
    if (isAbort) this.#context.telemetry.aborted({ phase: this.#phase });
  }

  /** Answers in the worker's stead and ends the stream. After response headers have left, Envoy cuts the client off. */
  refuse(error: RoutingError): void {
    if (this.#isClosed) return;
    const dialect = errorDialectOf(this.#headers.get(":path"));
    this.#sink.write(errorAnswer(error, this.#context.options.retryAfterSeconds, dialect));
    this.#sink.end();
    this.#close(error);
    const { code, field, message } = error;
    const requestId = this.#requestId();
    this.#context.telemetry.failed({ code, field, message, requestId, durationMs: this.#pickMs() });
    logRefusal(this.#context.logger, error, requestId);
  }

  #dispatch(message: ProcessingRequest): void {
    if (message.observability_mode === true) {
      // The gateway reads no answers and applies no pick.
      this.#isComplete = true;
      return;
    }
    this.#modes ??= streamModes(message, this.#context.options);
    if (message.request_headers !== undefined) this.#requestHeaders(message.request_headers, message);
    else if (message.request_body !== undefined) this.#requestBody(message.request_body, message);
    else if (message.request_trailers !== undefined) this.#requestTrailers(message);
    else if (message.response_headers !== undefined) this.#responseHeaders(message.response_headers, message);
    else if (message.response_body !== undefined) this.#responseBody(message.response_body, message);
    else if (message.response_trailers !== undefined) this.#responseTrailers(message);
  }

  #requestHeaders(message: HttpHeaders, { metadata_context: metadata }: ProcessingRequest): void {
    // A stream is one request: a gateway that says otherwise would have it booked twice.
    if (this.#request !== undefined || this.#phase !== "request") return;
    this.#headers = HeaderList.of(message.headers);
    this.#subset = subsetHint(metadata);
    const announcedBytes = contentLength(this.#headers);
    this.#request = requestPhaseOfMode(this.#modes?.request ?? "none", this.#phaseHost(), announcedBytes);
    this.#ticket.enterPick(this.#request.gathersBody ? (announcedBytes ?? 0) : 0);
    this.#request.headers(message.end_of_stream === true);
  }

  #requestBody(message: HttpBody, { metadata_context: metadata }: ProcessingRequest): void {
    if (this.#isOverEarly) return;
    this.#subset = subsetHint(metadata) ?? this.#subset;
    // A gateway that hides the headers from us cannot be told a destination either.
    if (this.#request === undefined) this.#sink.write({ request_body: {} });
    else this.#request.body(message);
  }

  #requestTrailers({ metadata_context: metadata }: ProcessingRequest): void {
    if (this.#isOverEarly) return;
    this.#subset = subsetHint(metadata) ?? this.#subset;
    if (this.#request === undefined) this.#sink.write({ request_trailers: {} });
    else this.#request.trailers();
  }

  #phaseHost(): RequestPhaseHost {
    return {
      pool: this.#context.pool,
      send: (message, written) => this.#sink.write(message, written),
      hold: (bytes) => this.#ticket.addBody(bytes),
      pick: (body) => this.#pick(body),
    };
  }

  #pick(shownBody: Buffer | undefined): void {
    const { router, clock, options } = this.#context;
    const body = shownBody ?? noBody;
    this.#phase = "pick";
    this.#pickStartMs = clock.now();
    const outcome = {
      picked: (decision: PickDecision) => this.#picked(decision, body),
      failed: (cause: unknown) => this.#fail(cause),
    };
    this.#attempt = new PickAttempt(outcome, clock, options.pickDeadlineMs);
    const request = {
      // Without its body a request of a known API would be refused as malformed.
      path: shownBody === undefined ? undefined : this.#headers.get(":path"),
      headers: this.#headers,
      body,
      subset: this.#subset,
      requestedEndpoints: options.conformanceHeaders ? requestedEndpoints(this.#headers) : undefined,
      trustClient: options.trustClient,
    };
    this.#attempt.run((wait) => router.route(request, wait))?.catch((cause) => this.#fail(cause));
  }

  #picked(decision: PickDecision, body: Buffer): void {
    this.#decision = decision;
    try {
      this.#answer(decision, body);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  #answer(decision: PickDecision, body: Buffer): void {
    const request = this.#request;
    if (request === undefined) return;
    const newRequestId = this.#context.options.forwardGeneratedRequestId ? randomUUID : undefined;
    const options = { needsLength: request.needsLength, newRequestId, removals: this.#context.removals };
    request.answer(pickAnswer(decision, this.#headers, body, options), () => this.#ticket.releaseBody());
    this.#phase = "upstream";
    this.#ticket.leavePick();
    const { model, api, inputTokens, predictedCachedTokens } = decision;
    const mode = this.#modes?.request ?? "none";
    const [bodyBytes, durationMs] = [body.length, this.#pickMs()];
    this.#context.telemetry.picked({ model, api, mode, bodyBytes, durationMs, inputTokens, predictedCachedTokens });
  }

  /** The gateway shows a response. Before the request was placed it is the gateway's own: the client has it, and nobody waits for a pick. */
  #enterResponse(): void {
    const phase = this.#phase;
    this.#phase = "response";
    if (this.#request === undefined || this.#decision !== undefined || phase === "response") return;
    this.#isOverEarly = true;
    this.#ticket.leavePick();
    this.#ticket.releaseBody();
    this.#attempt?.abandon(undefined);
    this.#isComplete = true;
    this.#context.telemetry.aborted({ phase });
  }

  #responseHeaders(message: HttpHeaders, request: ProcessingRequest): void {
    this.#enterResponse();
    this.#completeIf(message.end_of_stream === true);
    this.#responsePhase().headers(message, request);
  }

  #responseBody(message: HttpBody, request: ProcessingRequest): void {
    this.#enterResponse();
    this.#completeIf(message.end_of_stream === true);
    this.#responsePhase().body(message, request);
  }

  #responseTrailers(request: ProcessingRequest): void {
    this.#enterResponse();
    this.#completeIf(true);
    this.#responsePhase().trailers(request);
  }

  #responsePhase(): ResponsePhase {
    this.#response ??= new ResponsePhase(this.#decision, this.#modes?.response ?? "none", this.#context, (message) =>
      this.#sink.write(message),
    );
    return this.#response;
  }

  #completeIf(isEnd: boolean): void {
    if (isEnd) this.#isComplete = true;
  }

  /** Without response bodies Envoy closes the stream before the response has ended, and that is no abort. */
  #endsEarly(): boolean {
    const isAnswered = this.#phase === "upstream" || this.#phase === "response";
    return isAnswered && this.#modes?.response === "none";
  }

  /** Before the answer a failure is the client's answer; later the response passes and the failure is only told. */
  #fail(cause: unknown): void {
    if (this.#phase === "request" || this.#phase === "pick") {
      this.refuse(toRoutingError(cause));
      return;
    }
    this.#logFailure(cause);
  }

  #logFailure(cause: unknown): void {
    this.#context.logger.error({ err: cause, requestId: this.#requestId() }, "ext_proc: failed after the answer");
  }

  /** @param reason why it was refused; undefined: the client has left */
  #close(reason?: RoutingError): void {
    this.#isClosed = true;
    this.#ticket.close();
    this.#attempt?.abandon(reason);
    try {
      this.#decision?.reservation.release();
    } catch (cause) {
      this.#logFailure(cause);
    }
  }

  #pickMs(): number {
    return this.#pickStartMs === 0 ? 0 : this.#context.clock.now() - this.#pickStartMs;
  }

  #requestId(): string | undefined {
    return this.#headers.get("x-request-id");
  }
}
