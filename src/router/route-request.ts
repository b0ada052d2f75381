/** Request headers as a surface received them; names are lower-case. */
export interface RequestHeaders {
  /** First value of a header, or undefined. */
  get(lowerName: string): string | undefined;
  /** Every value of a header, in order; empty when absent. */
  getAll(lowerName: string): readonly string[];
}

/** One request to route, whatever protocol brought it. */
export interface RouteRequest {
  /** The HTTP path with its query, as the client sent it; undefined when the surface does not know it. */
  readonly path: string | undefined;
  readonly headers: RequestHeaders;
  /** The whole body; empty for a request that has only headers. */
  readonly body: Buffer;
  /**
   * Endpoints the caller restricts the choice to (`ip`, `ip:port`); undefined = no restriction, empty = nothing is allowed.
   * Source: the endpoint-picker protocol's subset hint.
   */
  readonly subset: readonly string[] | undefined;
  /** Endpoints a conformance test asks for; undefined outside of such tests. */
  readonly requestedEndpoints: readonly string[] | undefined;
  /** Whether body fields that choose a worker are honoured; otherwise they are refused. */
  readonly trustClient: boolean;
}
