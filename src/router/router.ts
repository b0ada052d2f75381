import type { Catalogue, WorkerId, WorkerRole } from "../fleet/index.ts";
import type { LoadTable, Reservation } from "../load/index.ts";
import { type Constraints, explain, fallbackOrder, type PickExplanation, type PickOptions } from "../pick/index.ts";
import { BookedReservation } from "./booked-reservation.ts";
import type { RouteExplanation } from "./explanation.ts";
import type { ModelRegistry } from "./model-registry.ts";
import { type PhaseChoice, type PhaseRules, Placer } from "./placement.ts";
import { type PreparedRequest, type PrepareOptions, prepareRequest } from "./prepare.ts";
import type { RouteDecision } from "./route-decision.ts";
import type { RouteRequest } from "./route-request.ts";
import { workerHeaders } from "./worker-headers.ts";

export interface RouterOptions extends PrepareOptions {
  readonly pick: Required<PickOptions>;
  /** Most endpoints listed after the picked one; 0 where the gateway takes a single endpoint. */
  readonly maxFallbacks: number;
}

/** What the router looks at. */
export interface RouterState {
  readonly models: ModelRegistry;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  /** Uniform in [0,1). */
  readonly random: () => number;
}

const answeringRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["aggregated", "decode"]);
const prefillRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["prefill"]);

/** The one entry of all surfaces: a request in, a worker out, its load booked. */
export class Router {
  readonly #state: RouterState;
  readonly #options: RouterOptions;
  readonly #placer: Placer;
  readonly #aggregated: PhaseRules;
  readonly #prefill: PhaseRules;
  readonly #decode: PhaseRules;

  constructor(state: RouterState, options: RouterOptions) {
    this.#state = state;
    this.#options = options;
    this.#placer = new Placer(state.catalogue, state.loads, state.random);
    const base = { tracksPrefill: true, assumesKvReuse: true, options: options.pick };
    this.#aggregated = { ...base, phase: "decode" };
    this.#prefill = { ...base, phase: "prefill" };
    // dynamo@1.6.1: the decode half of a split request neither counts overlap nor shares blocks nor carries prefill load.
    this.#decode = {
      phase: "decode",
      tracksPrefill: false,
      assumesKvReuse: false,
      options: { ...options.pick, overlapScoreCredit: 0 },
    };
  }

  /** Tokens and hashes of a request; books nothing. @throws RoutingError */
  prepare(request: RouteRequest): Promise<PreparedRequest> {
    return prepareRequest(request, this.#state.models, this.#options);
  }

  /**
   * Picks a worker and books the request there.
   * @throws RoutingError; rejects with the signal's reason once it is aborted, nothing is booked then
   */
  async route(request: RouteRequest, signal: AbortSignal): Promise<RouteDecision> {
    const prepared = await this.prepare(request);
    signal.throwIfAborted();
    return this.place(prepared, request);
  }

  /** Chooses and books at one instant: no wait between reading the workers' state and charging it. @throws RoutingError */
  place(prepared: PreparedRequest, request: RouteRequest): RouteDecision {
    const constraints = this.#constraints(prepared, request);
    const prefill = prepared.hashes === undefined ? undefined : this.#placePrefill(prepared, constraints);
    try {
      const rules = prefill === undefined ? this.#aggregated : this.#decode;
      const chosen = this.#choose(prepared, { ...constraints, roles: answeringRoles }, rules);
      const booked = this.#placer.book(prepared, chosen, rules);
      return this.#decision(prepared, chosen, booked, prefill);
    } catch (error) {
      prefill?.booked.release();
      throw error;
    }
  }

  /** What `place` would choose, without booking. @throws RoutingError */
  explain(prepared: PreparedRequest, request: RouteRequest): RouteExplanation {
    const constraints = { ...this.#constraints(prepared, request), roles: answeringRoles };
    const chosen = this.#choose(prepared, constraints, this.#aggregated);
    return this.#explanation(prepared, chosen, undefined);
  }

  #choose(prepared: PreparedRequest, constraints: Constraints, rules: PhaseRules): PhaseChoice {
    const candidates = this.#placer.candidates(prepared, constraints, rules.assumesKvReuse);
    return this.#placer.choose(prepared, candidates, rules);
  }

  /** Undefined when nobody can prefill alone: the request is served aggregated then. */
  #placePrefill(
    prepared: PreparedRequest,
    base: Constraints,
  ): { chosen: PhaseChoice; booked: Reservation } | undefined {
    const constraints = { ...base, roles: prefillRoles };
    const candidates = this.#placer.candidates(prepared, constraints, this.#prefill.assumesKvReuse);
    if (!candidates.some((candidate) => candidate.exclusion === undefined)) return undefined;
    const chosen = this.#placer.choose(prepared, candidates, this.#prefill);
    return { chosen, booked: this.#placer.book(prepared, chosen, this.#prefill) };
  }

  #constraints(prepared: PreparedRequest, request: RouteRequest): Constraints {
    const entries = request.requestedEndpoints ?? request.subset;
    const { pinned } = prepared;
    return {
      ...(entries === undefined ? {} : { subset: this.#state.catalogue.matchSubset(entries) }),
      ...(pinned === undefined
        ? {}
        : {
            pinned: {
              workerId: pinned.workerId as WorkerId,
              ...(pinned.dpRank === undefined ? {} : { dpRank: pinned.dpRank }),
            },
          }),
    };
  }

  #decision(
    prepared: PreparedRequest,
    chosen: PhaseChoice,
    booked: Reservation,
    prefill: { chosen: PhaseChoice; booked: Reservation } | undefined,
  ): RouteDecision {
    const { rank } = chosen;
    const profile = prepared.model?.pipeline?.profile;
    const inputTokens = prepared.prompt?.tokenIds.length;
    const source = prefill?.chosen ?? chosen;
    return {
      endpoint: rank.worker.endpoint,
      fallbacks: profile?.offersFallbacks === false ? [] : this.#fallbacks(chosen),
      headers: workerHeaders({ rank, prefill: prefill?.chosen.rank }, profile),
      bodyEdit: prepared.bodyEdit,
      reservation: new BookedReservation(
        this.#state.catalogue,
        { ...chosen, blockSize: prepared.model?.pipeline?.blockSize ?? 0 },
        booked,
        prefill?.booked,
      ),
      api: prepared.api,
      model: prepared.model?.name,
      inputTokens,
      predictedCachedTokens: inputTokens === undefined ? undefined : predictedTokens(prepared, source, inputTokens),
      explain: () => this.#explanation(prepared, chosen, prefill?.chosen),
    };
  }

  #fallbacks(chosen: PhaseChoice): string[] {
    return fallbackOrder(chosen.candidates, chosen.choice, this.#options.maxFallbacks).flatMap(
      (index) => chosen.candidates[index]?.rank.worker.endpoint ?? [],
    );
  }

  #explanation(prepared: PreparedRequest, chosen: PhaseChoice, prefill: PhaseChoice | undefined): RouteExplanation {
    return {
      api: prepared.api,
      model: prepared.model?.name,
      promptTokens: prepared.prompt?.tokenIds.length,
      promptBlocks: prepared.hashes?.count,
      loadOnlyReason: prepared.loadOnlyReason,
      answering: explainPhase(chosen),
      prefill: prefill === undefined ? undefined : explainPhase(prefill),
    };
  }
}

function explainPhase({ candidates, request, options, choice }: PhaseChoice): PickExplanation {
  return explain(candidates, request, options, choice);
}

function predictedTokens(prepared: PreparedRequest, source: PhaseChoice, inputTokens: number): number {
  const blocks = source.candidates[source.choice.chosen]?.deviceBlocks ?? 0;
  return Math.min(inputTokens, blocks * (prepared.model?.pipeline?.blockSize ?? 0));
}
