import { type Choice, explain, type PickExplanation } from "../pick/index.ts";
import type { AggregatedReason } from "./disaggregation.ts";
import type { Placeable, PlaceableApi } from "./placeable.ts";
import type { PhaseChoice, Selection, SessionOutcome } from "./selection.ts";

/** Why a request went where it went. Holds no prompt text, token ids or hashes. */
export interface RouteExplanation {
  readonly api: PlaceableApi;
  readonly model: string | undefined;
  /** Prompt length; undefined when the tokens are not known. */
  readonly promptTokens: number | undefined;
  /** Complete blocks of the prompt; undefined when the tokens are not known. */
  readonly promptBlocks: number | undefined;
  /** Why the choice went by load alone; undefined when the prompt's tokens took part. */
  readonly loadOnlyReason: string | undefined;
  /** The choice of the worker that answers. */
  readonly answering: PickExplanation;
  /** The choice of the worker that prefills, when the two are split. */
  readonly prefill: PickExplanation | undefined;
  /** Why one worker does both; undefined when two share the work. */
  readonly aggregatedReason: AggregatedReason | undefined;
  /** What the request's session had to do with it; undefined = it names none. */
  readonly session: SessionOutcome | undefined;
}

/** A phase that was looked into, whether or not somebody was found. */
export interface ConsideredPhase extends Pick<PhaseChoice, "candidates" | "request" | "rules"> {
  /** Undefined: nobody could be picked. */
  readonly choice: Choice | undefined;
}

/** What an explanation is made from. Of the prompt only its lengths: it may be kept longer than the request. */
export interface Explainable extends Omit<RouteExplanation, "answering" | "prefill"> {
  readonly answering: ConsideredPhase;
  readonly prefill: ConsideredPhase | undefined;
}

/** What is left of a selection once its request is gone. */
export function explainableOf({ subject, answering, prefill, aggregatedReason, session }: Selection): Explainable {
  return { ...lengthsOf(subject), answering, prefill, aggregatedReason, session };
}

/** The same of a request that nobody could take. */
export function refusalOf(
  subject: Placeable,
  answering: ConsideredPhase,
  prefill: ConsideredPhase | undefined,
): Explainable {
  return { ...lengthsOf(subject), answering, prefill, aggregatedReason: undefined, session: undefined };
}

/** Every candidate with its costs, or what kept it out. */
export function explanationOf({ answering, prefill, ...request }: Explainable): RouteExplanation {
  return {
    ...request,
    answering: explainPhase(answering),
    prefill: prefill === undefined ? undefined : explainPhase(prefill),
  };
}

/** Why a selection fell as it did. */
export function explainSelection(selection: Selection): RouteExplanation {
  return explanationOf(explainableOf(selection));
}

function lengthsOf({ api, model, promptTokens, hashes, loadOnlyReason }: Placeable) {
  return { api, model: model?.name, promptTokens, promptBlocks: hashes?.count, loadOnlyReason };
}

function explainPhase({ candidates, request, rules, choice }: ConsideredPhase): PickExplanation {
  return explain(candidates, request, rules.options, choice);
}
