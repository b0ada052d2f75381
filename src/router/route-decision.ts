import type { BodyEdit } from "../json/index.ts";
import type { Lease, LeasedLoad } from "../load/index.ts";
import type { RouteExplanation } from "./explanation.ts";
import type { PlaceableApi } from "./placeable.ts";
import type { Selection } from "./selection.ts";

/** The load booked for one routed request. Every method is idempotent and harmless after `release`. */
export interface RouteReservation extends LeasedLoad {
  /** The first content byte came back: the prompt is prefilled. */
  prefillComplete(): void;
  /** The request is over, however it ended. */
  release(): void;
  /**
   * Tells which endpoint served the request; the load moves there when it is another worker's.
   * @returns true when the endpoint is not the picked one
   */
  servedBy(endpoint: string): boolean;
  /** The request was sent to an endpoint. @param isReached false: nobody answered there */
  tried(endpoint: string, isReached: boolean): void;
  /** The worker has told what the request took; absent = nobody asks. */
  used?(usage: UsedTokens): void;
}

/** Token counts that a worker reported; undefined where it does not tell. */
export interface UsedTokens {
  readonly inputTokens: number;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

/** Where a request goes, and what to change on its way there. */
export interface RouteTarget {
  /** `ip:port` (or `[v6]:port`) of the picked worker. */
  readonly endpoint: string;
  /** Endpoints to try next, best first; empty when the profile forbids a second choice. */
  readonly fallbacks: readonly string[];
  /** Routing headers to set on the request, lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The byte-exact change of the body, or undefined: the body goes on as it came. */
  readonly bodyEdit: BodyEdit | undefined;
  readonly api: PlaceableApi;
  /** Name of the configured model that was routed to; undefined when the request names none. */
  readonly model: string | undefined;
  /** Prompt length in tokens; undefined when the tokens are not known. */
  readonly inputTokens: number | undefined;
  /** Prompt tokens that the picked worker is believed to hold; undefined when the tokens are not known. */
  readonly predictedCachedTokens: number | undefined;
  readonly selection: Selection;
  /** Why this worker: every candidate with its costs. Built on demand; holds no prompt content. */
  explain(): RouteExplanation;
}

/** A target whose load is booked for as long as the surface holds the request. */
export interface RouteDecision extends RouteTarget {
  readonly reservation: RouteReservation;
}

/** A target whose load is booked for a caller that answers by the lease's id. */
export interface LeasedDecision extends RouteTarget {
  readonly lease: Lease;
}
