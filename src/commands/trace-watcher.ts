import { RoutingError } from "../errors/index.ts";
import {
  type PickStages,
  type RouteDecision,
  type RouteRequest,
  targetAttributes,
  usageAttributes,
} from "../router/index.ts";
import type { RequestTrace, RequestTracer } from "../telemetry/index.ts";
import type { PickedWatch, RequestWatch, RequestWatcher } from "./request-watch.ts";

/** Makes a trace of each request that comes over ext_proc. */
export class TraceWatcher implements RequestWatcher {
  readonly #tracer: RequestTracer;

  constructor(tracer: RequestTracer) {
    this.#tracer = tracer;
  }

  watch({ headers }: RouteRequest): RequestWatch | undefined {
    const trace = this.#tracer.begin("ext_proc.request", headers);
    return trace && new TracedRequest(trace, headers.get("x-request-id"));
  }
}

class TracedRequest implements RequestWatch {
  readonly #trace: RequestTrace;

  constructor(trace: RequestTrace, requestId: string | undefined) {
    this.#trace = trace;
    trace.span?.set({ "pointsman.request_id": requestId });
  }

  get stages(): PickStages | undefined {
    return this.#trace.span;
  }

  picked(decision: RouteDecision): PickedWatch {
    const { span, headers } = this.#trace;
    if (span === undefined) return { headers, ended: () => undefined };
    span.set(targetAttributes(decision));
    let answer = span.child("prefill");
    return {
      headers,
      firstContent: () => {
        answer.end();
        answer = span.child("generate");
      },
      used: (usage) => span.set(usageAttributes(usage)),
      ended: () => {
        answer.end();
        span.end();
      },
    };
  }

  failed(error: unknown, hasLeft: boolean): void {
    if (hasLeft) this.#trace.span?.end("client_left");
    else this.#trace.span?.end(error instanceof RoutingError ? error.code : "internal");
  }
}
