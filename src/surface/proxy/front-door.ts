import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { RoutingError } from "../../errors/index.ts";
import {
  ClientAnswer,
  dropBody,
  type FrontDoorway,
  type FrontGate,
  type HeldBody,
  HttpError,
  refusalOf,
  requestTargetOf,
} from "../../http/index.ts";
import type { RewrittenBody } from "../../router/index.ts";
import type { CallContext, ReceivedRequest } from "./call-context.ts";
import { CallReport } from "./call-report.ts";
import { ClientHeaders, type ForwardingRules } from "./client-headers.ts";
import { ForwardedCall } from "./forwarded-call.ts";
import type { ModelList } from "./model-list.ts";
import { MountedCall } from "./mounted-call.ts";
import type { MountedRoute } from "./mounted-route.ts";
import { dialectOf, type Route, type ServedPaths } from "./served-paths.ts";
import { previousResponseId } from "./stored-responses.ts";
import { isAnthropic, type Visit } from "./visit.ts";

export interface FrontDoorOptions {
  readonly forwardsGeneratedRequestId: boolean;
  readonly forwarding: ForwardingRules;
  readonly ownsCors: boolean;
  readonly clientStallTimeoutMs: number;
}

/** What the front door works with. */
export interface FrontDoorParts {
  readonly paths: ServedPaths;
  readonly gate: FrontGate;
  readonly models: ModelList;
  /** JSON of the OpenAPI document. */
  readonly document: string;
  readonly call: CallContext;
  readonly options: FrontDoorOptions;
}

/** Takes every request that the gate lets in. What goes to a worker becomes a call. */
export class FrontDoor implements FrontDoorway {
  readonly #parts: FrontDoorParts;
  readonly #gate: FrontGate;

  constructor(parts: FrontDoorParts) {
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
    const { options, call } = this.#parts;
    const { method, target, path } = requestTargetOf(request);
    const headers = new ClientHeaders(request.rawHeaders, options.forwarding);
    const mounted = this.#parts.paths.mountedOn(path);
    const ownId = mounted?.requestIdOf(headers) ?? headers.get("x-request-id");
    const newRequestId =
      options.forwardsGeneratedRequestId && (ownId === undefined || ownId === "") ? randomUUID() : undefined;
    const lines = this.#gate.linesFor(headers.get("origin"));
    if (mounted !== undefined) lines.push(...mounted.linesOf(ownId ?? ""));
    const frame = {
      dialect: dialectOf(path, headers.get("anthropic-version") !== undefined),
      errorJson: mounted === undefined ? undefined : (error: HttpError) => mounted.errorJson(error),
      lines,
      requestId: newRequestId ?? ownId,
      ownsCors: options.ownsCors,
      stallTimeoutMs: options.clientStallTimeoutMs,
    };
    const client = new ClientAnswer(response, frame, call.clock);
    const requestId = frame.requestId;
    return { request, method, target, path, headers, client, newRequestId, requestId, lines, awaitsInvitation };
  }

  /** @throws HttpError, RoutingError */
  #admit(visit: Visit, response: ServerResponse): void {
    if (this.#gate.answersPreflight(visit)) return;
    const route = this.#parts.paths.routeOf(visit.method, visit.path);
    if (route.kind === "health") {
      this.#gate.answerHealth(visit.client);
      return;
    }
    this.#gate.enter(route, visit, response);
    this.#serve(route, visit);
  }

  #serve(route: Route, visit: Visit): void {
    if (route.kind === "models") this.#answer(visit, this.#parts.models.list(isAnthropic(visit)));
    else if (route.kind === "model") this.#answer(visit, this.#parts.models.one(route.id, isAnthropic(visit)));
    else if (route.kind === "document") visit.client.own(200, [], this.#parts.document);
    else if (route.kind === "mounted") this.#serveMounted(route.route, visit);
    else if (route.kind === "stored-response") this.#read(visit, (body) => this.#forwardStored(visit, route.id, body));
    else if (route.kind === "forward") this.#read(visit, (body) => this.#forward(visit, route, body));
  }

  #serveMounted(route: MountedRoute, visit: Visit): void {
    const call = new MountedCall(visit);
    visit.client.closed(this.#gate.track(call));
    call.start(route, this.#gate.isReady);
  }

  /** @param body JSON */
  #answer(visit: Visit, body: Promise<string>): void {
    const { client } = visit;
    body.then((json) => client.isOver || client.own(200, [], json)).catch((cause) => this.#refuse(visit, cause));
  }

  #read(visit: Visit, take: (body: HeldBody) => void): void {
    if (!this.#gate.isReady)
      throw new RoutingError("not ready: the models are being loaded, or it is not known who the workers are", {
        code: "not_ready",
      });
    this.#gate.read(visit, (error, body) => {
      try {
        if (error !== undefined) throw error;
        take(body);
      } catch (cause) {
        body.release();
        this.#refuse(visit, cause);
      }
    });
  }

  /** @throws HttpError 404 for an answer to go on from that nobody knows */
  #forward(visit: Visit, route: Extract<Route, { kind: "forward" }>, body: HeldBody): void {
    const { format } = route;
    const isReadable = route.hasKnownBody || isJson(visit.headers.get("content-type"));
    const keeping = format === "responses" ? "keeps" : undefined;
    const start = (previous: string | undefined) => {
      const owner = previous === undefined ? undefined : this.#ownerOf(previous);
      this.#start(visit, { format, isReadable, owner, body, keeping });
    };
    const previous = format === "responses" ? previousResponseId(body.bytes) : undefined;
    if (!(previous instanceof Promise)) {
      start(previous);
      return;
    }
    previous.then(start).catch((cause) => {
      body.release();
      this.#refuse(visit, cause);
    });
  }

  /** @throws HttpError 404 when nobody knows who made it */
  #forwardStored(visit: Visit, id: string, body: HeldBody): void {
    const owner = this.#ownerOf(id);
    const keeping = visit.method === "DELETE" ? { deletes: id } : undefined;
    this.#start(visit, { format: "responses", isReadable: false, owner, body, keeping });
  }

  #ownerOf(id: string): string {
    const owner = this.#parts.call.owners.ownerOf(id);
    if (owner === undefined) throw new HttpError(404, "unknown_response", "no response of this id is known");
    return owner;
  }

  #start(visit: Visit, part: Pick<ReceivedRequest, "format" | "isReadable" | "owner" | "body" | "keeping">): void {
    const { method, target, headers, client, newRequestId } = visit;
    if (client.isOver) {
      part.body.release();
      return;
    }
    const request = { method, target, headers, newRequestId, ...part };
    const rewrite = part.isReadable ? this.#parts.call.router.rewrite(part.body.bytes, headers) : undefined;
    if (!(rewrite instanceof Promise)) this.#call(request, client, rewrite);
    else {
      rewrite
        .then((late) => this.#call(request, client, late))
        .catch((cause) => {
          part.body.release();
          this.#refuse(visit, cause);
        });
    }
  }

  #call(received: Omit<ReceivedRequest, "trace">, client: ClientAnswer, rewrite: RewrittenBody | undefined): void {
    if (client.isOver) {
      received.body.release();
      return;
    }
    if (rewrite !== undefined) received.body.changeTo(rewrite.body);
    const trace = this.#parts.call.tracer?.begin("proxy.request", received.headers);
    const request = { ...received, trace, ...(rewrite === undefined ? {} : { rewrite }) };
    const call = new ForwardedCall(request, client, this.#parts.call);
    client.closed(this.#gate.track(call));
    call.start();
  }

  #refuse(visit: Visit, cause: unknown): void {
    const { client } = visit;
    const { error, field } = refusalOf(cause, this.#parts.call.options.retryAfterSeconds);
    new CallReport(this.#parts.call, visit).refused(error, field, cause);
    dropBody(visit);
    if (!client.isOver) client.refuse(error, field);
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType?.trim() ?? "");
}
