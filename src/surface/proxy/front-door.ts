import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { RoutingError } from "../../errors/index.ts";
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
  /** Requests under way at one time. */
  readonly maxRequests: number;
  readonly forwardsGeneratedRequestId: boolean;
  readonly forwarding: ForwardingRules;
  readonly ownsCors: boolean;
  readonly clientStallTimeoutMs: number;
}

/** What the front door works with. */
export interface FrontDoorParts {
  readonly paths: ServedPaths;
  readonly keys: ApiKeys;
  readonly cors: Cors;
  readonly intake: BodyIntake;
  readonly models: ModelList;
  /** JSON of the OpenAPI document. */
  readonly document: string;
  readonly call: CallContext;
  readonly options: FrontDoorOptions;
}

/** Takes every request: who may call, what is served, how much at one time. What goes to a worker becomes a call. */
export class FrontDoor implements FrontDoorway {
  readonly #parts: FrontDoorParts;
  readonly #calls = new Set<{ abandon(): void }>();
  #running = 0;
  #isReady = false;
  #isClosing = false;

  constructor(parts: FrontDoorParts) {
    this.#parts = parts;
  }

  /** Requests under way. */
  get running(): number {
    return this.#running;
  }

  setReady(isReady: boolean): void {
    this.#isReady = isReady;
  }

  /** From here on each answer ends its connection. */
  closeConnections(): void {
    this.#isClosing = true;
  }

  /** Ends what runs, in the middle. */
  abandonAll(): void {
    for (const call of [...this.#calls]) call.abandon();
  }

  /**
   * Answers one request; never throws.
   * @param awaitsInvitation whether the client sends its body only when it is told to (`Expect: 100-continue`)
   */
  receive(request: IncomingMessage, response: ServerResponse, awaitsInvitation = false): void {
    const visit = this.#visit(request, response, awaitsInvitation);
    try {
      this.#admit(visit, response);
    } catch (cause) {
      this.#refuse(visit, cause);
    }
  }

  #visit(request: IncomingMessage, response: ServerResponse, awaitsInvitation: boolean): Visit {
    const { options, cors, call } = this.#parts;
    const { url = "/", method = "GET" } = request;
    const target = url.startsWith("/") ? url : originForm(url);
    const query = target.indexOf("?");
    const path = query < 0 ? target : target.slice(0, query);
    const headers = new ClientHeaders(request.rawHeaders, options.forwarding);
    const mounted = this.#parts.paths.mountedOn(path);
    const ownId = mounted?.requestIdOf(headers) ?? headers.get("x-request-id");
    const newRequestId =
      options.forwardsGeneratedRequestId && (ownId === undefined || ownId === "") ? randomUUID() : undefined;
    const lines = [...cors.lines(headers.get("origin"))];
    if (this.#isClosing) lines.push("connection", "close");
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
    const { keys, options, cors } = this.#parts;
    const { method, path, headers, client } = visit;
    if (method === "OPTIONS" && options.ownsCors && headers.get("access-control-request-method") !== undefined) {
      client.preflight(cors.preflight(headers.get("origin"), headers.get("access-control-request-headers")));
      return;
    }
    const route = this.#parts.paths.routeOf(method, path);
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
    this.#serve(route, visit);
  }

  #begin(allowance: KeyAllowance | undefined, response: ServerResponse): void {
    allowance?.begin();
    this.#running += 1;
    response.once("close", () => {
      allowance?.end();
      this.#running -= 1;
    });
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
    this.#calls.add(call);
    visit.client.closed(() => this.#calls.delete(call));
    call.start(route, this.#isReady);
  }

  /** @param body JSON */
  #answer(visit: Visit, body: Promise<string>): void {
    const { client } = visit;
    body.then((json) => client.isOver || client.own(200, [], json)).catch((cause) => this.#refuse(visit, cause));
  }

  #answerHealth(client: ClientAnswer): void {
    const isReady = this.#isReady && !this.#isClosing;
    client.own(isReady ? 200 : 503, [], JSON.stringify({ status: isReady ? "ok" : "not ready" }));
  }

  #read(visit: Visit, take: (body: HeldBody) => void): void {
    if (!this.#isReady)
      throw new RoutingError("not ready: the models are being loaded, or it is not known who the workers are", {
        code: "not_ready",
      });
    const encoding = visit.headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      throw new HttpError(415, "unsupported_media_type", "encoded bodies are not read");
    }
    const done = (error: HttpError | undefined, body: HeldBody) => {
      try {
        if (error !== undefined) throw error;
        take(body);
      } catch (cause) {
        body.release();
        this.#refuse(visit, cause);
      }
    };
    this.#parts.intake.read(visit.request, done, visit.awaitsInvitation ? () => invite(visit) : undefined);
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
    this.#calls.add(call);
    client.closed(() => this.#calls.delete(call));
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
