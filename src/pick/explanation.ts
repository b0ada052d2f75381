import type { WorkerHealth, WorkerRole } from "../fleet/index.ts";
import type { Candidate } from "./candidate.ts";
import type { Choice } from "./choose.ts";
import type { CostTerms, PickRequest } from "./cost.ts";
import { costTerms, leastPrefillTokens } from "./cost.ts";
import type { Exclusion } from "./eligibility.ts";
import type { PickOptions } from "./options.ts";

/** Why one candidate was or was not picked: a copy, nothing in it changes. */
export interface CandidateExplanation {
  /** Decimal worker id. */
  readonly workerId: string;
  readonly workerName: string;
  readonly endpoint: string;
  readonly role: WorkerRole;
  readonly health: WorkerHealth;
  readonly dpRank: number;
  /** Undefined = eligible. */
  readonly exclusion: Exclusion | undefined;
  /** Leading prompt blocks held by tier; host and disk count what follows the tier before. */
  readonly overlapBlocks: {
    readonly device: number;
    readonly host: number;
    readonly disk: number;
    readonly sharedCache: number;
  };
  /** Undefined when the rank's load is not known. */
  readonly load:
    | {
        readonly prefillTokens: number;
        readonly decodeBlocks: number;
        readonly requests: number;
        /** Of those the ones that other replicas of the picker have booked. */
        readonly siblingRequests: number;
        /** Of those the ones that the engine reports and no replica has booked. */
        readonly foreignRequests: number;
      }
    | undefined;
  /** Undefined when not eligible. */
  readonly terms: CostTerms | undefined;
  /** Blocks that the best other half of a pair adds to that cost; 0 when one worker does all, or pairs do not matter. */
  readonly pairBlocks: number;
}

/** Why a choice fell as it did. Holds no prompt text, token ids or hashes. */
export interface PickExplanation {
  readonly promptTokens: number;
  readonly blockSize: number;
  /** Blocks of the prompt, a partial one counted. */
  readonly promptBlocks: number;
  readonly phase: PickRequest["phase"];
  readonly options: Required<PickOptions>;
  readonly candidates: readonly CandidateExplanation[];
  /** Index of the picked candidate; undefined when none could be. */
  readonly chosen: number | undefined;
  /** Candidates of the picked one's cost, itself included; more than 1 = the tie-break decided. 0 when none was picked. */
  readonly tied: number;
}

/**
 * Explains a choice. Call it before the request is booked: it reads the candidates' load as it stands.
 * @param choice undefined when `choose` refused
 */
export function explain(
  candidates: readonly Candidate[],
  request: PickRequest,
  options: Required<PickOptions>,
  choice: Choice | undefined,
): PickExplanation {
  const leastPrefill = leastPrefillTokens(candidates);
  const chosenCost = choice?.costs[choice.chosen];
  return {
    promptTokens: request.promptTokens,
    blockSize: request.blockSize,
    promptBlocks: Math.ceil(request.promptTokens / request.blockSize),
    phase: request.phase,
    options,
    candidates: candidates.map((candidate, i) =>
      explainCandidate(
        candidate,
        candidate.exclusion === undefined ? costTerms(candidate, request, options, leastPrefill) : undefined,
        choice?.costs[i],
      ),
    ),
    chosen: choice?.chosen,
    tied: choice === undefined ? 0 : choice.costs.filter((cost) => cost === chosenCost).length,
  };
}

function explainCandidate(
  candidate: Candidate,
  terms: CostTerms | undefined,
  cost: number | undefined,
): CandidateExplanation {
  const { worker, dpRank } = candidate.rank;
  return {
    workerId: worker.id.toString(),
    workerName: worker.name,
    endpoint: worker.endpoint,
    role: worker.role,
    health: worker.health,
    dpRank,
    exclusion: candidate.exclusion,
    overlapBlocks: {
      device: candidate.deviceBlocks,
      host: candidate.hostBlocks,
      disk: candidate.diskBlocks,
      sharedCache: candidate.sharedCacheBlocks,
    },
    load: candidate.isLoadKnown
      ? {
          prefillTokens: candidate.activePrefillTokens,
          decodeBlocks: candidate.activeDecodeBlocks,
          requests: candidate.activeRequests,
          siblingRequests: candidate.siblingRequests ?? 0,
          foreignRequests: candidate.foreignRequests ?? 0,
        }
      : undefined,
    terms,
    pairBlocks: terms === undefined || cost === undefined ? 0 : cost - terms.cost,
  };
}
