import { RoutingError } from "../errors/index.ts";
import type { Catalogue, WorkerRank } from "../fleet/index.ts";
import {
  type AdmissionQueue,
  type Lease,
  type LeaseTable,
  type LoadTable,
  LoadView,
  noThresholds,
  type Reservation,
} from "../load/index.ts";
import { type Candidate, fallbackOrder, type SessionTable } from "../pick/index.ts";
import { BookedReservation } from "./booked-reservation.ts";
import type { DecisionLog } from "./decision-log.ts";
import { type Elsewhere, type PrepareWait, prepareAnywhere } from "./elsewhere.ts";
import { explainableOf, explainSelection, refusalOf } from "./explanation.ts";
import { flowOf } from "./flow.ts";
import type { ModelRegistry } from "./model-registry.ts";
import type { PickStages } from "./pick-stages.ts";
import { type EndpointRestriction, keptRequestId, type Placeable } from "./placeable.ts";
import { Placer } from "./placement.ts";
import { type PreparedRequest, type PrepareOptions, prepareInputOf } from "./prepare.ts";
import type { LeasedDecision, RouteDecision, RouteTarget } from "./route-decision.ts";
import type { RouteRequest } from "./route-request.ts";
import { type PhaseChoice, predictedCachedTokens, type Selection } from "./selection.ts";
import { type Considered, Selector, type SelectorOptions } from "./selector.ts";
import type { SentPrompts } from "./sent-prompts.ts";
import { sessionOf } from "./session.ts";
import { Sessions } from "./sessions.ts";
import { workerHeaders } from "./worker-headers.ts";

export interface RouterOptions extends PrepareOptions, SelectorOptions {
  /** Most endpoints listed after the picked one; 0 where the gateway takes a single endpoint. */
  readonly maxFallbacks: number;
  /** Prepares what would hold this thread for too long; undefined = everything is prepared here. */
  readonly elsewhere?: Elsewhere;
  readonly admission: AdmissionOptions;
}

/** Who goes first when all workers are too busy. */
export interface AdmissionOptions {
  /** Priority by the name of the objective that a request's header gives. */
  readonly priorities: Pick<ReadonlyMap<string, number>, "get">;
}

/** All requests are equal. */
export const noAdmission: AdmissionOptions = { priorities: new Map() };

/** What the router looks at. */
export interface RouterState {
  readonly models: ModelRegistry;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  /** Load beyond what was booked, and when it is too much; absent = what was booked is all there is. */
  readonly view?: LoadView;
  readonly leases: LeaseTable;
  /** Where sessions were served. */
  readonly sessions: SessionTable;
  readonly sentPrompts?: SentPrompts;
  /** Where requests wait while all workers are too busy; absent = they are refused then. */
  readonly queue?: AdmissionQueue;
  /** Keeps what was decided; absent = nothing is kept. */
  readonly decisions?: DecisionLog;
  /** Uniform in [0,1). */
  readonly random: () => number;
}

/**
 * The one entry of all surfaces: a request in, a worker out. `prepare` may wait; `select`, `book` and `lease` do not, so that
 * a choice and its booking are one step.
 */
export class Router {
  readonly #state: RouterState;
  readonly #options: RouterOptions;
  readonly #placer: Placer;
  readonly #sessions: Sessions;
  readonly #selector: Selector;

  constructor(state: RouterState, options: RouterOptions) {
    this.#state = state;
    this.#options = options;
    const view = state.view ?? new LoadView(state.loads, noThresholds, { now: () => 0 });
    this.#placer = new Placer(state.catalogue, state.loads, view, state.random);
    this.#sessions = new Sessions(state.catalogue, state.sessions, options.affinity);
    this.#selector = new Selector({ ...state, sessions: this.#sessions }, this.#placer, options);
  }

  /**
   * Tokens and hashes of a request; books nothing. At once where nothing has to be waited for.
   * @throws RoutingError, or rejects with it or with the signal's reason
   */
  prepare(request: RouteRequest, wait?: PrepareWait): PreparedRequest | Promise<PreparedRequest> {
    const finish = (prepared: PreparedRequest): PreparedRequest => ({
      ...prepared,
      session: sessionOf(request.headers),
      requestId: keptRequestId(request.newRequestId ?? request.headers.get("x-request-id")),
    });
    const prepared = prepareAnywhere(prepareInputOf(request), this.#state.models, this.#options, wait);
    return prepared instanceof Promise ? prepared.then(finish) : finish(prepared);
  }

  /**
   * Picks a worker and books the request there.
   * @throws RoutingError; rejects with the signal's reason once it is aborted, nothing is booked then
   */
  async route(request: RouteRequest, signal: AbortSignal): Promise<RouteDecision> {
    const prepared = await this.prepare(request, { signal });
    signal.throwIfAborted();
    return this.admit(prepared, request, { signal });
  }

  /**
   * As `place`; waits while all workers that could take the request are too busy, where a queue is set up.
   * @throws RoutingError as `place`, queue_timeout, evicted, or rejects with it, or with the signal's reason once it is aborted while it
   *   waits. A decision may come after an abort: the caller releases it
   */
  admit(subject: Placeable, request: RouteRequest, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    const { queue } = this.#state;
    const { stages } = wait;
    if (queue === undefined) return this.place(subject, request, stages);
    const admit = () => this.#admitByQueue(queue, subject, request, wait);
    return stages === undefined ? admit() : stages.during("wait", admit);
  }

  async #admitByQueue(
    queue: AdmissionQueue,
    subject: Placeable,
    request: RouteRequest,
    { signal, stages }: PrepareWait,
  ): Promise<RouteDecision> {
    const { priority, fairnessId } = flowOf(request.headers, this.#options.admission.priorities);
    const pool = subject.model?.name ?? "";
    const isPicky = this.#selector.isPicky(subject, request);
    const considered: Considered = {};
    const place = () => this.#followed(() => this.#selector.select(subject, request, considered), stages);
    try {
      return await queue.admit({ priority, flow: `${fairnessId}\n${pool}`, pool, isPicky, place }, signal);
    } catch (error) {
      this.#logRefusal(subject, considered, error);
      throw error;
    }
  }

  /** Chooses and books at one instant: no wait between reading the workers' state and charging it. @throws RoutingError */
  place(subject: Placeable, restriction: EndpointRestriction, stages?: PickStages): RouteDecision {
    return this.#followed(() => this.select(subject, restriction), stages);
  }

  #followed(select: () => Selection, stages: PickStages | undefined): RouteDecision {
    if (stages === undefined) return this.book(select());
    const selection = stages.during("score", select);
    return stages.during("book", () => this.book(selection));
  }

  /** Where the request would go; books nothing and changes nothing. @throws RoutingError */
  select(subject: Placeable, restriction: EndpointRestriction): Selection {
    const considered: Considered = {};
    try {
      return this.#selector.select(subject, restriction, considered);
    } catch (error) {
      this.#logRefusal(subject, considered, error);
      throw error;
    }
  }

  #logRefusal(subject: Placeable, { answering, prefill }: Considered, error: unknown): void {
    if (!(error instanceof RoutingError) || answering === undefined) return;
    this.#state.decisions?.add(subject.requestId, error.code, refusalOf(subject, answering, prefill));
  }

  /**
   * Books a selection for as long as the surface holds the request.
   * @throws RoutingError no_endpoints when a selected worker is gone meanwhile, saturated when too many are booked
   */
  book(selection: Selection): RouteDecision {
    return { ...this.targetOf(selection), reservation: this.#book(selection) };
  }

  /**
   * Books a selection for a caller, under a lease.
   * @param id the caller's own; absent = one is made
   * @throws RoutingError as `book`; reservation_conflict when the id is held
   */
  lease(selection: Selection, id?: string): LeasedDecision {
    const lease = this.#state.leases.open(() => this.#book(selection), id);
    return { ...this.targetOf(selection), lease };
  }

  /**
   * Chooses and books for a caller, in one step, unless its id is held.
   * @throws RoutingError as `lease`, before anything is chosen where the id or the number of leases forbids it; as `select` throws
   */
  leaseChosen(select: () => Selection, id?: string): LeasedDecision {
    let selection: Selection | undefined;
    const lease = this.#state.leases.open(() => {
      selection = select();
      return this.#book(selection);
    }, id);
    if (selection === undefined) throw new Error("a lease was opened without its load");
    return { ...this.targetOf(selection), lease };
  }

  /** Every rank of the request's model with its state, whether or not it may serve the request. Changes nothing. */
  candidates(subject: Placeable): readonly Candidate[] {
    this.#placer.look(subject);
    const { constraints, overrides } = subject.demands;
    return this.#placer.candidates(subject, constraints, { assumesKvReuse: overrides?.assumesKvReuse ?? true });
  }

  /**
   * Books a prompt on a rank that its caller chose, under a lease.
   * @param rankOf finds the rank, once the id and the number of leases allow it; what it throws is passed on
   * @param prefillTokens what the rank has yet to prefill of it
   * @throws RoutingError as `lease`
   */
  leaseOn(rankOf: () => WorkerRank, subject: Placeable, prefillTokens: number, id?: string): Lease {
    return this.#state.leases.open(() => {
      const rank = rankOf();
      const booked = this.#placer.bookOn(rank, subject, prefillTokens);
      this.#tellSentTo(rank, subject);
      return booked;
    }, id);
  }

  /**
   * Books one more prompt on the rank of a selection, without a choice: for work that shares its cache there.
   * @param prefillTokens what the rank has yet to prefill of it
   * @throws RoutingError no_endpoints when that worker is gone; saturated when too many are booked
   */
  bookBeside({ answering }: Selection, subject: Placeable, prefillTokens: number): Reservation {
    if (!this.#placer.isPresent(answering.rank)) {
      throw new RoutingError("the selected worker is gone", { code: "no_endpoints" });
    }
    return this.#placer.bookOn(answering.rank, subject, prefillTokens);
  }

  /** A selection as the request's way: endpoint, headers, change of the body. */
  targetOf(selection: Selection): RouteTarget {
    const { subject, answering, prefill } = selection;
    const profile = subject.model?.pipeline?.profile;
    return {
      endpoint: answering.rank.worker.endpoint,
      fallbacks: profile?.offersFallbacks === false ? [] : this.#fallbacks(answering),
      headers: workerHeaders({ rank: answering.rank, prefill: prefill?.rank }, profile),
      bodyEdit: subject.bodyEdit,
      api: subject.api,
      model: subject.model?.name,
      inputTokens: subject.promptTokens,
      predictedCachedTokens: predictedCachedTokens(selection),
      selection,
      explain: () => explainSelection(selection),
    };
  }

  /** Both halves of a pair, or nothing. */
  #book(selection: Selection): BookedReservation {
    const { subject, answering, prefill } = selection;
    if (!this.#placer.isPresent(answering.rank) || (prefill !== undefined && !this.#placer.isPresent(prefill.rank))) {
      throw new RoutingError("the selected worker is gone", { code: "no_endpoints" });
    }
    const prefillBooking = prefill === undefined ? undefined : this.#placer.book(subject, prefill);
    try {
      const main = this.#placer.book(subject, answering);
      this.#tellSent(subject, answering, prefill);
      this.#state.decisions?.add(subject.requestId, "picked", explainableOf(selection));
      const bookings = { main, prefill: prefillBooking, session: this.#sessions.use(selection) };
      return new BookedReservation(this.#state.catalogue, answering, bookings);
    } catch (error) {
      prefillBooking?.release();
      throw error;
    }
  }

  #tellSent(subject: Placeable, ...phases: (PhaseChoice | undefined)[]): void {
    for (const phase of phases) if (phase !== undefined) this.#tellSentTo(phase.rank, subject);
  }

  #tellSentTo(rank: WorkerRank, { hashes, model }: Placeable): void {
    if (hashes !== undefined && model !== undefined) this.#state.sentPrompts?.onSent(rank, model, hashes);
  }

  #fallbacks({ candidates, choice }: PhaseChoice): string[] {
    const { maxFallbacks } = this.#options;
    if (maxFallbacks === 0) return [];
    return fallbackOrder(candidates, choice, maxFallbacks).flatMap(
      (index) => candidates[index]?.rank.worker.endpoint ?? [],
    );
  }
}
