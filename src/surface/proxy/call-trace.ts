import {
  FollowedWait,
  type PrepareWait,
  type RouteDecision,
  targetAttributes,
  usageAttributes,
} from "../../router/index.ts";
import type { TraceSpan } from "../../telemetry/index.ts";

/** Parts of an attempt: until the worker has the connection; until the head of its answer; until content; the rest. */
type AttemptPart = "connect" | "head" | "first_content" | "generate";

/** The spans of one request of the proxy. Each call is harmless at any time. */
export class CallTrace {
  readonly #root: TraceSpan;
  #pick: TraceSpan | undefined;
  #attempt: TraceSpan | undefined;
  #part: TraceSpan | undefined;

  constructor(root: TraceSpan, requestId: string | undefined) {
    this.#root = root;
    root.set({ "pointsman.request_id": requestId });
  }

  /** A worker is chosen from here on. @returns the same wait, with the parts of the work followed */
  choosing(wait: PrepareWait): PrepareWait {
    this.#pick?.end();
    this.#pick = this.#root.child("pick");
    return new FollowedWait(wait, this.#pick);
  }

  picked(decision: RouteDecision): void {
    this.#pick?.end();
    this.#pick = undefined;
    this.#root.set(targetAttributes(decision));
    this.#attempt = this.#root.child("attempt");
    this.#attempt.set({ "pointsman.endpoint": decision.endpoint });
    this.#next("connect");
  }

  sent(): void {
    this.#next("head");
  }

  began(status: number): void {
    this.#root.set({ "http.response.status_code": status });
    this.#attempt?.set({ "http.response.status_code": status });
    this.#next("first_content");
  }

  content(): void {
    this.#next("generate");
  }

  /** The attempt is over. @param errorCode absent = it went well */
  attempted(errorCode?: string): void {
    this.#part?.end(errorCode);
    this.#attempt?.end(errorCode);
    this.#part = undefined;
    this.#attempt = undefined;
  }

  used(usage: Parameters<typeof usageAttributes>[0]): void {
    this.#root.set(usageAttributes(usage));
  }

  /** The request is over; the first call counts. @param errorCode absent = it went well */
  end(errorCode?: string): void {
    this.#pick?.end(errorCode);
    this.attempted(errorCode);
    this.#root.end(errorCode);
  }

  #next(part: AttemptPart): void {
    if (this.#attempt === undefined) return;
    this.#part?.end();
    this.#part = this.#attempt.child(part);
  }
}
