import type { WorkerRank } from "../../fleet/index.ts";
import type { Candidate } from "../candidate.ts";

/** How strongly a session holds on to its workers. */
export interface AffinityOptions {
  /**
   * `hard`: the session's worker as long as it may be picked; `soft`: as long as it is not much dearer than the cheapest;
   * `off`: sessions do not count.
   */
  readonly mode: "off" | "soft" | "hard";
  /** Soft: part of the least cost that the session's worker may cost more. >= 0. */
  readonly softRatio: number;
  /** Soft: blocks that it may cost more beyond that. >= 0. */
  readonly softBlocks: number;
}

/** A candidate that is picked unless another is much cheaper. */
export interface Favourite {
  /** Index of the candidate. */
  readonly index: number;
  /** It is picked while its cost is at most `(1 + ratio) * least + blocks`. */
  readonly ratio: number;
  readonly blocks: number;
}

/** What a session makes of the candidates. */
export interface Favoured {
  readonly candidates: readonly Candidate[];
  /** Undefined: the session's worker is gone, may not be picked, or there is none. */
  readonly favourite: Favourite | undefined;
}

/** Applies a session's wish. Hard: everybody else is out, if its own worker may be picked at all. */
export function favour(
  candidates: readonly Candidate[],
  rank: WorkerRank | undefined,
  { mode, softRatio, softBlocks }: AffinityOptions,
): Favoured {
  const index = rank === undefined ? -1 : candidates.findIndex((candidate) => candidate.rank === rank);
  if (mode === "off" || index < 0 || candidates[index]?.exclusion !== undefined) {
    return { candidates, favourite: undefined };
  }
  if (mode === "soft") return { candidates, favourite: { index, ratio: softRatio, blocks: softBlocks } };
  return {
    candidates: candidates.map((candidate, i) =>
      i === index || candidate.exclusion !== undefined
        ? candidate
        : { ...candidate, exclusion: "other_session" as const },
    ),
    favourite: undefined,
  };
}
