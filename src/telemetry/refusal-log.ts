import { httpStatusByCode, type RoutingErrorCode } from "../errors/index.ts";
import { ownString } from "../json/index.ts";

/** Which surface refused a request. */
export type RefusingSurface = "ext-proc" | "proxy" | "route-api" | "decisions" | "queue";

/** A request that was answered with an error of the picker's. */
export interface RefusedRequest {
  readonly surface: RefusingSurface;
  readonly code: string;
  /** HTTP status of the answer; absent = that of the code. */
  readonly status?: number | undefined;
  /** The request field at fault; absent when no field is. */
  readonly field?: string | undefined;
  /** What the client was told. */
  readonly message?: string | undefined;
  /** Its `x-request-id`; absent when it has none. */
  readonly requestId?: string | undefined;
}

/** A refusal as it is kept: no prompt text, token ids, hashes or tokens of clients. */
export interface LoggedRefusal {
  /** Counts from 1, by 1. */
  readonly number: number;
  /** When, in ms since 1970. */
  readonly atMs: number;
  readonly surface: RefusingSurface;
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  /** For people; undefined where the message may have something of the request's body. */
  readonly reason: string | undefined;
  readonly requestId: string | undefined;
}

export interface RefusalLogOptions {
  /** Latest refusals kept. 0 = none, they are counted only. Default 256. */
  readonly maxRefusals?: number;
}

/** Codes whose messages are the picker's own words, with the names of models and numbers at most. */
const plainCodes: ReadonlySet<string> = new Set<RoutingErrorCode>([
  "unknown_model",
  "no_endpoints",
  "saturated",
  "queue_timeout",
  "evicted",
  "deadline_exceeded",
  "not_ready",
  "shutting_down",
  "body_too_large",
  "request_timeout",
]);

/** Characters of a client's text that are kept. */
const textLength = 128;
/** Characters of a reason that are kept: the names of some models fit. */
const reasonLength = 512;

/** The latest refusals. Cheap enough for a flood of them. */
export class RefusalLog {
  readonly #most: number;
  readonly #now: () => number;
  /** A ring: of number n at (n - 1) % most. */
  readonly #kept: LoggedRefusal[] = [];
  #count = 0;

  /**
   * @param now ms since 1970
   * @throws RangeError naming the option
   */
  constructor({ maxRefusals = 256 }: RefusalLogOptions, now: () => number) {
    if (!(maxRefusals >= 0)) throw new RangeError(`decisions.maxRefusals must be >= 0, got ${maxRefusals}`);
    this.#most = maxRefusals;
    this.#now = now;
  }

  /** Since the start. */
  get count(): number {
    return this.#count;
  }

  /** Keeps a refusal; the oldest one makes room. */
  add({ surface, code, status, field, message, requestId }: RefusedRequest): void {
    this.#count += 1;
    if (this.#most === 0) return;
    this.#kept[(this.#count - 1) % this.#most] = {
      number: this.#count,
      atMs: this.#now(),
      surface,
      status: status ?? (Object.hasOwn(httpStatusByCode, code) ? httpStatusByCode[code as RoutingErrorCode] : 500),
      code,
      field: kept(field, textLength),
      reason: plainCodes.has(code) ? kept(message, reasonLength) : undefined,
      requestId: kept(requestId, textLength),
    };
  }

  /** The latest first. */
  recent(limit: number): LoggedRefusal[] {
    const listed = Math.min(limit, this.#kept.length);
    return Array.from({ length: listed }, (_, i) => this.#kept[(this.#count - 1 - i) % this.#most] as LoggedRefusal);
  }
}

/** A text as it is kept. It may be a part of a body already, which would be kept alive. */
function kept(text: string | undefined, length: number): string | undefined {
  return text === undefined ? undefined : ownString(text.slice(0, length));
}
