import { routingConstraintsOf } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import type { WorkerId } from "../fleet/index.ts";
import { JsonNumber, JsonObject } from "../json/index.ts";
import type { PinnedWorker } from "../pick/index.ts";
import { noDemands, type RouteDemands } from "./placeable.ts";

/**
 * Refuses body fields that choose a worker: a client that may write them could aim load at one machine.
 * @throws RoutingError invalid_request, naming the field
 */
export function refuseClientPins({ clientPins }: { readonly clientPins: readonly string[] }): void {
  const [field] = clientPins;
  if (field === undefined) return;
  throw new RoutingError(`\`${field}\` chooses a worker and is not accepted from clients`, {
    code: "invalid_request",
    field,
  });
}

/**
 * What a trusted client's body demands of the choice: workers, or properties of them.
 * @throws RoutingError invalid_request, naming the field
 */
export function trustedDemandsOf({ root }: { readonly root?: JsonObject | undefined }): RouteDemands {
  if (root === undefined) return noDemands;
  const constraints = routingConstraintsOf(root);
  const nvext = root.get("nvext");
  if (!(nvext instanceof JsonObject)) return noDemands;
  const decode = pinOf(nvext, "decode_worker_id", "dp_rank");
  const backend = pinOf(nvext, "backend_instance_id", "dp_rank");
  const prefill = pinOf(nvext, "prefill_worker_id", "prefill_dp_rank");
  const pinned = decode ?? backend;
  refuseLoneRank(nvext, pinned);
  return {
    constraints: { ...constraints, ...(pinned === undefined ? {} : { pinned }) },
    overrides: undefined,
    ...(prefill === undefined ? {} : { pinnedPrefill: prefill }),
    // dynamo@1.6.1: a backend instance serves the whole request.
    isAggregated: prefill === undefined && decode === undefined && backend !== undefined,
  };
}

/** A rank is one of a worker's (the Dynamo 1.6.1 frontend refuses one alone, but for prefill). */
function refuseLoneRank(nvext: JsonObject, pinned: PinnedWorker | undefined): void {
  if (pinned !== undefined || wholeNumber(nvext, "dp_rank") === undefined) return;
  const field = "nvext.dp_rank";
  throw new RoutingError(`\`${field}\` is given without a worker`, { code: "invalid_request", field });
}

function pinOf(nvext: JsonObject, idField: string, rankField: string): PinnedWorker | undefined {
  const workerId = wholeNumber(nvext, idField);
  if (workerId === undefined) return undefined;
  const dpRank = wholeNumber(nvext, rankField);
  return { workerId: workerId as WorkerId, ...(dpRank === undefined ? {} : { dpRank: Number(dpRank) }) };
}

/** Read anew, since not every API's body is checked member by member. */
function wholeNumber(nvext: JsonObject, name: string): bigint | undefined {
  const value = nvext.get(name);
  if (value === undefined || value === null) return undefined;
  if (value instanceof JsonNumber && value.isInteger) return value.toBigInt();
  const field = `nvext.${name}`;
  throw new RoutingError(`\`${field}\` must be a whole number`, { code: "invalid_request", field });
}
