import type { IncomingMessage } from "node:http";
import { type DecisionDialect, DecisionError, errorEnvelope } from "../../decisions/index.ts";
import { RoutingError } from "../../errors/index.ts";
import { type Clock, HttpError } from "../../http/index.ts";
import type { RequestTracer } from "../../telemetry/index.ts";
import type { DecisionMaker } from "./decision-maker.ts";
import { DecisionTrace } from "./decision-trace.ts";
import { decisionErrorOf } from "./fault-of.ts";
import { isJsonMediaType } from "./media-type.ts";
import { decisionOperation } from "./open-api/operation.ts";
import { type CallHeaders, requestIdOf } from "./request-id.ts";
import type { DecisionRouteName, DecisionsLog, DecisionTelemetry } from "./telemetry.ts";

/** A body that is held until it is released. */
export interface ReadBody {
  readonly bytes: Buffer;
  release(): void;
}

/** Reads bodies, and bounds what is held of them. */
export interface BodyReader {
  /**
   * @param done called once, with an HttpError of what the client did wrong, or the body
   * @param willRead called before, when the body is waited for
   */
  read(
    request: IncomingMessage,
    done: (error: HttpError | undefined, body: ReadBody) => void,
    willRead: () => void,
  ): void;
}

/** One request to a route, as the door behind which it is mounted hands it over. */
export interface RouteExchange {
  readonly request: IncomingMessage;
  readonly headers: CallHeaders;
  readonly requestId: string;
  readonly isReady: boolean;
  /** Aborted when the client has left, or the process ends. */
  readonly signal: AbortSignal;
  /** To be called before the body is read. */
  willRead(): void;
  /** @param lines names and values in turn. @param body JSON */
  answer(status: number, lines: readonly string[], body: string): void;
}

export interface DecisionRouteParts {
  readonly maker: DecisionMaker;
  readonly bodies: BodyReader;
  readonly telemetry: DecisionTelemetry;
  /** Undefined = there are no traces. */
  readonly tracer?: RequestTracer | undefined;
  readonly log: DecisionsLog;
  readonly clock: Clock;
  readonly retryAfterSeconds: number;
}

/** Version of the API in every decision's answer. */
const versionLines = ["x-dynamo-systemone-version", "1"];

/** One of the two routes. */
export class DecisionRoute {
  readonly method = "POST";
  readonly path: string;
  readonly #name: DecisionRouteName;
  readonly #dialect: DecisionDialect;
  readonly #parts: DecisionRouteParts;

  constructor(path: string, name: DecisionRouteName, parts: DecisionRouteParts) {
    this.path = path;
    this.#name = name;
    this.#dialect = name === "decisions" ? "openai" : "jev";
    this.#parts = parts;
  }

  /** As the OpenAPI document has it. */
  get operation(): object {
    return decisionOperation(this.#name);
  }

  /** The id of a request, whatever becomes of it. */
  requestIdOf(headers: CallHeaders): string {
    return requestIdOf(headers);
  }

  /** Names and values of the lines that every answer has, beside `x-request-id`. */
  linesOf(requestId: string): readonly string[] {
    return ["x-typesafe-request-id", requestId];
  }

  /** The body of an error of the door's, JSON. */
  errorJson({ status, message }: HttpError): string {
    return errorEnvelope(this.#dialect, codeOfStatus(status), message);
  }

  /** Answers one request; never throws. */
  receive(exchange: RouteExchange): void {
    const startMs = this.#parts.clock.now();
    this.#begin(exchange).then(
      (body) => this.#answered(exchange, startMs, body),
      (cause) => this.#failed(exchange, startMs, cause),
    );
  }

  async #begin(exchange: RouteExchange): Promise<string> {
    const { headers, requestId, isReady, signal } = exchange;
    checkMediaType(headers);
    const body = await this.#read(exchange);
    const trace = new DecisionTrace(this.#parts.tracer?.begin("proxy.request", headers), headers, requestId);
    const who = { route: this.#name, dialect: this.#dialect, requestId, headers, trace };
    try {
      const answer = await this.#parts.maker.decide({ ...who, body: body.bytes, isReady, signal });
      trace.end(200);
      return answer;
    } catch (cause) {
      const error = failureOf(exchange, cause);
      trace.end(error.statusIn(this.#dialect), error.fault);
      throw cause;
    } finally {
      body.release();
    }
  }

  #read({ request, willRead }: RouteExchange): Promise<ReadBody> {
    return new Promise((resolve, reject) => {
      const done = (error: HttpError | undefined, body: ReadBody) =>
        error === undefined ? resolve(body) : reject(error);
      this.#parts.bodies.read(request, done, willRead);
    });
  }

  #answered({ answer }: RouteExchange, startMs: number, body: string): void {
    const { clock, telemetry } = this.#parts;
    answer(200, versionLines, body);
    telemetry.answered(this.#name, 200, clock.now() - startMs);
  }

  #failed(exchange: RouteExchange, startMs: number, cause: unknown): void {
    const { clock, telemetry, log, retryAfterSeconds } = this.#parts;
    const { answer, requestId } = exchange;
    const error = failureOf(exchange, cause);
    const status = error.statusIn(this.#dialect);
    const fields = { requestId, route: this.#name, fault: error.fault, status };
    if (error.fault === "internal") log.error({ ...fields, err: error.cause }, "decisions: failed");
    else if (status >= 500) log.warn({ ...fields, reason: reasonOf(error) }, "decisions: not made");
    else log.debug(fields, "decisions: refused");
    const lines = error.fault === "capacity" ? ["retry-after", String(retryAfterSeconds)] : [];
    if (cause instanceof HttpError) lines.push(...Object.entries(cause.headers).flat());
    answer(status, lines, errorEnvelope(this.#dialect, error.code, error.message));
    telemetry.answered(this.#name, status, clock.now() - startMs);
    telemetry.refused({ fault: error.fault, status, requestId });
  }
}

/** @throws DecisionError media_type */
function checkMediaType(headers: CallHeaders): void {
  if (!isJsonMediaType(headers.get("content-type"))) {
    throw new DecisionError("media_type", "content-type must be application/json");
  }
  if ((headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity") {
    throw new DecisionError("media_type", "encoded bodies are not read");
  }
}

function failureOf({ signal }: RouteExchange, cause: unknown): DecisionError {
  return decisionErrorOf(signal.aborted ? endOf(signal) : cause);
}

/** Why nobody waits any more: the process ends, or the client has left. */
function endOf({ reason }: AbortSignal): RoutingError | DecisionError {
  return reason instanceof RoutingError
    ? reason
    : new DecisionError("cancelled", "request was cancelled", { cause: reason });
}

/** What the operator is told of a worker's fault; never the worker's own text. */
function reasonOf({ cause }: DecisionError): string | undefined {
  return cause instanceof Error ? cause.message : undefined;
}

/** Codes of errors that the door answers, by status. Source: ai-dynamo/dynamo http/service/systemone/response.rs, for those that it has. */
function codeOfStatus(status: number): string {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 429:
      return "rate_limit_exceeded";
    default:
      return status >= 500 ? "server_error" : "invalid_request_error";
  }
}
