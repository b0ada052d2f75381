/** Weights of the cost and the choice. Defaults are Dynamo's; source: dynamo@1.6.1 kv-router. */
export interface PickOptions {
  /** Blocks of prefill that one device block of overlap saves. >= 0. Default 1. */
  readonly overlapScoreCredit?: number;
  /** How fast that credit falls as a rank has more prefill to do than the idlest one. >= 0. Default 0: not at all. */
  readonly overlapScoreCreditDecay?: number;
  /** Weight of prefill blocks against decode blocks. >= 0. Default 1. */
  readonly prefillLoadScale?: number;
  /** Blocks of cost per running request. >= 0. Default 0. */
  readonly decodeActiveRequestWeight?: number;
  /** Credit of a block in host memory. >= 0. Default 0.75. */
  readonly hostCacheHitWeight?: number;
  /** Credit of a block on disk. >= 0. Default 0.25. */
  readonly diskCacheHitWeight?: number;
  /** Credit of a block in a shared cache. >= 0. Default 0: there is none. */
  readonly sharedCacheMultiplier?: number;
  /** 0 picks the cheapest; above, worse ones are picked too, p ~ exp(-cost / ((max - min) * temperature)). Default 0. */
  readonly temperature?: number;
  /** Among equal costs at temperature 0: the one with the fewest running requests, or any (as Dynamo). Default fewest-requests. */
  readonly tieBreak?: "fewest-requests" | "random";
}
