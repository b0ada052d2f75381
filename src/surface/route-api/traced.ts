import { RoutingError } from "../../errors/index.ts";
import type { HttpAnswer, HttpCall } from "../../http/index.ts";
import type { PrepareWait, RouteTarget } from "../../router/index.ts";
import { targetAttributes } from "../../router/index.ts";
import type { RequestTrace, RequestTracer } from "../../telemetry/index.ts";

/** Does an operation's work in a trace, if its call is to be in one. */
export async function traced(
  tracer: RequestTracer | undefined,
  name: string,
  { headers }: HttpCall,
  work: (trace: RequestTrace | undefined) => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const trace = tracer?.begin(name, { getAll: (header) => [headers[header] ?? []].flat() });
  if (trace?.span === undefined) return work(trace);
  try {
    const answer = await work(trace);
    trace.span.end();
    return answer;
  } catch (error) {
    trace.span.end(error instanceof RoutingError ? error.code : "invalid_request");
    throw error;
  }
}

/** Does the choice as a part of the trace. @returns the target with the headers that take the trace to the worker */
export function chosenIn<T extends RouteTarget>(trace: RequestTrace | undefined, choose: () => T): T {
  if (trace === undefined) return choose();
  const target = trace.span === undefined ? choose() : trace.span.during("score", choose);
  trace.span?.set(targetAttributes(target));
  return { ...target, headers: [...target.headers, ...trace.headers] };
}

/** A wait that follows the parts of the work; undefined = the request is not recorded. */
export function waitIn(trace: RequestTrace | undefined, call: HttpCall): PrepareWait | undefined {
  return trace?.span && { signal: call.signal, stages: trace.span };
}
