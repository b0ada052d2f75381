import type { ServerResponse } from "node:http";
import { type Clock, HttpError, inTurns, type Turns } from "../../http/index.ts";
import { withSecurity } from "./answer.ts";
import type { ConsoleSource } from "./console-source.ts";
import { drained } from "./drained.ts";
import { serveEvents } from "./event-reader.ts";
import { sendInTurns } from "./send-in-turns.ts";
import type { StateFeed } from "./state-feed.ts";
import { listParts } from "./state-text.ts";
import type { ConsoleTelemetry } from "./telemetry.ts";

/** What is asked of the API. */
export type ConsoleRoute =
  | { readonly kind: "state" }
  | { readonly kind: "events" }
  | { readonly kind: "picks"; readonly query: URLSearchParams }
  | { readonly kind: "pick"; readonly id: string };

export interface ConsoleApiOptions {
  /** Most readers of events at one time. */
  readonly maxReaders: number;
  /** How long a client may read nothing of an answer, ms; then it is cut. */
  readonly clientStallTimeoutMs: number;
}

export interface ConsoleApiParts {
  readonly source: ConsoleSource;
  readonly feed: StateFeed;
  readonly telemetry: ConsoleTelemetry;
  readonly clock: Clock;
  readonly turns: Turns;
}

const defaultLimit = 50;
const maxLimit = 1_000;
/** Characters of a request's id that are kept. */
const idLength = 128;

/** The route of a path under `/api/`; undefined = there is none. */
export function consoleRouteOf(path: string, query: URLSearchParams): ConsoleRoute | undefined {
  if (path === "/api/state") return { kind: "state" };
  if (path === "/api/events") return { kind: "events" };
  if (path === "/api/picks") return { kind: "picks", query };
  const [, id] = /^\/api\/picks\/((?:\d{1,4}-)?\d{1,15})$/.exec(path) ?? [];
  return id === undefined ? undefined : { kind: "pick", id };
}

/** Answers what is asked of the API. */
export class ConsoleApi {
  readonly #parts: ConsoleApiParts;
  readonly #options: ConsoleApiOptions;
  readonly #closing = new AbortController();
  #readers = 0;

  constructor(parts: ConsoleApiParts, options: ConsoleApiOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Readers of events. */
  get readers(): number {
    return this.#readers;
  }

  /** Ends all streams of events after what they have, and begins no others. */
  close(): void {
    this.#closing.abort();
  }

  /** Rejects with HttpError for a refusal. */
  async answer(route: ConsoleRoute, response: ServerResponse): Promise<void> {
    const { source, feed, turns } = this.#parts;
    if (route.kind === "state") await this.#send(response, (await feed.current()).pieces);
    else if (route.kind === "events") await this.#events(response);
    else if (route.kind === "picks") {
      await this.#send(response, inTurns(listParts(await source.picks(...picksAsked(route.query))), turns));
    } else await this.#explain(route.id, response);
  }

  /** Resolves when an answer that has ended is taken; a client that does not is cut. */
  async taken(response: ServerResponse): Promise<void> {
    await drained(response, this.#options.clientStallTimeoutMs, this.#parts.clock);
  }

  async #events(response: ServerResponse): Promise<void> {
    const { feed, clock, telemetry, turns } = this.#parts;
    if (this.#closing.signal.aborted) throw new HttpError(503, "shutting_down", "the process is about to end");
    if (this.#readers >= this.#options.maxReaders) {
      telemetry.refused("readers");
      const message = `${this.#readers} readers are connected, no more are taken (admin.maxReaders)`;
      throw new HttpError(429, "saturated", message, { "retry-after": "5" });
    }
    this.#readers += 1;
    try {
      await serveEvents(response, feed, this.#options, clock, turns, this.#closing.signal);
    } finally {
      this.#readers -= 1;
    }
  }

  async #explain(id: string, response: ServerResponse): Promise<void> {
    const { source, turns } = this.#parts;
    const parts = await source.explain(id);
    if (parts === undefined) throw new HttpError(404, "not_found", "no such decision is kept");
    await this.#send(response, inTurns(parts, turns));
  }

  /** An answer of JSON that no cache keeps. */
  async #send(response: ServerResponse, pieces: Parameters<typeof sendInTurns>[1]): Promise<void> {
    const { clock, turns } = this.#parts;
    response.writeHead(200, withSecurity({ "content-type": "application/json", "cache-control": "no-store" }));
    if (await sendInTurns(response, pieces, this.#options, clock, turns)) response.end();
  }
}

/** @throws HttpError */
function picksAsked(query: URLSearchParams): [limit: number, requestId: string | undefined] {
  const given = query.get("limit") ?? String(defaultLimit);
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > maxLimit) {
    throw new HttpError(400, "invalid_request", `limit must be a whole number from 1 to ${maxLimit}`);
  }
  return [limit, query.get("requestId")?.slice(0, idLength)];
}
