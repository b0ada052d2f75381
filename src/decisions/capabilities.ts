import { DecisionError } from "./decision-error.ts";
import type { DecisionRequest } from "./decision-request.ts";

/** What the workers of a model can do for a decision. */
export interface DecisionCapabilities {
  readonly maxQuestions: number;
  /** Most options of a choice, or levels of a score. */
  readonly maxCandidates: number;
  readonly supportsPredicate: boolean;
  readonly supportsChoice: boolean;
  readonly supportsScore: boolean;
  /** Whether the engine tells how many prompt tokens came from its cache. */
  readonly measuresCacheReads: boolean;
  readonly promptFormatVersion: number;
}

/** The only format of prompts. */
const PROMPT_FORMAT_VERSION = 1;

/** Refuses a request that the model's workers cannot serve. @throws DecisionError unsupported */
export function checkCapabilities(request: DecisionRequest, capabilities: DecisionCapabilities): void {
  const { questions, dialect } = request;
  const { maxCandidates, maxQuestions, measuresCacheReads, promptFormatVersion } = capabilities;
  if (questions.some(({ candidates }) => candidates.length > maxCandidates)) {
    throw new DecisionError("unsupported", "options per choice exceed the selected decision profile's capacity");
  }
  const isSupported = {
    predicate: capabilities.supportsPredicate,
    choice: capabilities.supportsChoice,
    score: capabilities.supportsScore,
  };
  const isServable =
    questions.length <= maxQuestions &&
    questions.every(({ kind }) => isSupported[kind]) &&
    // OpenAI's usage has to tell cache reads, and they are never made up.
    (dialect === "jev" || measuresCacheReads) &&
    promptFormatVersion === PROMPT_FORMAT_VERSION;
  if (!isServable) {
    throw new DecisionError("unsupported", "request exceeds the selected decision profile's capabilities");
  }
}
