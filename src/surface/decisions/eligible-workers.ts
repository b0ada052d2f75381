import {
  checkCapabilities,
  type DecisionCapabilities,
  DecisionError,
  type DecisionRequest,
} from "../../decisions/index.ts";
import type { ScoringModel } from "../../router/index.ts";
import type { Branch } from "./preflight.ts";

type Workers = ScoringModel["workers"];

const maxQuestions = 128;

/**
 * The workers that can serve a request.
 * @throws DecisionError unsupported when none could, even together
 */
export function capableWorkers(request: DecisionRequest, workers: Workers): Workers {
  const capable = workers.filter((worker) => isCapable(request, [worker]));
  if (capable.length === 0) {
    checkCapabilities(request, capabilitiesOf(workers));
    throw new DecisionError("unsupported", "request exceeds the selected decision profile's capabilities");
  }
  return capable;
}

/** Those of them whose context every prompt fits in. @throws DecisionError invalid_request when there are none */
export function roomyWorkers(request: DecisionRequest, branches: readonly Branch[], workers: Workers): Workers {
  const longest = branches.reduce((most, { promptIds }) => Math.max(most, promptIds.length), 0);
  const roomy = workers.filter(({ scoring }) => (scoring.contextTokens ?? Number.POSITIVE_INFINITY) > longest);
  if (roomy.length > 0) return roomy;
  const name = request.questions[branches.findIndex(({ promptIds }) => promptIds.length === longest)]?.id;
  const context = Math.max(...workers.map(({ scoring }) => scoring.contextTokens ?? 0));
  const question = `question ${JSON.stringify(name ?? "unnamed")}`;
  throw new DecisionError(
    "invalid_request",
    `${question}: ${longest} prompt tokens do not fit in the model's context of ${context}`,
  );
}

function isCapable(request: DecisionRequest, workers: Workers): boolean {
  try {
    checkCapabilities(request, capabilitiesOf(workers));
    return true;
  } catch (error) {
    if (error instanceof DecisionError) return false;
    throw error;
  }
}

function capabilitiesOf(workers: Workers): DecisionCapabilities {
  return {
    maxQuestions,
    maxCandidates: Math.max(...workers.map(({ scoring }) => scoring.maxCandidates)),
    supportsPredicate: true,
    supportsChoice: true,
    supportsScore: true,
    measuresCacheReads: workers.some(({ scoring }) => scoring.measuresCachedTokens),
    promptFormatVersion: 1,
  };
}
