/** From when on a rank is too busy to get more. 0 = no such limit. */
export interface BusyThresholds {
  /** Prompt tokens still to prefill. */
  readonly maxPrefillTokens: number;
  /** Part of the rank's KV blocks in use, (0,1]; without meaning where their number is not known. */
  readonly maxKvUsage: number;
  /** Running requests. */
  readonly maxRequests: number;
}

/** No rank is ever too busy. */
export const noThresholds: BusyThresholds = { maxPrefillTokens: 0, maxKvUsage: 0, maxRequests: 0 };

/** What a rank does at this instant. */
export interface RankLoad {
  readonly prefillTokens: number;
  readonly decodeBlocks: number;
  readonly requests: number;
}

/** Whether any limit is set. */
export function isLimiting({ maxPrefillTokens, maxKvUsage, maxRequests }: BusyThresholds): boolean {
  return maxPrefillTokens > 0 || maxKvUsage > 0 || maxRequests > 0;
}

/**
 * Whether a rank is too busy to get another request. An idle one never is, however large the request.
 * @param totalKvBlocks blocks that the rank has; undefined = not known
 */
export function isBusy(load: RankLoad, totalKvBlocks: number | undefined, thresholds: BusyThresholds): boolean {
  const { maxPrefillTokens, maxKvUsage, maxRequests } = thresholds;
  return (
    (maxPrefillTokens > 0 && load.prefillTokens > maxPrefillTokens) ||
    (maxRequests > 0 && load.requests >= maxRequests) ||
    (maxKvUsage > 0 && totalKvBlocks !== undefined && load.decodeBlocks > maxKvUsage * totalKvBlocks)
  );
}
