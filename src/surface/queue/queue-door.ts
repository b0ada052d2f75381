import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  type ApiKeys,
  type BodyIntake,
  ClientAnswer,
  type Cors,
  dropBody,
  type FrontDoorway,
  type HeldBody,
  HttpError,
  invite,
  type KeyAllowance,
  originForm,
  refusalOf,
  type UnreadBody,
} from "../../http/index.ts";
import type { QueueApiKey } from "./callers.ts";
import { ClientLines } from "./client-lines.ts";
import type { QueueModels } from "./queue-models.ts";
import { type QueueRoute, queueDialectOf, queueRouteOf } from "./queue-paths.ts";
import { type CallParts, QueuedCall, trackedName } from "./queued-call.ts";
import { answerTracked } from "./tracked-answer.ts";

export interface QueueDoorOptions {
  /** Requests under way at one time. */
  readonly maxRequests: number;
  readonly clientStallTimeoutMs: number;
  /** Whether pages of other origins may be told that they may call. */
  readonly answersPreflights: boolean;
}

/** What the door works with. */
export interface QueueDoorParts {
  readonly keys: ApiKeys<QueueApiKey>;
  readonly cors: Cors;
  readonly intake: BodyIntake;
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

/** Takes every request: who may call, what is served, how much at one time. What goes into a queue becomes a call. */
export class QueueDoor implements FrontDoorway {
  readonly #parts: QueueDoorParts;
  readonly #calls = new Set<QueuedCall>();
  #running = 0;
  #isReady = false;
  #isClosing = false;

  constructor(parts: QueueDoorParts) {
    this.#parts = parts;
  }

  /** Requests under way. */
  get running(): number {
    return this.#running;
  }

  setReady(isReady: boolean): void {
    this.#isReady = isReady;
  }

  closeConnections(): void {
    this.#isClosing = true;
  }

  abandonAll(): void {
    for (const call of [...this.#calls]) call.abandon();
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
    const { cors, call, options } = this.#parts;
    const { url = "/", method = "GET" } = request;
    const target = url.startsWith("/") ? url : originForm(url);
    const query = target.indexOf("?");
    const path = query < 0 ? target : target.slice(0, query);
    const headers = new ClientLines(request.rawHeaders);
    const ownId = headers.get("x-request-id");
    const requestId = ownId !== undefined && usableId.test(ownId) ? ownId : randomUUID();
    const lines = [...cors.lines(headers.get("origin"))];
    if (this.#isClosing) lines.push("connection", "close");
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
    const { keys, cors, call, options } = this.#parts;
    const { method, path, headers, client } = visit;
    if (
      method === "OPTIONS" &&
      options.answersPreflights &&
      headers.get("access-control-request-method") !== undefined
    ) {
      client.preflight(cors.preflight(headers.get("origin"), headers.get("access-control-request-headers")));
      return;
    }
    const route = queueRouteOf(method, path, call.tracked !== undefined);
    if (route.kind === "health") {
      this.#answerHealth(client);
      return;
    }
    const allowance = keys.areNeeded ? keys.allowanceOf(headers) : undefined;
    if (route.kind === "unknown") throw new HttpError(404, "not_found", "this path is not served");
    if (route.kind === "wrong-method") {
      throw new HttpError(405, "method_not_allowed", "this method is not served here", { allow: route.allowed });
    }
    if (this.#running >= options.maxRequests) {
      throw new HttpError(429, "saturated", `${this.#running} requests are under way, no more are taken`);
    }
    this.#begin(allowance, response);
    this.#serve(route, visit, allowance?.key);
  }

  #begin(allowance: KeyAllowance<QueueApiKey> | undefined, response: ServerResponse): void {
    allowance?.begin();
    this.#running += 1;
    response.once("close", () => {
      allowance?.end();
      this.#running -= 1;
    });
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
    if (!this.#isReady) throw new HttpError(503, "not_ready", "the queue's front is not ready");
    if (!this.#parts.mayServe()) {
      throw new HttpError(503, "queue_unavailable", "it is not known yet whether results of the queue come back");
    }
    const encoding = visit.headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      throw new HttpError(415, "unsupported_media_type", "encoded bodies are not read");
    }
    this.#parts.call.telemetry.received(route.endpoint);
    const done = (error: HttpError | undefined, body: HeldBody) => {
      if (error === undefined) this.#start(route, visit, key, body);
      else {
        body.release();
        this.#refuse(visit, error);
      }
    };
    this.#parts.intake.read(visit.request, done, visit.awaitsInvitation ? () => invite(visit) : undefined);
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
    this.#calls.add(call);
    call.run().then(
      () => this.#calls.delete(call),
      () => this.#calls.delete(call),
    );
  }

  #answerHealth(client: ClientAnswer): void {
    const { isQueueUp, mayServe } = this.#parts;
    const isReady = this.#isReady && !this.#isClosing && isQueueUp() && mayServe();
    client.own(isReady ? 200 : 503, [], JSON.stringify({ status: isReady ? "ok" : "not ready" }));
  }

  #refuse(visit: Visit, cause: unknown): void {
    const { client, requestId } = visit;
    const { telemetry, log, settings } = this.#parts.call;
    const { error, field } = refusalOf(cause, settings.retryAfterSeconds);
    telemetry.refused(error.code);
    const fields = { requestId: requestId.slice(0, 128), status: error.status, code: error.code };
    if (error.code === "internal") log.error({ ...fields, err: cause }, "queue: a request failed");
    else log.debug(fields, "queue: refused");
    dropBody(visit);
    if (!client.isOver) client.refuse(error, field);
  }
}

/** Anthropic's clients name their API's version. */
function isAnthropic(headers: ClientLines): boolean {
  return headers.get("anthropic-version") !== undefined;
}
