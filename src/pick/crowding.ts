import type { Candidate } from "./candidate.ts";
import type { PickOptions } from "./options.ts";

/**
 * Passes over the ranks that run many more requests than the idlest eligible one, so that a prefix that all requests share
 * does not pin them to the ranks that hold it: what such a rank saves in prefill it takes back in every step of its answers.
 * The rank passed over holds the prefix by its first request, so the price is paid once. O(candidates).
 * @returns `candidates` itself when nobody is crowded
 */
export function passOverCrowded(
  candidates: readonly Candidate[],
  options: Required<PickOptions>,
): readonly Candidate[] {
  if (options.crowdingSlack === 0) return candidates;
  const limit = options.crowdingRatio * fewestRequests(candidates) + options.crowdingSlack;
  const isCrowded = ({ exclusion, activeRequests, isLoadKnown }: Candidate) =>
    exclusion === undefined && isLoadKnown && activeRequests > limit;
  if (!candidates.some(isCrowded)) return candidates;
  return candidates.map((candidate) => (isCrowded(candidate) ? { ...candidate, exclusion: "crowded" } : candidate));
}

/** Of the eligible ranks; one of unknown load counts as idle. */
function fewestRequests(candidates: readonly Candidate[]): number {
  let fewest = Number.POSITIVE_INFINITY;
  for (const { exclusion, activeRequests, isLoadKnown } of candidates) {
    if (exclusion === undefined) fewest = Math.min(fewest, isLoadKnown ? activeRequests : 0);
  }
  return fewest;
}
