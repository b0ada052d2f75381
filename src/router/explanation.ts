import type { RequestApi } from "../api/index.ts";
import type { Candidate, Choice, Exclusion } from "../pick/index.ts";

/** One rank that was considered, with what decided for or against it. */
export interface ExplainedCandidate {
  readonly worker: string;
  readonly endpoint: string;
  readonly dpRank: number;
  /** Leading prompt blocks on the device. */
  readonly overlapBlocks: number;
  readonly activePrefillTokens: number;
  readonly activeDecodeBlocks: number;
  readonly activeRequests: number;
  /** In blocks, lower is better; undefined when the rank was not eligible. */
  readonly cost: number | undefined;
  readonly exclusion: Exclusion | undefined;
}

/** Why a request went where it went. Holds no prompt text, token ids or hashes. */
export interface RouteExplanation {
  readonly api: RequestApi;
  readonly model: string | undefined;
  /** Undefined when the tokens are not known. */
  readonly promptTokens: number | undefined;
  readonly promptBlocks: number | undefined;
  /** Why the choice went by load alone; undefined when the prompt's tokens took part. */
  readonly loadOnlyReason: string | undefined;
  readonly worker: string;
  readonly dpRank: number;
  /** Worker that prefills, when prefill and decode are split. */
  readonly prefillWorker: string | undefined;
  readonly candidates: readonly ExplainedCandidate[];
}

/** @param choice undefined when nothing was eligible: no candidate has a cost then */
export function explainCandidates(
  candidates: readonly Candidate[],
  choice: Choice | undefined,
): readonly ExplainedCandidate[] {
  return candidates.map((candidate, index) => {
    const cost = choice?.costs[index];
    return {
      worker: candidate.rank.worker.name,
      endpoint: candidate.rank.worker.endpoint,
      dpRank: candidate.rank.dpRank,
      overlapBlocks: candidate.deviceBlocks,
      activePrefillTokens: candidate.activePrefillTokens,
      activeDecodeBlocks: candidate.activeDecodeBlocks,
      activeRequests: candidate.activeRequests,
      cost: cost === undefined || Number.isNaN(cost) ? undefined : cost,
      exclusion: candidate.exclusion,
    };
  });
}
