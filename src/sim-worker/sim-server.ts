import type { IncomingMessage, ServerResponse } from "node:http";
import { editRoot, JsonObject, parseJson } from "../json/index.ts";
import { sendError, sendJson } from "./answer-writer.ts";
import { embeddingsAnswer } from "./embeddings.ts";
import type { SimEngine } from "./engine.ts";
import type { EngineMetrics } from "./engine-metrics.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { GenerationHandler } from "./generation-handler.ts";
import type { GenerationApi } from "./generation-request.ts";
import type { ResolvedSimWorkerOptions } from "./options.ts";
import type { Pairing } from "./pairing/pairing.ts";
import { BodyTooLargeError, receiveBody } from "./received-body.ts";
import type { RequestLog, RequestRecord } from "./request-log.ts";
import type { ScoringCall, ScoringHandler } from "./scoring-handler.ts";
import { isRecord } from "./unknown-record.ts";

/** The parts that the endpoints show or drive. */
export interface SimServerParts {
  readonly name: string;
  readonly options: ResolvedSimWorkerOptions;
  readonly engine: SimEngine;
  readonly metrics: EngineMetrics;
  readonly faults: FaultInjector;
  readonly log: RequestLog;
  readonly generation: GenerationHandler;
  readonly scoring: ScoringHandler;
  readonly pairing: Pairing;
  readonly stats: () => object;
}

interface Exchange {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

const generationPaths: Readonly<Record<string, GenerationApi>> = {
  "/v1/chat/completions": "chat",
  "/v1/completions": "completions",
  "/v1/responses": "responses",
  "/v1/messages": "messages",
};

const pairPath = "/sim/pair/";

/** Routes HTTP requests to the simulated endpoints. */
export class SimServer {
  readonly #parts: SimServerParts;

  constructor(parts: SimServerParts) {
    this.#parts = parts;
  }

  /** Answers one request; never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) left.abort(new Error("the client left"));
    });
    response.setHeader("x-sim-worker", this.#parts.name);
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const exchange = { path, query: new URLSearchParams(query), request, response, signal: left.signal };
    try {
      await (request.method === "POST" ? this.#post(exchange) : this.#get(exchange));
    } catch (error) {
      if (left.signal.aborted || response.headersSent) response.destroy();
      else sendError(response, 500, error instanceof Error ? error.message : String(error));
    }
  }

  async #post(exchange: Exchange): Promise<void> {
    if (exchange.path.startsWith("/sim/")) return await this.#control(exchange);
    const { log, options } = this.#parts;
    const { request, response } = exchange;
    const record = log.open("POST", request.url ?? "", request.rawHeaders);
    try {
      const body = await receiveBody(request, options.maxBodyBytes);
      log.noteBody(record, body);
      await this.#answer(exchange, record, body.bytes);
    } catch (error) {
      record.outcome = outcomeOf(error, exchange);
      if (!(error instanceof BodyTooLargeError)) throw error;
      sendError(response, 413, error.message);
    } finally {
      if (response.headersSent) record.status = response.statusCode;
    }
  }

  async #answer(exchange: Exchange, record: RequestRecord, body: Buffer): Promise<void> {
    const { path, request, response, signal } = exchange;
    const api = Object.hasOwn(generationPaths, path) ? generationPaths[path] : undefined;
    if (api !== undefined) {
      await this.#parts.generation.handle({ api, path, body, request, response, record, signal });
    } else if (path === "/generate" || path === "/abort_request") {
      await this.#score(path, { body, response, record, signal });
    } else if (path === "/v1/embeddings") {
      const answer = embeddingsAnswer(body);
      record.outcome = answer.status === 200 ? "completed" : "refused";
      sendJson(response, answer.status, answer.value);
    } else if (path === "/v1/messages/count_tokens") {
      await this.#countTokens(exchange, record, body);
    } else {
      record.outcome = "refused";
      sendError(response, 404, `no endpoint POST ${path}`);
    }
  }

  async #score(path: string, call: ScoringCall): Promise<void> {
    const { scoring } = this.#parts;
    await (path === "/generate" ? scoring.generate(call) : scoring.abort(call));
  }

  /** The tokens that the message would have, counted as those of the message. */
  async #countTokens({ response }: Exchange, record: RequestRecord, body: Buffer): Promise<void> {
    try {
      const tokens = await this.#parts.generation.countTokens("/v1/messages", asMessage(body));
      record.outcome = "completed";
      sendJson(response, 200, { input_tokens: tokens });
    } catch (error) {
      record.outcome = "refused";
      sendError(response, 400, error instanceof Error ? error.message : String(error));
    }
  }

  async #control(exchange: Exchange): Promise<void> {
    if (exchange.path.startsWith(pairPath)) return await this.#meet(exchange);
    const { engine, faults, log } = this.#parts;
    const { response } = exchange;
    const body = await receiveBody(exchange.request, 65_536);
    switch (exchange.path) {
      case "/sim/config":
        changeFaultsFrom(body.bytes, faults, response);
        break;
      case "/sim/reset":
        engine.cache.clear();
        sendJson(response, 200, { cleared: true });
        break;
      case "/sim/requests/clear":
        log.clear();
        sendJson(response, 200, { cleared: true });
        break;
      default:
        sendError(response, 404, `no endpoint POST ${exchange.path}`);
    }
  }

  /** Another worker fetches what this one has prefilled. */
  async #meet({ path, response, signal }: Exchange): Promise<void> {
    try {
      await this.#parts.pairing.answer(path.slice(pairPath.length), signal);
      sendJson(response, 200, {});
    } catch (error) {
      signal.throwIfAborted();
      sendError(response, 409, error instanceof Error ? error.message : String(error));
    }
  }

  #get(exchange: Exchange): void {
    const { path, response } = exchange;
    switch (path) {
      case "/health":
        response.writeHead(this.#parts.faults.settings.isHealthy ? 200 : 503).end();
        break;
      case "/metrics":
        response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
        response.end(this.#metricsPage());
        break;
      case "/v1/models":
        sendJson(response, 200, modelList(this.#parts.options.models));
        break;
      case "/sim/config":
        sendJson(response, 200, this.#parts.faults.settings);
        break;
      case "/sim/stats":
        sendJson(response, 200, this.#parts.stats());
        break;
      case "/sim/requests":
        sendJson(response, 200, { requests: this.#lastRequests(exchange.query.get("limit")) });
        break;
      default:
        sendError(response, 404, `no endpoint ${exchange.request.method} ${path}`);
    }
  }

  #lastRequests(limit: string | null): readonly RequestRecord[] {
    return this.#parts.log.last(limit === null ? this.#parts.options.recordedRequests : Number(limit));
  }

  #metricsPage(): string {
    const { engine, metrics } = this.#parts;
    const cacheUsage = engine.cache.blocksInUse / engine.cache.capacityBlocks;
    return metrics.render({ running: engine.running, waiting: engine.waiting, cacheUsage });
  }
}

function outcomeOf(error: unknown, { request, signal }: Exchange): RequestRecord["outcome"] {
  if (error instanceof BodyTooLargeError) return "refused";
  return signal.aborted || !request.complete ? "aborted" : "failed";
}

function changeFaultsFrom(body: Buffer, faults: FaultInjector, response: ServerResponse): void {
  try {
    const changes: unknown = JSON.parse(body.toString("utf8"));
    if (!isRecord(changes)) throw new TypeError("the body must be a JSON object");
    faults.change(changes);
    sendJson(response, 200, faults.settings);
  } catch (error) {
    sendError(response, 400, error instanceof Error ? error.message : String(error));
  }
}

function modelList(models: readonly string[]): object {
  return {
    object: "list",
    data: models.map((id) => ({ id, object: "model", created: 0, owned_by: "sim-worker" })),
  };
}

/** A request to count as one to answer, which must say how long its answer may be; what is to be counted has no answer. @throws JsonSyntaxError */
function asMessage(body: Buffer): Buffer {
  const root = parseJson(body);
  if (!(root instanceof JsonObject) || root.has("max_tokens")) return body;
  return editRoot(body, [], new Map([["max_tokens", Buffer.from("1")]]));
}
