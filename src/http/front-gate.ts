import type { ServerResponse } from "node:http";
import type { ApiKey, ApiKeys } from "./api-keys.ts";
import type { BodyIntake, HeldBody } from "./body-intake.ts";
import type { ClientAnswer } from "./client-answer.ts";
import type { Cors } from "./cors.ts";
import { HttpError } from "./error-answer.ts";
import { invite, type UnreadBody } from "./unread-body.ts";

export interface FrontGateOptions {
  /** Requests under way at one time. */
  readonly maxRequests: number;
  /** Whether pages of other origins may be told that they may call. */
  readonly answersPreflights: boolean;
}

export interface FrontGateParts<K extends ApiKey> {
  readonly keys: ApiKeys<K>;
  readonly cors: Cors;
  readonly intake: BodyIntake;
  readonly options: FrontGateOptions;
}

/** A request at the gate. */
export interface GateVisit extends UnreadBody {
  readonly method: string;
  readonly headers: { get(lowerName: string): string | undefined };
}

/** What a path and method stand for, as far as the gate cares. */
export interface GateRoute {
  /** `health` needs no key; `unknown` and `wrong-method` are refused. */
  readonly kind: string;
  /** The methods that are served, of a `wrong-method`. */
  readonly allowed?: string;
}

/** One that is served at present. */
interface RunningCall {
  /** Ends it in the middle. */
  abandon(): void;
}

/** Stands before every front: who may call, how many at one time, what runs. What is served behind it is the front's own. */
export class FrontGate<K extends ApiKey = ApiKey> {
  readonly #parts: FrontGateParts<K>;
  readonly #calls = new Set<RunningCall>();
  #running = 0;
  #isClosing = false;
  /** Whether what the front works with is there. */
  isReady = false;

  constructor(parts: FrontGateParts<K>) {
    this.#parts = parts;
  }

  /** Requests under way. */
  get running(): number {
    return this.#running;
  }

  /** From here on each answer ends its connection. */
  closeConnections(): void {
    this.#isClosing = true;
  }

  /** Ends what runs, in the middle. */
  abandonAll(): void {
    for (const call of [...this.#calls]) call.abandon();
  }

  /** Header lines that each answer to a page of this origin gets, names and values in turn. */
  linesFor(origin: string | undefined): string[] {
    const lines = [...this.#parts.cors.lines(origin)];
    if (this.#isClosing) lines.push("connection", "close");
    return lines;
  }

  /** Answers a preflight request. @returns whether it was one */
  answersPreflight({ method, headers, client }: GateVisit): boolean {
    const { cors, options } = this.#parts;
    if (method !== "OPTIONS" || !options.answersPreflights) return false;
    if (headers.get("access-control-request-method") === undefined) return false;
    client.preflight(cors.preflight(headers.get("origin"), headers.get("access-control-request-headers")));
    return true;
  }

  /** @param isUp whether what the front works with can be reached */
  answerHealth(client: ClientAnswer, isUp = true): void {
    const isServing = this.isReady && !this.#isClosing && isUp;
    client.own(isServing ? 200 : 503, [], JSON.stringify({ status: isServing ? "ok" : "not ready" }));
  }

  /**
   * Lets a request in, and counts it until `response` closes.
   * @returns whose key it has; undefined when no key is needed
   * @throws HttpError 401, 404, 405 or 429
   */
  enter(route: GateRoute, { headers }: GateVisit, response: ServerResponse): K | undefined {
    const { keys, options } = this.#parts;
    const allowance = keys.areNeeded ? keys.allowanceOf(headers) : undefined;
    if (route.kind === "unknown") throw new HttpError(404, "not_found", "this path is not served");
    if (route.kind === "wrong-method") {
      throw new HttpError(405, "method_not_allowed", "this method is not served here", { allow: route.allowed ?? "" });
    }
    if (this.#running >= options.maxRequests) {
      throw new HttpError(429, "saturated", `${this.#running} requests are under way, no more are taken`);
    }
    allowance?.begin();
    this.#running += 1;
    response.once("close", () => {
      allowance?.end();
      this.#running -= 1;
    });
    return allowance?.key;
  }

  /**
   * Reads the body of a request that was let in.
   * @param done called once, with what was read by then; the body is the caller's to release
   * @throws HttpError 415
   */
  read(visit: GateVisit, done: (error: HttpError | undefined, body: HeldBody) => void): void {
    const encoding = visit.headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      throw new HttpError(415, "unsupported_media_type", "encoded bodies are not read");
    }
    this.#parts.intake.read(visit.request, done, visit.awaitsInvitation ? () => invite(visit) : undefined);
  }

  /** Has `abandonAll` end it, until it is done. @returns to be called when it is */
  track(call: RunningCall): () => void {
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }
}
