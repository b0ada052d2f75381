import {
  PickAttempt,
  type PreparedRequest,
  type PrepareWait,
  type RouteDecision,
  type RouteRequest,
} from "../../router/index.ts";
import type { CallContext, ReceivedRequest } from "./call-context.ts";
import type { CallReport } from "./call-report.ts";
import type { SplitCall } from "./disaggregated/split-call.ts";
import { asWhole } from "./disaggregated/splitter.ts";

const noBody = Buffer.alloc(0);

/** Told what came of a choice, once. */
export interface ChoiceOutcome {
  picked(decision: RouteDecision): void;
  failed(cause: unknown): void;
}

/** Chooses workers for one request; what its body says is read once, however many are asked. */
export class WorkerChoice {
  readonly #request: ReceivedRequest;
  readonly #split: SplitCall | undefined;
  readonly #context: CallContext;
  readonly #report: CallReport;
  #prepared: PreparedRequest | undefined;
  #pick: PickAttempt<RouteDecision> | undefined;

  constructor(request: ReceivedRequest, split: SplitCall | undefined, context: CallContext, report: CallReport) {
    this.#request = request;
    this.#split = split;
    this.#context = context;
    this.#report = report;
  }

  /** @param tried endpoints that are not to be asked again */
  choose(tried: readonly string[], outcome: ChoiceOutcome): void {
    const { clock, options } = this.#context;
    this.#pick = new PickAttempt(outcome, clock, options.pickDeadlineMs);
    this.#pick
      .run((wait) => this.#route(this.#routeRequest(tried), this.#report.choosing(wait)))
      ?.catch((cause) => outcome.failed(cause));
  }

  /** From here on one worker has to do all of it. */
  keepWhole(): void {
    this.#prepared = this.#prepared && asWhole(this.#prepared);
  }

  /** Nobody will be chosen any more. */
  forget(): void {
    this.#prepared = undefined;
  }

  /** Ends a choice that is under way. */
  abandon(): void {
    this.#pick?.abandon(undefined);
  }

  #route(request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    const { router } = this.#context;
    if (this.#prepared !== undefined) return router.admit(this.#prepared, request, wait);
    const admit = (prepared: PreparedRequest) => {
      this.#prepared = prepared;
      return router.admit(prepared, request, wait);
    };
    const prepared = this.#split?.prepare(() => router.prepare(request, wait)) ?? router.prepare(request, wait);
    if (!(prepared instanceof Promise)) return admit(prepared);
    return prepared.then((late) => {
      wait.signal.throwIfAborted();
      return admit(late);
    });
  }

  #routeRequest(tried: readonly string[]): RouteRequest {
    const { target, headers, body, isReadable, owner, newRequestId } = this.#request;
    return {
      path: isReadable ? target : undefined,
      headers,
      body: isReadable ? body.bytes : noBody,
      subset: undefined,
      answeringEndpoint: owner,
      requestedEndpoints: undefined,
      trustClient: this.#context.options.trustsClient,
      newRequestId,
      ...(tried.length === 0 ? {} : { triedEndpoints: tried }),
    };
  }
}
