import type { RequestApi } from "../api/index.ts";
import { type BodyEdit, ownStart } from "../json/index.ts";
import type { BlockHashes } from "../kv/index.ts";
import type { Constraints, PickOverrides, PinnedWorker } from "../pick/index.ts";
import type { ServedModel } from "./model-registry.ts";
import type { RouteSession } from "./session.ts";

/** What a request demands of the choice, beside its prompt. */
export interface RouteDemands {
  /** Demands on the worker, `pinned` on the one that answers; roles, the gateway's subset and what was tried are the router's to add. */
  readonly constraints: Omit<Constraints, "roles" | "subset" | "tried" | "isAlone">;
  /** The request's own weights; undefined = as configured. */
  readonly overrides: RouteOverrides | undefined;
  /** The worker that has to prefill, when the request is split. */
  readonly pinnedPrefill?: PinnedWorker;
  /** The worker that answers also prefills. Default false: the router decides. */
  readonly isAggregated?: boolean;
  /** `by_load`: a request without a known prompt is split as well; `prefill_only`: it is work of one prefill worker, where there is one. */
  readonly split?: "by_load" | "prefill_only";
}

/** What one request may change of how it is chosen and charged. */
export interface RouteOverrides extends PickOverrides {
  /** Whether the prompt's uncached tokens count and are charged. */
  readonly tracksPrefill?: boolean;
  /** Whether blocks equal to a running request's count and are charged once. */
  readonly assumesKvReuse?: boolean;
}

/** Demands of a request that has none. */
export const noDemands: RouteDemands = { constraints: {}, overrides: undefined };

/** Whether they can keep a request from any worker. */
export function isDemanding({ constraints, pinnedPrefill, isAggregated }: RouteDemands): boolean {
  return Object.keys(constraints).length > 0 || pinnedPrefill !== undefined || isAggregated === true;
}

/** A request id of more characters is kept cut off: a client chooses it. */
const maxRequestIdLength = 128;

/** A request's id as it is kept. */
export function keptRequestId(requestId: string | undefined): string | undefined {
  return requestId === undefined ? undefined : ownStart(requestId, maxRequestIdLength);
}

/** What a request speaks; `given` is a prompt that its caller tokenized or hashed. */
export type PlaceableApi = RequestApi | "given";

/** A request as the choice sees it, whoever computed its tokens and hashes. */
export interface Placeable {
  readonly api: PlaceableApi;
  /** Undefined: placed by load among the workers of every model. */
  readonly model: ServedModel | undefined;
  /** Prompt length; undefined when it is not known. */
  readonly promptTokens: number | undefined;
  /** The prompt's complete blocks; undefined when the choice goes by load alone. */
  readonly hashes: BlockHashes | undefined;
  /** What running requests' blocks are counted by, where that is not `hashes.sequence`: two u32 a block, as many. */
  readonly loadSequence?: Uint32Array;
  /** The byte-exact change of the body that goes with the choice. */
  readonly bodyEdit: BodyEdit | undefined;
  /** Why the choice goes by load alone, or why tokens are not claimed. */
  readonly loadOnlyReason: string | undefined;
  readonly demands: RouteDemands;
  /** `x-request-id`, for the log of decisions; absent = it has none. */
  readonly requestId?: string | undefined;
  /** The conversation that it belongs to; absent = none is known. */
  readonly session?: RouteSession | undefined;
}

/** To which endpoints the caller restricts the choice. */
export interface EndpointRestriction {
  /** `ip` or `ip:port`; undefined = no restriction, empty = nothing is allowed. Source: the endpoint-picker protocol's subset hint. */
  readonly subset: readonly string[] | undefined;
  /** Endpoints a conformance test asks for; they take the place of `subset`. */
  readonly requestedEndpoints: readonly string[] | undefined;
  /** Endpoints that have failed the request and are not asked again, as `subset`; absent = none. */
  readonly triedEndpoints?: readonly string[];
  /** The endpoint of the only worker that can answer, whoever prefills for it; absent = any. */
  readonly answeringEndpoint?: string | undefined;
}
