import type { CandidateExplanation } from "../pick/index.ts";
import type { RouteExplanation, RouteTarget } from "../router/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** Which request was placed, as far as it is known. */
export interface PickedRequest {
  readonly requestId: string | undefined;
  /** Of a caller's reservation. */
  readonly reservationId?: string | undefined;
  /** Whether load was booked; absent = it was. */
  readonly isBooked?: boolean;
}

/** Writes the line `picked`, with every candidate, where the level is `debug`. */
export function logPick(log: Logger, target: RouteTarget, request: PickedRequest): void {
  if (log.isLevelEnabled("debug")) log.debug({ ...request, ...pickFields(target, target.explain()) }, "picked");
}

function pickFields(target: RouteTarget, explanation: RouteExplanation) {
  const { answering, prefill } = explanation;
  return {
    api: target.api,
    model: target.model,
    worker: answering.candidates[answering.chosen ?? -1]?.workerName,
    prefillWorker: prefill?.candidates[prefill.chosen ?? -1]?.workerName,
    endpoint: target.endpoint,
    promptTokens: target.inputTokens,
    promptBlocks: explanation.promptBlocks,
    predictedCachedTokens: target.predictedCachedTokens,
    loadOnlyReason: explanation.loadOnlyReason,
    tied: answering.tied,
    aggregatedReason: explanation.aggregatedReason,
    session: explanation.session,
    candidates: answering.candidates.map(candidateFields),
  };
}

function candidateFields({
  workerName,
  dpRank,
  exclusion,
  overlapBlocks,
  load,
  terms,
  pairBlocks,
}: CandidateExplanation) {
  return {
    worker: workerName,
    dpRank,
    exclusion,
    overlapBlocks: overlapBlocks.device,
    hostBlocks: overlapBlocks.host,
    diskBlocks: overlapBlocks.disk,
    cost: terms === undefined ? undefined : terms.cost + pairBlocks,
    activeRequests: load?.requests,
    activePrefillTokens: load?.prefillTokens,
    activeDecodeBlocks: load?.decodeBlocks,
  };
}
