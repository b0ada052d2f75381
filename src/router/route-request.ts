import type { EndpointRestriction } from "./placeable.ts";

/** Request headers as a surface received them; names are lower-case. */
export interface RequestHeaders {
  /** First value of a header, or undefined. */
  get(lowerName: string): string | undefined;
  /** Every value of a header, in order; empty when absent. */
  getAll(lowerName: string): readonly string[];
}

/** One request to route, whatever protocol brought it. */
export interface RouteRequest extends EndpointRestriction {
  /** The HTTP path with its query, as the client sent it; undefined when the surface does not know it. */
  readonly path: string | undefined;
  readonly headers: RequestHeaders;
  /** The id that the surface gave the request because it came without one; undefined = `x-request-id` has it. */
  readonly newRequestId?: string | undefined;
  /** The whole body; empty for a request that has only headers. */
  readonly body: Buffer;
  /** Whether body fields that choose a worker are honoured; otherwise they are refused. */
  readonly trustClient: boolean;
}
