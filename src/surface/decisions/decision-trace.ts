import {
  FollowedWait,
  type PrepareWait,
  type RouteDecision,
  targetAttributes,
  usageAttributes,
} from "../../router/index.ts";
import type { RequestTrace, TraceSpan } from "../../telemetry/index.ts";
import { decisionErrorOf } from "./fault-of.ts";
import type { CallHeaders } from "./request-id.ts";

/** What the trace of a request is read and continued by. */
const contextHeaders = ["traceparent", "tracestate"] as const;

/** The spans of one decision; without a trace nothing happens. */
export class DecisionTrace {
  /** Names and values in turn: what goes to the worker with each question, so that its spans belong to the trace. */
  readonly lines: readonly string[];
  readonly #span: TraceSpan | undefined;

  /** @param trace undefined = it is not recorded; the client's context goes on as it came */
  constructor(trace: RequestTrace | undefined, headers: CallHeaders, requestId: string) {
    const own = new Map(trace?.headers);
    this.lines = contextHeaders.flatMap((name) => {
      const value = own.get(name) ?? headers.get(name);
      return value === undefined || value === "" ? [] : [name, value];
    });
    this.#span = trace?.span;
    this.#span?.set({ "pointsman.request_id": requestId });
  }

  /** Does a part of the work. */
  during<T>(part: string, work: () => Promise<T>): Promise<T> {
    return this.#span === undefined ? work() : this.#span.during(part, work);
  }

  /** Picks a worker. */
  async picking(
    signal: AbortSignal,
    pick: (wait: PrepareWait) => RouteDecision | Promise<RouteDecision>,
  ): Promise<RouteDecision> {
    if (this.#span === undefined) return pick({ signal });
    const part = this.#span.child("pick");
    try {
      const decision = await pick(new FollowedWait({ signal }, part));
      this.#span.set(targetAttributes(decision));
      part.end();
      return decision;
    } catch (cause) {
      part.end(decisionErrorOf(cause).fault);
      throw cause;
    }
  }

  /** What the worker has counted for all questions. */
  used(usage: Parameters<typeof usageAttributes>[0]): void {
    this.#span?.set(usageAttributes(usage));
  }

  /** It is answered. @param fault absent = with a decision */
  end(status: number, fault?: string): void {
    this.#span?.set({ "http.response.status_code": status });
    this.#span?.end(fault);
  }
}
