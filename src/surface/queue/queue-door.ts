import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  ClientAnswer,
  dropBody,
  type FrontDoorway,
  type FrontGate,
  type HeldBody,
  HttpError,
  refusalOf,
  requestTargetOf,
  type UnreadBody,
} from "../../http/index.ts";
import type { QueueApiKey } from "./callers.ts";
import { ClientLines } from "./client-lines.ts";
import type { QueueModels } from "./queue-models.ts";
import { type QueueRoute, queueDialectOf, queueRouteOf } from "./queue-paths.ts";
import { type CallParts, QueuedCall, trackedName } from "./queued-call.ts";
import { answerTracked } from "./tracked-answer.ts";

export interface QueueDoorOptions {
  readonly clientStallTimeoutMs: number;
}

/** What the door works with. */
export interface QueueDoorParts {
  readonly gate: FrontGate<QueueApiKey>;
  readonly models: QueueModels;
  /** Whether the queue can be reached, read at each question. */
  readonly isQueueUp: () => boolean;
  /** Whether it is known that results come back, as far as that is wanted; read at each question. */
  readonly mayServe: () => boolean;
  readonly call: CallParts;
  readonly options: QueueDoorOptions;
}

/** One request on its way through the door. */
interface Visit extends UnreadBody {
  readonly method: string;
  readonly path: string;
  readonly headers: ClientLines;
  readonly requestId: string;
  readonly receivedMs: number;
}

/** Ids that clients may give; others are for the log only. */
const usableId = /^[\w.-]{1,128}$/;

/** Takes every request that the gate lets in. What goes into a queue becomes a call. */
export class QueueDoor implements FrontDoorway {
  readonly #parts: QueueDoorParts;
  readonly #gate: FrontGate<QueueApiKey>;

  constructor(parts: QueueDoorParts) {
    this.#parts = parts;
    this.#gate = parts.gate;
  }

  setReady(isReady: boolean): void {
    this.#gate.isReady = isReady;
  }

  closeConnections(): void {
    this.#gate.closeConnections();
  }

  abandonAll(): void {
    this.#gate.abandonAll();
  }

  receive(request: IncomingMessage, response: ServerResponse, awaitsInvitation = false): void {
    const visit = this.#visit(request, response, awaitsInvitation);
    try {
      this.#admit(visit, response);
    } catch (cause) {
      this.#refuse(visit, cause);
    }
  }

  #visit(request: IncomingMessage, response: ServerResponse, awaitsInvitation: boolean): Visit {
    const { call, options } = this.#parts;
    const { method, path } = requestTargetOf(request);
    const headers = new ClientLines(request.rawHeaders);
    const ownId = headers.get("x-request-id");
    const requestId = ownId !== undefined && usableId.test(ownId) ? ownId : randomUUID();
    const lines = this.#gate.linesFor(headers.get("origin"));
    const frame = {
      dialect: queueDialectOf(path, isAnthropic(headers)),
      lines,
      requestId,
      ownsCors: true,
      stallTimeoutMs: options.clientStallTimeoutMs,
    };
    const client = new ClientAnswer(response, frame, call.clock);
    const receivedMs = call.clock.now();
    return { request, method, path, headers, client, lines, requestId, receivedMs, awaitsInvitation };
  }

  /** @throws HttpError */
  #admit(visit: Visit, response: ServerResponse): void {
    if (this.#gate.answersPreflight(visit)) return;
    const { call, isQueueUp, mayServe } = this.#parts;
    const route = queueRouteOf(visit.method, visit.path, call.tracked !== undefined);
    if (route.kind === "health") {
      this.#gate.answerHealth(visit.client, isQueueUp() && mayServe());
      return;
    }
    this.#serve(route, visit, this.#gate.enter(route, visit, response));
  }

  #serve(route: QueueRoute, visit: Visit, key: QueueApiKey | undefined): void {
    const { models, call } = this.#parts;
    const { client, headers } = visit;
    if (route.kind === "models") client.own(200, [], models.list(isAnthropic(headers)));
    else if (route.kind === "model") client.own(200, [], models.one(route.id, isAnthropic(headers)));
    else if (route.kind === "request" && call.tracked !== undefined) {
      answerTracked(client, call.tracked, { ...route, name: trackedName(key, route.id) }, call.settings);
    } else if (route.kind === "submit") this.#submit(route, visit, key);
  }

  #submit(route: Extract<QueueRoute, { readonly kind: "submit" }>, visit: Visit, key: QueueApiKey | undefined): void {
    if (!this.#gate.isReady) throw new HttpError(503, "not_ready", "the queue's front is not ready");
    if (!this.#parts.mayServe()) {
      throw new HttpError(503, "queue_unavailable", "it is not known yet whether results of the queue come back");
    }
    this.#gate.read(visit, (error, body) => {
      if (error === undefined) this.#start(route, visit, key, body);
      else {
        body.release();
        this.#refuse(visit, error);
      }
    });
    this.#parts.call.telemetry.received(route.endpoint);
  }

  #start(
    route: Extract<QueueRoute, { readonly kind: "submit" }>,
    { headers, client, requestId, receivedMs }: Visit,
    key: QueueApiKey | undefined,
    body: HeldBody,
  ): void {
    if (client.isOver) {
      body.release();
      return;
    }
    const call = new QueuedCall({ route, headers, key, body, requestId, receivedMs }, client, this.#parts.call);
    const ended = this.#gate.track(call);
    call.run().then(ended, ended);
  }

  #refuse(visit: Visit, cause: unknown): void {
    const { client, requestId } = visit;
    const { telemetry, log, settings } = this.#parts.call;
    const { error, field } = refusalOf(cause, settings.retryAfterSeconds);
    const { code, status, message } = error;
    telemetry.refused({ code, status, field, message, requestId });
    const fields = { requestId: requestId.slice(0, 128), status, code };
    if (code === "internal") log.error({ ...fields, err: cause }, "queue: a request failed");
    else log.debug(fields, "queue: refused");
    dropBody(visit);
    if (!client.isOver) client.refuse(error, field);
  }
}

/** Anthropic's clients name their API's version. */
function isAnthropic(headers: ClientLines): boolean {
  return headers.get("anthropic-version") !== undefined;
}
