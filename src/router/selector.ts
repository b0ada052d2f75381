import { RoutingError } from "../errors/index.ts";
import type { Catalogue, WorkerRank, WorkerRole } from "../fleet/index.ts";
import {
  type AffinityOptions,
  assertConsistent,
  type Constraints,
  choosePair,
  estimatedCachedTokens,
  type Favoured,
  favour,
  type PairPhase,
  type PhaseOutcome,
  type PickOptions,
  passOverCrowded,
} from "../pick/index.ts";
import { type AggregatedReason, type DisaggregationOptions, isLocalPrefill } from "./disaggregation.ts";
import type { ConsideredPhase } from "./explanation.ts";
import { type PhaseRuleSet, phaseRuleSet } from "./phase-rules.ts";
import { type EndpointRestriction, isDemanding, type Placeable, type RouteOverrides } from "./placeable.ts";
import type { Placer } from "./placement.ts";
import type { PhaseChoice, PhaseRules, Selection, SessionOutcome } from "./selection.ts";
import type { Sessions } from "./sessions.ts";

const answeringRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["aggregated", "decode"]);
const decodeRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["decode"]);
const prefillRoles: ReadonlySet<WorkerRole> = new Set<WorkerRole>(["prefill"]);

export interface SelectorOptions {
  readonly pick: Required<PickOptions>;
  readonly disaggregation: Required<DisaggregationOptions>;
  readonly affinity: AffinityOptions;
}

/** What the selector looks at beside the workers' load. */
export interface SelectorState {
  readonly catalogue: Catalogue;
  readonly sessions: Sessions;
  readonly random: () => number;
}

/** One request on its way through the choice. */
interface Question {
  readonly subject: Placeable;
  readonly constraints: Constraints;
  /** The workers that may answer; undefined = any. */
  readonly owners: Constraints["subset"];
  readonly rules: PhaseRuleSet;
  /** Where the request's session was served last. */
  readonly bound: { readonly answering: WorkerRank; readonly prefill: WorkerRank | undefined } | undefined;
  readonly considered: Considered;
}

/** The candidates of each part, as they were last looked at. */
export interface Considered {
  answering?: ConsideredPhase;
  prefill?: ConsideredPhase;
}

/** Chooses who serves a request: one worker, or a pair. Pure but for the tie-break's dice: nothing is booked. */
export class Selector {
  readonly #state: SelectorState;
  readonly #placer: Placer;
  readonly #options: SelectorOptions;
  readonly #rules: PhaseRuleSet;

  constructor(state: SelectorState, placer: Placer, options: SelectorOptions) {
    this.#state = state;
    this.#placer = placer;
    this.#options = options;
    this.#rules = phaseRuleSet(options.pick, {});
  }

  /**
   * @param considered receives what was looked into, for the explanation of a refusal
   * @throws RoutingError no_endpoints, saturated; invalid_request for demands that contradict each other
   */
  select(subject: Placeable, restriction: EndpointRestriction, considered: Considered): Selection {
    const bound = this.#state.sessions.find(subject);
    const question = {
      subject,
      constraints: this.#constraints(subject, restriction),
      owners: this.#ownersIn(restriction),
      rules: this.#rulesFor(subject.demands.overrides),
      bound,
      considered,
    };
    this.#placer.look(subject);
    const split = this.#trySplit(question);
    const chosen =
      typeof split === "string"
        ? { answering: this.#alone(question), prefill: undefined, aggregatedReason: split }
        : { ...split, aggregatedReason: undefined };
    return { subject, ...chosen, session: this.#sessionOutcome(question, chosen.answering.rank) };
  }

  /** Whether only some workers of its model could take the request, so that its refusal says nothing of others'. */
  isPicky({ demands }: Placeable, restriction: EndpointRestriction): boolean {
    const { subset, requestedEndpoints, triedEndpoints, answeringEndpoint } = restriction;
    const { disaggregation } = this.#options;
    const isConditional = disaggregation.maxLocalPrefillTokens > 0 && this.#state.catalogue.hasRole("prefill");
    const isRestricted = [subset, requestedEndpoints, triedEndpoints, answeringEndpoint].some(
      (each) => each !== undefined,
    );
    return isConditional || isDemanding(demands) || isRestricted;
  }

  #alone(question: Question): PhaseChoice {
    const { subject, rules, bound } = question;
    const { api, demands } = subject;
    const prefill = demands.split === "prefill_only" ? this.#prefillPool(question) : undefined;
    if (prefill !== undefined) return this.#placer.choose(subject, prefill, rules.prefill);
    const isAlone = api !== "promptless" || demands.split === "by_load";
    const pool = this.#pool(isAlone ? alone(question) : question, answeringRoles, rules.aggregated, bound?.answering);
    return this.#placer.choose(subject, pool, rules.aggregated);
  }

  /** The pair that serves the request, or why one worker does. */
  #trySplit(question: Question): Pick<Selection, "answering" | "prefill"> | AggregatedReason {
    const { api, demands } = question.subject;
    if (api === "promptless" && demands.split !== "by_load") return "no_prompt";
    if (demands.isAggregated === true) return "asked_for";
    const prefill = this.#prefillPool(question);
    if (prefill === undefined) return "no_prefill_worker";
    if (this.#staysLocal(question)) return "short_prefill";
    try {
      return this.#pair(question, prefill);
    } catch (error) {
      const isForced = demands.pinnedPrefill !== undefined;
      if (!isForced && error instanceof RoutingError && error.code === "no_endpoints") return "no_pair";
      throw error;
    }
  }

  /** Undefined when nobody can prefill alone. A pool that is only too busy is not given up: its work would bury the others. */
  #prefillPool(question: Question): Favoured | undefined {
    if (!this.#state.catalogue.hasRole("prefill")) return undefined;
    const { pinned: _answering, ...rest } = question.constraints;
    const { pinnedPrefill } = question.subject.demands;
    const constraints = pinnedPrefill === undefined ? rest : { ...rest, pinned: pinnedPrefill };
    const { rules, bound } = question;
    const pool = this.#pool({ ...question, constraints }, prefillRoles, rules.prefill, bound?.prefill);
    return isPossible(pool) || pinnedPrefill !== undefined ? pool : undefined;
  }

  #staysLocal(question: Question): boolean {
    const { disaggregation } = this.#options;
    const { subject, rules, bound } = question;
    const { promptTokens } = subject;
    if (disaggregation.maxLocalPrefillTokens === 0 || promptTokens === undefined) return false;
    const pool = this.#pool(alone(question), answeringRoles, rules.aggregated, bound?.answering);
    if (!pool.candidates.some(({ exclusion }) => exclusion === undefined)) return false;
    const { picked, request } = this.#placer.choose(subject, pool, rules.aggregated);
    const cachedTokens = estimatedCachedTokens(picked, request.blockSize, rules.aggregated.options);
    return isLocalPrefill(promptTokens, cachedTokens, disaggregation);
  }

  #pair(question: Question, prefillPool: Favoured): Pick<Selection, "answering" | "prefill"> {
    const { subject, rules } = question;
    const prefill = this.#phase(subject, prefillPool, rules.prefill);
    const decode = this.#phase(subject, this.#decodePool(question), rules.decode);
    const pair = choosePair(prefill, decode, this.#options.disaggregation.topology, this.#state.random);
    return {
      prefill: phaseChoice(pair.prefill, prefill, rules.prefill),
      answering: phaseChoice(pair.decode, decode, rules.decode),
    };
  }

  /** Workers that only decode, where there are any: one that does both may not take a prompt from another. */
  #decodePool(question: Question): Favoured {
    const { rules, bound } = question;
    const own = this.#pool(question, decodeRoles, rules.decode, bound?.answering);
    return isPossible(own) ? own : this.#pool(question, answeringRoles, rules.decode, bound?.answering);
  }

  #phase(subject: Placeable, pool: Favoured, rules: PhaseRules): PairPhase {
    return { ...pool, request: this.#placer.request(subject, rules), options: rules.options };
  }

  #pool(
    { subject, constraints, owners, considered }: Question,
    roles: ReadonlySet<WorkerRole>,
    rules: PhaseRules,
    bound: WorkerRank | undefined,
  ): Favoured {
    const own = owners === undefined || roles === prefillRoles ? { roles } : { roles, subset: owners };
    const candidates = this.#placer.candidates(subject, { ...constraints, ...own }, rules);
    const favoured = favour(candidates, bound, this.#options.affinity);
    const pool = { ...favoured, candidates: passOverCrowded(favoured.candidates, rules.options) };
    considered[roles === prefillRoles ? "prefill" : "answering"] = {
      candidates: pool.candidates,
      request: this.#placer.request(subject, rules),
      rules,
      choice: undefined,
    };
    return pool;
  }

  #constraints({ demands }: Placeable, restriction: EndpointRestriction): Constraints {
    assertConsistent(demands.constraints);
    const { requestedEndpoints, subset, triedEndpoints } = restriction;
    const { catalogue } = this.#state;
    const entries = requestedEndpoints ?? subset;
    if (entries === undefined && triedEndpoints === undefined) return demands.constraints;
    return {
      ...demands.constraints,
      ...(entries === undefined ? {} : { subset: catalogue.matchSubset(entries) }),
      ...(triedEndpoints === undefined ? {} : { tried: catalogue.matchSubset(triedEndpoints) }),
    };
  }

  #ownersIn({ answeringEndpoint }: EndpointRestriction): Constraints["subset"] {
    return answeringEndpoint === undefined ? undefined : this.#state.catalogue.matchSubset([answeringEndpoint]);
  }

  #sessionOutcome({ subject, bound }: Question, picked: WorkerRank): SessionOutcome | undefined {
    if (subject.session === undefined || this.#options.affinity.mode === "off") return undefined;
    if (bound === undefined) return "new";
    return bound.answering === picked ? "kept" : "moved";
  }

  #rulesFor(overrides: RouteOverrides | undefined): PhaseRuleSet {
    return overrides === undefined ? this.#rules : phaseRuleSet(this.#options.pick, overrides);
  }
}

/** The question of who serves it without a worker that prefills. */
function alone(question: Question): Question {
  return { ...question, constraints: { ...question.constraints, isAlone: true } };
}

/** Whether anybody could do it, now or once the load is less. */
function isPossible({ candidates }: Favoured): boolean {
  return candidates.some(({ exclusion }) => exclusion === undefined || exclusion === "overloaded");
}

function phaseChoice({ candidates, choice }: PhaseOutcome, { request }: PairPhase, rules: PhaseRules): PhaseChoice {
  const picked = candidates[choice.chosen];
  if (picked === undefined) throw new Error("the choice is outside of the candidates");
  return { candidates, choice, picked, rank: picked.rank, request, rules };
}
