import { RoutingError } from "../errors/index.ts";
import type { Catalogue, WorkerRole } from "../fleet/index.ts";
import {
  assertConsistent,
  type Candidate,
  type Constraints,
  choosePair,
  estimatedCachedTokens,
  type PairPhase,
  type PhaseOutcome,
  type PickOptions,
} from "../pick/index.ts";
import { type AggregatedReason, type DisaggregationOptions, isLocalPrefill } from "./disaggregation.ts";
import { type PhaseRuleSet, phaseRuleSet } from "./phase-rules.ts";
import type { EndpointRestriction, Placeable, RouteOverrides } from "./placeable.ts";
import type { Placer } from "./placement.ts";
import type { PhaseChoice, PhaseRules, Selection } from "./selection.ts";

const answeringRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["aggregated", "decode"]);
const decodeRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["decode"]);
const prefillRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["prefill"]);

export interface SelectorOptions {
  readonly pick: Required<PickOptions>;
  readonly disaggregation: Required<DisaggregationOptions>;
}

/** Chooses who serves a request: one worker, or a pair. Pure but for the tie-break's dice: nothing is booked. */
export class Selector {
  readonly #catalogue: Catalogue;
  readonly #placer: Placer;
  readonly #options: SelectorOptions;
  readonly #rules: PhaseRuleSet;
  readonly #random: () => number;

  constructor(catalogue: Catalogue, placer: Placer, options: SelectorOptions, random: () => number) {
    this.#catalogue = catalogue;
    this.#placer = placer;
    this.#options = options;
    this.#rules = phaseRuleSet(options.pick, {});
    this.#random = random;
  }

  /** @throws RoutingError no_endpoints, saturated; invalid_request for demands that contradict each other */
  select(subject: Placeable, restriction: EndpointRestriction): Selection {
    const constraints = this.#constraints(subject, restriction);
    const rules = this.#rulesFor(subject.demands.overrides);
    this.#placer.look(subject);
    const split = this.#trySplit(subject, constraints, rules);
    if (typeof split !== "string") return { subject, ...split, aggregatedReason: undefined };
    const answering = this.#alone(subject, constraints, rules.aggregated);
    return { subject, answering, prefill: undefined, aggregatedReason: split };
  }

  #alone(subject: Placeable, constraints: Constraints, rules: PhaseRules): PhaseChoice {
    const candidates = this.#candidates(subject, constraints, answeringRoles, rules);
    return this.#placer.choose(subject, candidates, rules);
  }

  /** The pair that serves the request, or why one worker does. */
  #trySplit(
    subject: Placeable,
    constraints: Constraints,
    rules: PhaseRuleSet,
  ): Pick<Selection, "answering" | "prefill"> | AggregatedReason {
    if (subject.api === "promptless") return "no_prompt";
    if (subject.demands.isAggregated === true) return "asked_for";
    const prefill = this.#prefillCandidates(subject, constraints, rules.prefill);
    if (prefill === undefined) return "no_prefill_worker";
    if (this.#staysLocal(subject, constraints, rules.aggregated)) return "short_prefill";
    try {
      return this.#pair(subject, prefill, constraints, rules);
    } catch (error) {
      const isForced = subject.demands.pinnedPrefill !== undefined;
      if (!isForced && error instanceof RoutingError && error.code === "no_endpoints") return "no_pair";
      throw error;
    }
  }

  /** Undefined when nobody can prefill alone. A pool that is only too busy is not given up: its work would bury the others. */
  #prefillCandidates(subject: Placeable, base: Constraints, rules: PhaseRules): readonly Candidate[] | undefined {
    const { pinned: _answering, ...rest } = base;
    const { pinnedPrefill } = subject.demands;
    const constraints = pinnedPrefill === undefined ? rest : { ...rest, pinned: pinnedPrefill };
    if (!this.#catalogue.hasRole("prefill")) return undefined;
    const candidates = this.#candidates(subject, constraints, prefillRoles, rules);
    const isPossible = candidates.some(({ exclusion }) => exclusion === undefined || exclusion === "overloaded");
    return isPossible || pinnedPrefill !== undefined ? candidates : undefined;
  }

  #staysLocal(subject: Placeable, constraints: Constraints, rules: PhaseRules): boolean {
    const { disaggregation } = this.#options;
    const { promptTokens } = subject;
    if (disaggregation.maxLocalPrefillTokens === 0 || promptTokens === undefined) return false;
    const candidates = this.#candidates(subject, constraints, answeringRoles, rules);
    if (!candidates.some(({ exclusion }) => exclusion === undefined)) return false;
    const { picked, request } = this.#placer.choose(subject, candidates, rules);
    const cachedTokens = estimatedCachedTokens(picked, request.blockSize, rules.options);
    return isLocalPrefill(promptTokens, cachedTokens, disaggregation);
  }

  #pair(
    subject: Placeable,
    prefillCandidates: readonly Candidate[],
    constraints: Constraints,
    rules: PhaseRuleSet,
  ): Pick<Selection, "answering" | "prefill"> {
    const prefill = this.#phase(subject, prefillCandidates, rules.prefill);
    const decode = this.#phase(subject, this.#decodeCandidates(subject, constraints, rules.decode), rules.decode);
    const pair = choosePair(prefill, decode, this.#options.disaggregation.topology, this.#random);
    return {
      prefill: phaseChoice(pair.prefill, prefill, rules.prefill),
      answering: phaseChoice(pair.decode, decode, rules.decode),
    };
  }

  /** Workers that only decode, where there are any: one that does both may not take a prompt from another. */
  #decodeCandidates(subject: Placeable, constraints: Constraints, rules: PhaseRules): readonly Candidate[] {
    const own = this.#candidates(subject, constraints, decodeRoles, rules);
    if (own.some(({ exclusion }) => exclusion === undefined || exclusion === "overloaded")) return own;
    return this.#candidates(subject, constraints, answeringRoles, rules);
  }

  #phase(subject: Placeable, candidates: readonly Candidate[], rules: PhaseRules): PairPhase {
    return { candidates, request: this.#placer.request(subject, rules), options: rules.options };
  }

  #candidates(
    subject: Placeable,
    constraints: Constraints,
    roles: ReadonlySet<WorkerRole>,
    rules: PhaseRules,
  ): readonly Candidate[] {
    return this.#placer.candidates(subject, { ...constraints, roles }, rules);
  }

  #constraints({ demands }: Placeable, { requestedEndpoints, subset }: EndpointRestriction): Constraints {
    assertConsistent(demands.constraints);
    const entries = requestedEndpoints ?? subset;
    if (entries === undefined) return demands.constraints;
    return { ...demands.constraints, subset: this.#catalogue.matchSubset(entries) };
  }

  #rulesFor(overrides: RouteOverrides | undefined): PhaseRuleSet {
    return overrides === undefined ? this.#rules : phaseRuleSet(this.#options.pick, overrides);
  }
}

function phaseChoice({ candidates, choice }: PhaseOutcome, { request }: PairPhase, rules: PhaseRules): PhaseChoice {
  const picked = candidates[choice.chosen];
  if (picked === undefined) throw new Error("the choice is outside of the candidates");
  return { candidates, choice, picked, rank: picked.rank, request, rules };
}
