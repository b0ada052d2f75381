import type { WorkerRequest } from "../../dispatch/index.ts";
import type { RouteDecision } from "../../router/index.ts";
import type { ReceivedRequest } from "./call-context.ts";

/**
 * A client's request as it goes to a worker.
 * @param set headers that take the place of the client's
 */
export function workerRequest(
  { method, target, headers, newRequestId, trace }: ReceivedRequest,
  endpoint: string,
  set: RouteDecision["headers"],
  body: Buffer,
): WorkerRequest {
  const named = newRequestId === undefined ? set : [...set, ["x-request-id", newRequestId] as const];
  const own = trace === undefined ? named : [...named, ...trace.headers];
  return {
    endpoint,
    method,
    path: target,
    headers: headers.forwarded(own),
    body: body.length === 0 ? undefined : body,
  };
}
