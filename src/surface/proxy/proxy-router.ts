import type {
  PreparedRequest,
  PrepareWait,
  RequestHeaders,
  RewrittenBody,
  RouteDecision,
  RouteRequest,
} from "../../router/index.ts";

/** The core as this surface uses it. */
export interface ProxyRouter {
  /** A body under the name that its model goes on as; undefined = it stays as it is. */
  rewrite(body: Buffer, headers: RequestHeaders): RewrittenBody | undefined | Promise<RewrittenBody | undefined>;
  /** Tokens and hashes of a request; books nothing. @throws RoutingError, or rejects with it */
  prepare(request: RouteRequest, wait: PrepareWait): PreparedRequest | Promise<PreparedRequest>;
  /** Picks a worker and books the request there. @throws RoutingError, or rejects with it */
  admit(prepared: PreparedRequest, request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision>;
}

/** Where this surface tells how workers do, by their endpoints. */
export interface WorkerReports {
  /** No connection came about. */
  unreachable(endpoint: string): void;
  /** It broke off, or another worker could answer what it could not. */
  failed(endpoint: string): void;
  /** It answered. */
  answered(endpoint: string): void;
}
