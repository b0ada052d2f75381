/** Weights of the cost and the choice. Defaults are Dynamo's; source: dynamo@1.6.1 kv-router config. */
export interface PickOptions {
  /** Blocks of prefill that one device block of overlap saves. >= 0. Default 1. */
  readonly overlapScoreCredit?: number;
  /** How fast that credit falls as a rank has more prefill to do than the idlest one. >= 0. Default 0: not at all. */
  readonly overlapScoreCreditDecay?: number;
  /** Weight of prefill blocks against decode blocks. >= 0. Default 1. */
  readonly prefillLoadScale?: number;
  /** Blocks of cost a running request. >= 0. Default 0. */
  readonly decodeActiveRequestWeight?: number;
  /** Credit of a block in host memory. >= 0. Default 0.75. */
  readonly hostCacheHitWeight?: number;
  /** Credit of a block on disk. >= 0. Default 0.25. */
  readonly diskCacheHitWeight?: number;
  /** Credit of a block in a cache that all workers share. >= 0. Default 0: there is none. */
  readonly sharedCacheMultiplier?: number;
  /**
   * 0 picks the cheapest rank; above, dearer ones are picked too, p ~ exp(-cost / ((max - min) * temperature)). Costs
   * are scaled by their range, so that one temperature means the same at any load. >= 0. Default 0.
   */
  readonly temperature?: number;
  /**
   * A rank that runs more than `crowdingRatio` times the requests of the idlest eligible rank and `crowdingSlack` more is passed
   * over, whatever it holds. >= 0; a slack of 0 = none is. Defaults 1 and 0.
   */
  readonly crowdingRatio?: number;
  readonly crowdingSlack?: number;
  /**
   * Among equal costs at temperature 0: the rank with the fewest running requests and then any, or at once any (as
   * Dynamo). Default fewest-requests.
   */
  readonly tieBreak?: "fewest-requests" | "random";
}

/** What one request may change. */
export type PickOverrides = Pick<
  PickOptions,
  "overlapScoreCredit" | "prefillLoadScale" | "sharedCacheMultiplier" | "temperature"
>;

const defaults: Required<PickOptions> = {
  overlapScoreCredit: 1,
  overlapScoreCreditDecay: 0,
  prefillLoadScale: 1,
  decodeActiveRequestWeight: 0,
  hostCacheHitWeight: 0.75,
  diskCacheHitWeight: 0.25,
  sharedCacheMultiplier: 0,
  temperature: 0,
  crowdingRatio: 1,
  crowdingSlack: 0,
  tieBreak: "fewest-requests",
};

/** @throws RangeError naming the option, for a weight that is not a finite number >= 0 */
export function resolvePickOptions(options: PickOptions = {}): Required<PickOptions> {
  return checked({ ...defaults, ...options }, "pick");
}

/** The options with a request's own weights over them. @throws RangeError as `resolvePickOptions` */
export function overridePickOptions(options: Required<PickOptions>, overrides: PickOverrides): Required<PickOptions> {
  return checked({ ...options, ...overrides }, "override");
}

function checked(options: Required<PickOptions>, path: string): Required<PickOptions> {
  const { tieBreak, ...weights } = options;
  for (const [name, weight] of Object.entries(weights)) {
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`${path}.${name} must be a finite number >= 0, got ${weight}`);
    }
  }
  if (tieBreak !== "fewest-requests" && tieBreak !== "random") {
    throw new RangeError(`${path}.tieBreak must be fewest-requests or random, got ${String(tieBreak)}`);
  }
  return options;
}
