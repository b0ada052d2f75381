import type { ParsedRequest } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import type { WorkerId } from "../fleet/index.ts";
import { JsonNumber, JsonObject } from "../json/index.ts";
import type { PinnedWorker } from "../pick/index.ts";
import { noDemands, type RouteDemands } from "./placeable.ts";

/**
 * Refuses body fields that choose a worker: a client that may write them could aim load at one machine.
 * @throws RoutingError invalid_request, naming the field
 */
export function refuseClientPins(parsed: ParsedRequest): void {
  const [field] = parsed.clientPins;
  if (field === undefined) return;
  throw new RoutingError(`\`${field}\` chooses a worker and is not accepted from clients`, {
    code: "invalid_request",
    field,
  });
}

/** What a trusted client's body demands of the choice. */
export function trustedDemandsOf(parsed: ParsedRequest): RouteDemands {
  const pinned = pinnedWorkerOf(parsed);
  return pinned === undefined ? noDemands : { constraints: { pinned }, overrides: undefined };
}

/** The worker pinned by `nvext.decode_worker_id` or `nvext.backend_instance_id`; undefined when the body pins none. */
function pinnedWorkerOf(parsed: ParsedRequest): PinnedWorker | undefined {
  const nvext = parsed.api === "promptless" ? undefined : parsed.root.get("nvext");
  if (!(nvext instanceof JsonObject)) return undefined;
  const id = nvext.get("decode_worker_id") ?? nvext.get("backend_instance_id");
  if (!(id instanceof JsonNumber)) return undefined;
  const rank = nvext.get("dp_rank");
  return {
    workerId: id.toBigInt() as WorkerId,
    ...(rank instanceof JsonNumber ? { dpRank: rank.toNumber() } : {}),
  };
}
