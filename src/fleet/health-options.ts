/** How workers are watched. */
export interface HealthOptions {
  /** Pause between two probes of a worker, ms. 0 = no probes: health then comes from requests alone. Default 2 000. */
  readonly intervalMs?: number;
  /** Longest wait for a whole answer, ms. > 0. Default 1 000. */
  readonly timeoutMs?: number;
  /** Part of the interval by which pauses vary, so that replicas do not probe in step. In [0,1]. Default 0.2. */
  readonly jitter?: number;
  /** Failed probes in a row that make a worker unhealthy. >= 1. Default 2. */
  readonly failureThreshold?: number;
  /** Good probes in a row that make an unhealthy worker healthy. >= 1. Default 1. */
  readonly successThreshold?: number;
  /** Requests in a row that could not reach a worker, which make it unhealthy at once. 0 = never. Default 1. */
  readonly requestFailureThreshold?: number;
  /** How long such a mark stands when no probe can lift it, ms. > 0. Default 5 000. */
  readonly requestFailureHoldMs?: number;
  /** Requests in a row that a worker broke off, or could not answer while another could, which make it unhealthy. 0 = never. Default 5. */
  readonly badAnswerThreshold?: number;
  /** How long such a verdict stands at least, ms. > 0. After it one more bad answer renews it. Default 5 000. */
  readonly badAnswerHoldMs?: number;
}

/** @throws RangeError naming the option */
export function resolveHealthOptions(options: HealthOptions = {}): Required<HealthOptions> {
  const {
    intervalMs = 2_000,
    timeoutMs = 1_000,
    jitter = 0.2,
    failureThreshold = 2,
    successThreshold = 1,
    requestFailureThreshold = 1,
    requestFailureHoldMs = 5_000,
    badAnswerThreshold = 5,
    badAnswerHoldMs = 5_000,
  } = options;
  const demand = (isMet: boolean, name: string, what: string, value: number): void => {
    if (!isMet) throw new RangeError(`health.${name} must be ${what}, got ${value}`);
  };
  demand(intervalMs >= 0 && intervalMs <= maxDelayMs, "intervalMs", "in [0, 2^31)", intervalMs);
  demand(timeoutMs > 0 && timeoutMs <= maxDelayMs, "timeoutMs", "in (0, 2^31)", timeoutMs);
  demand(jitter >= 0 && jitter <= 1, "jitter", "in [0,1]", jitter);
  demand(isCount(failureThreshold, 1), "failureThreshold", "a whole number >= 1", failureThreshold);
  demand(isCount(successThreshold, 1), "successThreshold", "a whole number >= 1", successThreshold);
  demand(
    isCount(requestFailureThreshold, 0),
    "requestFailureThreshold",
    "a whole number >= 0",
    requestFailureThreshold,
  );
  const isHold = requestFailureHoldMs > 0 && requestFailureHoldMs <= maxDelayMs;
  demand(isHold, "requestFailureHoldMs", "in (0, 2^31)", requestFailureHoldMs);
  demand(isCount(badAnswerThreshold, 0), "badAnswerThreshold", "a whole number >= 0", badAnswerThreshold);
  const isBadHold = badAnswerHoldMs > 0 && badAnswerHoldMs <= maxDelayMs;
  demand(isBadHold, "badAnswerHoldMs", "in (0, 2^31)", badAnswerHoldMs);
  return {
    intervalMs,
    timeoutMs,
    jitter,
    failureThreshold,
    successThreshold,
    requestFailureThreshold,
    requestFailureHoldMs,
    badAnswerThreshold,
    badAnswerHoldMs,
  };
}

/** A longer delay would make a Node timer fire at once. */
const maxDelayMs = 2 ** 31 - 1;

function isCount(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least;
}
