import type { WorkerRank } from "../fleet/index.ts";
import type { Exclusion } from "./eligibility.ts";

/** A rank that a request could be placed on, with what is known of it at this instant. Blocks are the model's blocks. */
export interface Candidate {
  readonly rank: WorkerRank;
  /** Why it may not be picked; undefined = eligible. */
  readonly exclusion: Exclusion | undefined;
  /** Leading prompt blocks on the device. */
  readonly deviceBlocks: number;
  /** Blocks that follow those, in host memory; then on disk. */
  readonly hostBlocks: number;
  readonly diskBlocks: number;
  /** Prompt blocks beyond `deviceBlocks` that a cache shared by all workers holds. */
  readonly sharedCacheBlocks: number;
  /** False: the load figures below mean nothing. */
  readonly isLoadKnown: boolean;
  readonly activePrefillTokens: number;
  readonly activeDecodeBlocks: number;
  readonly activeRequests: number;
  /** Of those requests the ones that other replicas of the picker have booked; absent = none. */
  readonly siblingRequests?: number;
  /** Of those requests the ones that the engine reports and no replica has booked; absent = none. */
  readonly foreignRequests?: number;
  /** Complete prompt blocks that no running request on the rank holds. */
  readonly blocksNotActive: number;
  /** Sum of the weights of the request's preferred taints that the worker has; 0 = none. */
  readonly preference: number;
}
