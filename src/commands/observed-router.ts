import { performance } from "node:perf_hooks";
import type {
  Placeable,
  PreparedRequest,
  PrepareWait,
  RouteDecision,
  RouteRequest,
  Router,
  ScoringRouter,
  Selection,
} from "../router/index.ts";
import type { ChosenRequest, Logger, RequestMetrics } from "../telemetry/index.ts";
import { logPick } from "./pick-log.ts";
import { type RequestWatcher, WatchedPick } from "./request-watch.ts";

/** The router as surfaces use it in a running picker: the same picks, measured and, at level debug, explained. */
export class ObservedRouter {
  readonly #router: Router;
  readonly #metrics: RequestMetrics;
  readonly #log: Logger;
  readonly #watchers: readonly RequestWatcher[];

  /** @param watchers follow what comes by `route` or `admit`; default: nobody does */
  constructor(router: Router, metrics: RequestMetrics, log: Logger, watchers: readonly RequestWatcher[] = []) {
    this.#router = router;
    this.#metrics = metrics;
    this.#log = log;
    this.#watchers = watchers;
  }

  /** As `Router.route`. */
  route(request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    if (this.#watchers.length === 0) return this.#route(request, wait);
    return this.#watched((followed) => this.#route(request, followed), request, wait);
  }

  #watched(
    pick: (wait: PrepareWait) => RouteDecision | Promise<RouteDecision>,
    request: RouteRequest,
    wait: PrepareWait,
  ): RouteDecision | Promise<RouteDecision> {
    const watched = WatchedPick.of(this.#watchers, request);
    if (watched === undefined) return pick(wait);
    const failed = (error: unknown): never => {
      watched.failed(error, wait.signal.aborted);
      throw error;
    };
    let decision: RouteDecision | Promise<RouteDecision>;
    try {
      decision = pick(watched.waitOf(wait));
    } catch (error) {
      return failed(error);
    }
    return decision instanceof Promise
      ? decision.then((late) => watched.picked(late), failed)
      : watched.picked(decision);
  }

  #route(request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    const prepared = this.prepare(request, wait);
    if (!(prepared instanceof Promise)) return this.#admit(prepared, request, wait);
    return prepared.then((late) => {
      wait.signal.throwIfAborted();
      return this.#admit(late, request, wait);
    });
  }

  /** As `Router.prepare`. */
  prepare(request: RouteRequest, wait: PrepareWait): PreparedRequest | Promise<PreparedRequest> {
    const startMs = performance.now();
    const finish = (prepared: PreparedRequest) => {
      this.#metrics.stage("prepare", performance.now() - startMs);
      return prepared;
    };
    const prepared = this.#router.prepare(request, wait);
    return prepared instanceof Promise ? prepared.then(finish) : finish(prepared);
  }

  /** As `Router.admit`. A request that is picked for again, on another worker, is followed as another one. */
  admit(subject: Placeable, request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    if (this.#watchers.length === 0) return this.#admit(subject, request, wait);
    return this.#watched((followed) => this.#admit(subject, request, followed), request, wait);
  }

  /** As `Router.bookBeside`: no choice is made, and none is counted. */
  bookBeside(...booking: Parameters<ScoringRouter["bookBeside"]>): ReturnType<ScoringRouter["bookBeside"]> {
    return this.#router.bookBeside(...booking);
  }

  #admit(subject: Placeable, request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    const startMs = performance.now();
    const finish = (decision: RouteDecision) => this.#observed(decision, subject, startMs);
    const decision = this.#router.admit(subject, request, wait);
    return decision instanceof Promise ? decision.then(finish) : finish(decision);
  }

  #observed(decision: RouteDecision, subject: Placeable, startMs: number): RouteDecision {
    this.#metrics.stage("select", performance.now() - startMs);
    this.#metrics.chosen(chosenOf(decision.selection));
    // A prompt that came as tokens is exact, also where nobody can hold any of it.
    const isExact = subject.api === "given" && subject.promptTokens !== undefined;
    if (!isExact && subject.loadOnlyReason !== undefined) {
      this.#metrics.inexact(decision.model, subject.loadOnlyReason);
    }
    logPick(this.#log, decision, { requestId: subject.requestId });
    return decision;
  }
}

/** What is counted of a choice. */
export function chosenOf({ subject, answering, prefill, session, aggregatedReason }: Selection): ChosenRequest {
  const { deviceBlocks, hostBlocks, diskBlocks } = (prefill ?? answering).picked;
  return {
    model: subject.model?.name,
    promptBlocks: subject.hashes?.count,
    heldBlocks: deviceBlocks + hostBlocks + diskBlocks,
    session,
    aggregatedReason,
  };
}
