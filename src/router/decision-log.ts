import type { RoutingErrorCode } from "../errors/index.ts";
import { type ConsideredPhase, type Explainable, explanationOf, type RouteExplanation } from "./explanation.ts";
import type { PlaceableApi } from "./placeable.ts";

/** How much is kept. */
export interface DecisionLogOptions {
  /** Latest decisions kept. 0 = none. Default 256. */
  readonly maxDecisions?: number;
  /** Candidates kept with them, summed over all decisions: beyond it the oldest decisions go. Default 65 536. */
  readonly maxCandidates?: number;
}

/** A decision, without its reasons. Holds no prompt text, token ids or hashes. */
export interface DecisionSummary {
  /** Counts from 1, by 1. */
  readonly number: number;
  /** When, in ms since 1970. */
  readonly atMs: number;
  /** The request's `x-request-id`; undefined when it has none. Cut off at 128 characters. */
  readonly requestId: string | undefined;
  /** `picked`, or the code of the refusal. */
  readonly outcome: "picked" | RoutingErrorCode;
  readonly api: PlaceableApi;
  readonly model: string | undefined;
  /** Prompt length; undefined when the tokens are not known. */
  readonly promptTokens: number | undefined;
  /** Complete blocks of the prompt; undefined when the tokens are not known. */
  readonly promptBlocks: number | undefined;
  /** Of these, the leading ones that the worker that prefills was believed to hold, in any tier; undefined when not known, or nobody was picked. */
  readonly heldBlocks: number | undefined;
  /** Who answers; undefined when nobody was picked. */
  readonly picked: DecidedRank | undefined;
  /** Who prefills for it; undefined when nobody else does. */
  readonly prefill: DecidedRank | undefined;
}

/** A rank as it was called when it was picked. */
export interface DecidedRank {
  readonly workerId: bigint;
  readonly workerName: string;
  readonly dpRank: number;
  readonly endpoint: string;
}

/** A decision and why it fell so. Holds no prompt text, token ids or hashes. */
export interface LoggedDecision extends DecisionSummary {
  readonly explanation: RouteExplanation;
}

interface Entry extends Pick<DecisionSummary, "number" | "atMs" | "requestId" | "outcome"> {
  readonly explainable: Explainable;
  readonly candidates: number;
}

/** The latest decisions. Keeping one copies nothing: its explanation is made when it is asked for. */
export class DecisionLog {
  readonly #options: Required<DecisionLogOptions>;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  #candidates = 0;
  #count = 0;

  /**
   * @param now ms since 1970
   * @throws RangeError naming the option
   */
  constructor(options: DecisionLogOptions, now: () => number) {
    const { maxDecisions = 256, maxCandidates = 65_536 } = options;
    if (!(maxDecisions >= 0)) throw new RangeError(`decisions.maxDecisions must be >= 0, got ${maxDecisions}`);
    if (!(maxCandidates >= 0)) throw new RangeError(`decisions.maxCandidates must be >= 0, got ${maxCandidates}`);
    this.#options = { maxDecisions, maxCandidates };
    this.#now = now;
  }

  /** Keeps a decision; the oldest ones make room. */
  add(requestId: string | undefined, outcome: LoggedDecision["outcome"], explainable: Explainable): void {
    const { maxDecisions, maxCandidates } = this.#options;
    if (maxDecisions === 0) return;
    const candidates = explainable.answering.candidates.length + (explainable.prefill?.candidates.length ?? 0);
    this.#entries.push({ number: ++this.#count, atMs: this.#now(), requestId, outcome, explainable, candidates });
    this.#candidates += candidates;
    while (this.#entries.length > maxDecisions || (this.#candidates > maxCandidates && this.#entries.length > 0)) {
      this.#candidates -= this.#entries.shift()?.candidates ?? 0;
    }
  }

  /**
   * The latest first.
   * @param requestId only those on the request of this id; undefined = all
   */
  recent(limit: number, requestId?: string): DecisionSummary[] {
    const entries =
      requestId === undefined ? this.#entries : this.#entries.filter((entry) => entry.requestId === requestId);
    return limit < 1 ? [] : entries.slice(-limit).toReversed().map(summaryOf);
  }

  /** The decision of this number; undefined when it is no longer kept. */
  find(number: number): LoggedDecision | undefined {
    // They are kept in a row.
    const entry = this.#entries[number - (this.#entries[0]?.number ?? 0)];
    return entry && { ...summaryOf(entry), explanation: explanationOf(entry.explainable) };
  }
}

function summaryOf({ number, atMs, requestId, outcome, explainable }: Entry): DecisionSummary {
  const { api, model, promptTokens, promptBlocks, answering, prefill } = explainable;
  const isPicked = outcome === "picked";
  return {
    number,
    atMs,
    requestId,
    outcome,
    api,
    model,
    promptTokens,
    promptBlocks,
    heldBlocks: isPicked && promptBlocks !== undefined ? heldBlocksOf(prefill ?? answering, promptBlocks) : undefined,
    picked: isPicked ? pickedOf(answering) : undefined,
    prefill: isPicked && prefill !== undefined ? pickedOf(prefill) : undefined,
  };
}

function heldBlocksOf({ candidates, choice }: ConsideredPhase, promptBlocks: number): number | undefined {
  const picked = choice && candidates[choice.chosen];
  return picked && Math.min(promptBlocks, picked.deviceBlocks + picked.hostBlocks + picked.diskBlocks);
}

function pickedOf({ candidates, choice }: ConsideredPhase): DecidedRank | undefined {
  const rank = choice && candidates[choice.chosen]?.rank;
  if (rank === undefined) return undefined;
  const { worker, dpRank } = rank;
  return { workerId: worker.id, workerName: worker.name, dpRank, endpoint: worker.endpoint };
}
