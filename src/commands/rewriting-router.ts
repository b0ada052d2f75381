import {
  type ModelRewrites,
  type PreparedRequest,
  type PrepareWait,
  type RequestHeaders,
  type RewrittenBody,
  type RouteDecision,
  type RouteRequest,
  rewriteModel,
} from "../router/index.ts";
import type { ObservedRouter } from "./observed-router.ts";

/** A decision on a request whose body was changed before: `bodyEdit` is a change of that body. */
export interface RewrittenDecision extends RouteDecision {
  readonly rewrite?: RewrittenBody;
}

/** The router as surfaces use it that read bodies: requests go on under the names that the rules want for their models. */
export class RewritingRouter {
  readonly #router: ObservedRouter;
  readonly #rewrites: ModelRewrites;

  constructor(router: ObservedRouter, rewrites: ModelRewrites) {
    this.#router = router;
    this.#rewrites = rewrites;
  }

  /** As `rewriteModel`: what `prepare` and `admit` are to be given in place of the client's body. */
  rewrite(body: Buffer, headers: RequestHeaders): RewrittenBody | undefined | Promise<RewrittenBody | undefined> {
    return rewriteModel(body, headers, this.#rewrites);
  }

  /** As `Router.route`, under another name. Rejects with the signal's reason when it is aborted before that is known. */
  route(request: RouteRequest, wait: PrepareWait): RewrittenDecision | Promise<RewrittenDecision> {
    const rewrite = this.rewrite(request.body, request.headers);
    if (rewrite instanceof Promise) {
      return rewrite.then((late) => {
        // Whoever has left may have given the body back, to be filled with another's.
        wait.signal.throwIfAborted();
        return this.#routeAs(late, request, wait);
      });
    }
    return this.#routeAs(rewrite, request, wait);
  }

  /** As `Router.prepare`. */
  prepare(request: RouteRequest, wait: PrepareWait): PreparedRequest | Promise<PreparedRequest> {
    return this.#router.prepare(request, wait);
  }

  /** As `Router.admit`. */
  admit(prepared: PreparedRequest, request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    return this.#router.admit(prepared, request, wait);
  }

  #routeAs(
    rewrite: RewrittenBody | undefined,
    request: RouteRequest,
    wait: PrepareWait,
  ): RewrittenDecision | Promise<RewrittenDecision> {
    if (rewrite === undefined) return this.#router.route(request, wait);
    const decision = this.#router.route({ ...request, body: rewrite.body }, wait);
    const named = (late: RouteDecision): RewrittenDecision => ({ ...late, rewrite });
    return decision instanceof Promise ? decision.then(named) : named(decision);
  }
}
