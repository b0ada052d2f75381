import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { BearerTokens } from "./bearer-tokens.ts";
import { type ErrorAnswer, errorAnswer, HttpError, type HttpErrorCode, isInternal } from "./error-answer.ts";
import type { HttpLog } from "./node-server.ts";
import type { HttpAnswer, Operation } from "./operation.ts";
import { ReceivedCall } from "./received-call.ts";
import type { HeldBody, RequestLimits } from "./request-limits.ts";

/** Told of each answer, for metrics. */
export interface HttpObserver {
  /** @param code of a refusal; undefined = the answer is none */
  answered(operationId: string, status: number, durationMs: number, code: HttpErrorCode | undefined): void;
}

export interface ServingContext {
  readonly limits: RequestLimits;
  /** Undefined = nobody needs a token. */
  readonly tokens: BearerTokens | undefined;
  /** `Retry-After` of 429 and 503 answers whose error names none. */
  readonly retryAfterSeconds: number;
  readonly log: HttpLog;
  readonly observer: HttpObserver;
  /** Milliseconds on a monotonic scale. */
  readonly now: () => number;
}

const jsonType = "application/json";
const noBody = Buffer.alloc(0);
const knownMethods: readonly HTTPMethods[] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/** Answers what Fastify itself finds wrong with a path, in our words: its own repeat the path. */
export function answerBadPath(error: { readonly statusCode?: number | undefined }, reply: FastifyReply): void {
  const isTooLong = error.statusCode === 414;
  const message = isTooLong ? "the path is too long" : "the path is no valid one";
  send(reply, errorAnswer(new HttpError(isTooLong ? 414 : 400, "invalid_request", message), 0));
}

/** Puts the operations, and an answer to everything else, on an app that has no routes yet. */
export function serveOperations(app: FastifyInstance, operations: readonly Operation[], context: ServingContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, stream, done) => {
    context.limits.read(stream, request.headers["content-length"], done);
  });
  app.setErrorHandler((error, _request, reply) => send(reply, answerTo(error, context)));
  const refuseUnknown = refuse(404, "not_found", "route not found", context);
  // Before the body is read, which a not-found handler would come after.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404) refuseUnknown(request, reply);
    else done();
  });
  for (const operation of operations) serveOperation(app, operation, context);
  for (const [path, methods] of methodsByPath(operations)) refuseOtherMethods(app, path, methods, context);
}

function serveOperation(app: FastifyInstance, operation: Operation, context: ServingContext): void {
  const { limits, now, observer } = context;
  app.route({
    method: operation.method,
    url: fastifyPath(operation.path),
    onRequest: (request, reply, done) => {
      try {
        admit(request, operation, context.tokens);
        limits.begin();
        reply.raw.once("close", () => limits.end());
        done();
      } catch (error) {
        done(error as Error);
      }
    },
    errorHandler: (error, _request, reply) => {
      const answer = answerTo(error, context);
      observer.answered(operation.id, answer.status, 0, answer.code);
      send(reply, answer);
    },
    handler: async (request, reply) => {
      const start = now();
      const held = request.body as HeldBody | undefined;
      const call = callOf(request, reply, operation, held?.bytes ?? noBody, context);
      let answer: HttpAnswer;
      let code: HttpErrorCode | undefined;
      try {
        answer = await operation.handle(call);
      } catch (error) {
        const refusal = answerTo(error, context);
        code = refusal.code;
        answer = refusal;
      } finally {
        held?.release(call.isBodyKept);
      }
      observer.answered(operation.id, answer.status, now() - start, code);
      send(reply, answer);
    },
  });
}

/** Before the body is read. @throws HttpError */
function admit(request: FastifyRequest, operation: Operation, tokens: BearerTokens | undefined): void {
  if (operation.access === "token" && tokens !== undefined && !tokens.accepts(request.headers.authorization)) {
    const challenge = { "www-authenticate": "Bearer", connection: "close" };
    throw new HttpError(401, "unauthorized", "a bearer token is needed", challenge);
  }
  if (operation.body !== undefined && !isJsonType(request.headers["content-type"])) {
    throw new HttpError(415, "unsupported_media_type", `the body must be sent as content type ${jsonType}`);
  }
  if (operation.body !== undefined && (request.headers["content-encoding"] ?? "identity") !== "identity") {
    throw new HttpError(415, "unsupported_media_type", "the body must be sent without a content encoding");
  }
}

/** `application/json` and `application/*+json`, with parameters; browsers cannot send these across sites unasked. */
function isJsonType(contentType: string | undefined): boolean {
  return /^application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType?.trim() ?? "");
}

function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  body: Buffer,
  { tokens }: ServingContext,
): ReceivedCall {
  const { headers, params, url } = request;
  return new ReceivedCall({
    params: params as Readonly<Record<string, string>>,
    url,
    headers,
    body: operation.body === undefined ? noBody : body,
    isAuthorized: operation.access === "token" || tokens === undefined || tokens.accepts(headers.authorization),
    response: reply.raw,
  });
}

function answerTo(error: unknown, { log, retryAfterSeconds }: ServingContext): ErrorAnswer {
  const httpError = fromFastify(error);
  if (isInternal(httpError)) log.error({ err: httpError }, "http: a request failed");
  return errorAnswer(httpError, retryAfterSeconds);
}

/** Fastify refuses some requests itself; its errors carry a status. */
function fromFastify(error: unknown): unknown {
  if (!(error instanceof Error) || !("statusCode" in error)) return error;
  const { statusCode } = error;
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return error;
  return new HttpError(statusCode, "invalid_request", "the request cannot be read");
}

/** Straight to Node's response: what Fastify does to answers (charset, serialisation, hooks) is not wanted here. */
function send(reply: FastifyReply, { status, body, headers }: HttpAnswer): void {
  reply.hijack();
  const response = reply.raw;
  if (headers !== undefined) for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (typeof body === "string" || Buffer.isBuffer(body)) {
    response.writeHead(status, { "content-type": jsonType, "content-length": Buffer.byteLength(body) });
    response.end(body);
    return;
  }
  response.writeHead(status, { "content-type": jsonType });
  // A client that leaves, or parts that cannot be made, end the connection: half an answer must not look like a whole one.
  pipeline(Readable.from(body), response).catch(() => response.destroy());
}

function refuse(
  status: number,
  code: "not_found" | "method_not_allowed",
  message: string,
  context: ServingContext,
  headers = {},
) {
  return (_request: FastifyRequest, reply: FastifyReply): void => {
    send(reply, answerTo(new HttpError(status, code, message, headers), context));
  };
}

function methodsByPath(operations: readonly Operation[]): ReadonlyMap<string, ReadonlySet<HTTPMethods>> {
  const byPath = new Map<string, Set<HTTPMethods>>();
  for (const { path, method } of operations) {
    const methods = byPath.get(path) ?? new Set();
    methods.add(method);
    if (method === "GET") methods.add("HEAD");
    byPath.set(path, methods);
  }
  return byPath;
}

function refuseOtherMethods(
  app: FastifyInstance,
  path: string,
  methods: ReadonlySet<HTTPMethods>,
  context: ServingContext,
): void {
  const others = knownMethods.filter((method) => !methods.has(method));
  const allow = [...methods].join(", ");
  app.route({
    method: others,
    url: fastifyPath(path),
    onRequest: refuse(405, "method_not_allowed", "method not allowed", context, { allow }),
    handler: () => undefined,
  });
}

function fastifyPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}
