import type { RoutingErrorCode } from "../errors/index.ts";
import { type Explainable, explanationOf, type RouteExplanation } from "./explanation.ts";

/** How much is kept. */
export interface DecisionLogOptions {
  /** Latest decisions kept. 0 = none. Default 256. */
  readonly maxDecisions?: number;
  /** Candidates kept with them, summed over all decisions: beyond it the oldest decisions go. Default 65 536. */
  readonly maxCandidates?: number;
}

/** A decision and why it fell so. Holds no prompt text, token ids or hashes. */
export interface LoggedDecision {
  /** Counts from 1, by 1. */
  readonly number: number;
  /** When, in ms since 1970. */
  readonly atMs: number;
  /** The request's `x-request-id`; undefined when it has none. */
  readonly requestId: string | undefined;
  /** `picked`, or the code of the refusal. */
  readonly outcome: "picked" | RoutingErrorCode;
  readonly explanation: RouteExplanation;
}

interface Entry extends Omit<LoggedDecision, "explanation"> {
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

  /** The latest first. */
  recent(limit: number): LoggedDecision[] {
    return limit < 1 ? [] : this.#entries.slice(-limit).toReversed().map(explained);
  }

  /** The latest decision on the request of this id. */
  find(requestId: string): LoggedDecision | undefined {
    const entry = this.#entries.findLast((each) => each.requestId === requestId);
    return entry && explained(entry);
  }
}

function explained({ number, atMs, requestId, outcome, explainable }: Entry): LoggedDecision {
  return { number, atMs, requestId, outcome, explanation: explanationOf(explainable) };
}
