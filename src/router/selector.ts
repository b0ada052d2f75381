import type { Catalogue, WorkerRole } from "../fleet/index.ts";
import { assertConsistent, type Constraints, overridePickOptions, type PickOptions } from "../pick/index.ts";
import type { EndpointRestriction, Placeable, RouteOverrides } from "./placeable.ts";
import type { Placer } from "./placement.ts";
import type { PhaseChoice, PhaseRules, Selection } from "./selection.ts";

const answeringRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["aggregated", "decode"]);
const prefillRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["prefill"]);

/** The rules of the three phases. */
interface RuleSet {
  readonly aggregated: PhaseRules;
  readonly prefill: PhaseRules;
  readonly decode: PhaseRules;
}

/** Chooses who serves a request: one worker, or a pair. Pure but for the tie-break's dice: nothing is booked. */
export class Selector {
  readonly #catalogue: Catalogue;
  readonly #placer: Placer;
  readonly #options: Required<PickOptions>;
  readonly #rules: RuleSet;

  constructor(catalogue: Catalogue, placer: Placer, options: Required<PickOptions>) {
    this.#catalogue = catalogue;
    this.#placer = placer;
    this.#options = options;
    this.#rules = ruleSet(options, {});
  }

  /** @throws RoutingError no_endpoints, saturated; invalid_request for demands that contradict each other */
  select(subject: Placeable, restriction: EndpointRestriction): Selection {
    const constraints = this.#constraints(subject, restriction);
    const rules = this.#rulesFor(subject.demands.overrides);
    this.#placer.look(subject);
    const prefill = subject.hashes === undefined ? undefined : this.#prefill(subject, constraints, rules.prefill);
    const answeringRules = prefill === undefined ? rules.aggregated : rules.decode;
    const answering = this.#choose(subject, { ...constraints, roles: answeringRoles }, answeringRules);
    return { subject, answering, prefill };
  }

  #choose(subject: Placeable, constraints: Constraints, rules: PhaseRules): PhaseChoice {
    const candidates = this.#placer.candidates(subject, constraints, rules.assumesKvReuse);
    return this.#placer.choose(subject, candidates, rules);
  }

  /** Undefined when nobody can prefill alone: the request is served aggregated then. */
  #prefill(subject: Placeable, base: Constraints, rules: PhaseRules): PhaseChoice | undefined {
    const candidates = this.#placer.candidates(subject, { ...base, roles: prefillRoles }, rules.assumesKvReuse);
    if (!candidates.some((candidate) => candidate.exclusion === undefined)) return undefined;
    return this.#placer.choose(subject, candidates, rules);
  }

  #constraints({ demands }: Placeable, { requestedEndpoints, subset }: EndpointRestriction): Constraints {
    assertConsistent(demands.constraints);
    const entries = requestedEndpoints ?? subset;
    if (entries === undefined) return demands.constraints;
    return { ...demands.constraints, subset: this.#catalogue.matchSubset(entries) };
  }

  #rulesFor(overrides: RouteOverrides | undefined): RuleSet {
    return overrides === undefined ? this.#rules : ruleSet(this.#options, overrides);
  }
}

/** @throws RangeError for a weight out of its range */
function ruleSet(options: Required<PickOptions>, overrides: RouteOverrides): RuleSet {
  const { tracksPrefill = true, assumesKvReuse = true, ...weights } = overrides;
  const base = { tracksPrefill, assumesKvReuse, options: overridePickOptions(options, weights) };
  return {
    aggregated: { ...base, phase: "decode" },
    prefill: { ...base, phase: "prefill" },
    // dynamo@1.6.1: the decode half of a split request neither counts overlap nor shares blocks nor carries prefill load.
    decode: {
      phase: "decode",
      tracksPrefill: false,
      assumesKvReuse: false,
      options: { ...base.options, overlapScoreCredit: 0 },
    },
  };
}
