import { errorAnswer, type HttpCall, type Operation } from "../http/index.ts";
import type { RefusalLog } from "../telemetry/index.ts";

/** Operations that tell of a worker: what they refuse is a request without one. */
const placing: ReadonlySet<string> = new Set(["route", "routeAndReserve", "select", "selectAndReserve"]);

/** The operations, of which those that place requests tell of what they refuse. */
export function tellingRefusals(
  operations: readonly Operation[],
  refusals: Pick<RefusalLog, "add">,
): readonly Operation[] {
  return operations.map((operation) => {
    if (!placing.has(operation.id)) return operation;
    const handle = async (call: HttpCall) => {
      try {
        return await operation.handle(call);
      } catch (error) {
        if (!call.signal.aborted) tell(error, call, refusals);
        throw error;
      }
    };
    return { ...operation, handle };
  });
}

function tell(error: unknown, { headers }: HttpCall, refusals: Pick<RefusalLog, "add">): void {
  const { code, status } = errorAnswer(error, 1);
  const { message, field } = error as { readonly message?: string; readonly field?: string };
  const requestId = [headers["x-request-id"] ?? []].flat()[0];
  refusals.add({ surface: "route-api", code, status, field, message, requestId });
}
