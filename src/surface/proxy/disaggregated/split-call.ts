import type { WorkerRequest } from "../../../dispatch/index.ts";
import { RoutingError } from "../../../errors/index.ts";
import type { StreamFormat } from "../../../http/index.ts";
import type { PreparedRequest, RouteDecision } from "../../../router/index.ts";
import type { ReceivedRequest } from "../call-context.ts";
import type { WorkerRank } from "./bootstrap.ts";
import type { Legs } from "./legs.ts";
import type { RequestOutline } from "./request-outline.ts";
import { asSplittable, type Splitter } from "./splitter.ts";

/** A request to one worker. */
export type RequestTo = (endpoint: string, headers: RouteDecision["headers"], body: Buffer) => WorkerRequest;

/** One client's request in a fleet whose workers share requests. */
export class SplitCall {
  readonly #request: ReceivedRequest;
  readonly #splitter: Splitter;
  #outline: RequestOutline | undefined;
  #legs: Legs | undefined;
  /** Whether the workers of a pair could not share it. */
  #isAlone = false;

  constructor(request: ReceivedRequest, splitter: Splitter) {
    this.#request = request;
    this.#splitter = splitter;
  }

  /** The endpoint of the worker of the pair by which the attempt failed, or which answers; undefined = one worker does it all. */
  get answering(): string | undefined {
    return this.#legs?.answering;
  }

  /** Reads the request after it has been checked. */
  prepare(check: () => PreparedRequest | Promise<PreparedRequest>): PreparedRequest | Promise<PreparedRequest> {
    const prepared = check();
    return prepared instanceof Promise ? prepared.then((late) => this.#read(late)) : this.#read(prepared);
  }

  /** @throws HttpError 400 for a request that no two workers can share */
  legs(decision: RouteDecision, requestTo: RequestTo): Legs | "alone" | undefined {
    this.#legs = undefined;
    const { format, body, headers } = this.#request;
    if (format === undefined || this.#outline === undefined) return undefined;
    const legs = this.#splitter.legs(decision, {
      format,
      outline: this.#outline,
      body: body.bytes,
      requestId: headers.get("x-request-id"),
      to: (rank, bytes) => requestTo(rank.worker.endpoint, this.#headersOf(rank, decision), bytes),
    });
    this.#isAlone ||= legs === "alone";
    if (legs === "alone") return legs;
    this.#legs = legs;
    return legs;
  }

  /** The routing headers of one of the two workers. An answer that has to be read is not to be compressed. */
  #headersOf({ worker, dpRank }: WorkerRank, decision: RouteDecision): RouteDecision["headers"] {
    const plain = ["accept-encoding", "identity"] as const;
    if (worker.endpoint === decision.endpoint) {
      return this.#outline?.wantsPromptLogprobs === true ? [...decision.headers, plain] : decision.headers;
    }
    return worker.headers.sendsDataParallelRank ? [plain, ["x-data-parallel-rank", String(dpRank)]] : [plain];
  }

  /** Why nobody could be chosen, as its client is told. */
  explained(cause: unknown): unknown {
    if (!this.#isAlone || !(cause instanceof RoutingError) || cause.code !== "no_endpoints") return cause;
    const message = "no two workers can share this request, and none can serve it alone";
    return new RoutingError(message, { code: "no_endpoints", cause });
  }

  #read(prepared: PreparedRequest): PreparedRequest | Promise<PreparedRequest> {
    const { format, isReadable, body } = this.#request;
    if (!isReadable) return prepared;
    if (format === undefined) return asSplittable(prepared, undefined);
    return this.#outlined(prepared, format, this.#splitter.outline(body.bytes, format));
  }

  #outlined(
    prepared: PreparedRequest,
    format: StreamFormat,
    outline: RequestOutline | Promise<RequestOutline>,
  ): PreparedRequest | Promise<PreparedRequest> {
    if (outline instanceof Promise) return outline.then((late) => this.#outlined(prepared, format, late));
    this.#outline = outline;
    return asSplittable(prepared, format);
  }
}
