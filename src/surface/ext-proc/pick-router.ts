/** The core as this surface uses it. */
export interface PickRouter {
  /**
   * Picks a worker and books its load: at once where nothing has to be waited for.
   * @throws RoutingError, or rejects with it
   */
  route(request: PickRequest, wait: PickWait): PickDecision | Promise<PickDecision>;
}

/** For a pick that has to wait. */
export interface PickWait {
  /**
   * Aborted when the client has left or the pick's deadline has passed; a decision that comes later is released. Made when it is
   * first asked for: most picks do without.
   */
  readonly signal: AbortSignal;
}

/** One request to place. */
export interface PickRequest {
  /** HTTP path with its query; undefined when the gateway does not send it, or does not show the body: place by load. */
  readonly path: string | undefined;
  readonly headers: PickRequestHeaders;
  /** The whole body; empty when there is none or the gateway does not show it. */
  readonly body: Buffer;
  /** Endpoints the gateway restricts the choice to (`ip`, `ip:port`); undefined = no restriction, empty = none is allowed. */
  readonly subset: readonly string[] | undefined;
  /** Endpoints a conformance test asks for; undefined outside of such tests. */
  readonly requestedEndpoints: readonly string[] | undefined;
  /** Whether body fields that choose a worker are honoured; otherwise they are refused. */
  readonly trustClient: boolean;
}

/** Request headers by lower-case name. */
export interface PickRequestHeaders {
  get(lowerName: string): string | undefined;
  getAll(lowerName: string): readonly string[];
}

/** Where the request goes, and what changes on its way. */
export interface PickDecision {
  /** `ip:port` or `[v6]:port`. */
  readonly endpoint: string;
  /** Next choices, best first; empty when a second choice is not wanted. */
  readonly fallbacks: readonly string[];
  /** Headers to set on the request, lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Byte-exact change of the body; undefined = it goes on as it came. */
  readonly bodyEdit: BodySplice | undefined;
  readonly reservation: PickReservation;
  /** Configured name of the model; undefined when none was recognised. */
  readonly model: string | undefined;
  readonly api: string;
  /** The body with another model's name, of which `bodyEdit` is a change; absent = the client's body goes on. */
  readonly rewrite?: { readonly body: Buffer; readonly requested: string | undefined; readonly target: string };
  readonly inputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** body' = body[0, offset) + insert + body[offset + deleteBytes, end) */
export interface BodySplice {
  readonly offset: number;
  readonly deleteBytes: number;
  /** In parts. */
  readonly insert: readonly Buffer[];
}

/** Load booked for a pick; every method may be called twice and after `release`. */
export interface PickReservation {
  /** The first content byte of the response has come. */
  prefillComplete(): void;
  /** The request is over, however it ended. */
  release(): void;
  /** Moves the load to the worker that served. @returns true when that is not the picked one */
  servedBy(endpoint: string): boolean;
  /** The gateway has tried an endpoint. @param isReached false: it could not connect */
  tried(endpoint: string, isReached: boolean): void;
  /** The worker has told what the request took; absent = nobody asks. */
  used?(usage: {
    readonly inputTokens: number;
    readonly cachedTokens: number | undefined;
    readonly outputTokens: number | undefined;
  }): void;
}
