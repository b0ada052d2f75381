import { DecisionError } from "../decision-error.ts";

/** How likely each candidate is. */
export interface Distribution {
  /** In the candidates' order; each in [0,1], their sum 1. */
  readonly probabilities: readonly number[];
  /** Probability that the model's next token is any of the labels, in [0,1]; undefined when it is not known. */
  readonly labelMass: number | undefined;
}

/** Rounding of an engine that adds up single precision. */
const massSlack = 1e-6;
const sumSlack = 1e-9;

/**
 * Log-probabilities over the whole vocabulary, brought to the candidates alone.
 * @param logprobs natural, each <= 0; -Infinity = impossible
 * @throws DecisionError invalid_result
 */
export function reduceLogprobs(logprobs: readonly number[], temperature = 1): Distribution {
  if (!(temperature > 0) || temperature === Number.POSITIVE_INFINITY || logprobs.length === 0) {
    throw invalidResult("candidate scores require a finite positive temperature and nonempty candidates");
  }
  if (!logprobs.every((logprob) => logprob <= 0)) {
    throw invalidResult("vocabulary log probabilities must be nonpositive and not NaN");
  }
  const most = Math.max(...logprobs);
  if (most === Number.NEGATIVE_INFINITY) throw invalidResult("all candidates have zero probability");
  const mass = logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0);
  if (mass > 1 + massSlack) throw invalidResult("candidate vocabulary mass exceeds one");
  const weights = logprobs.map((logprob) => Math.exp((logprob - most) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { probabilities: weights.map((weight) => weight / total), labelMass: Math.min(mass, 1) };
}

/** @throws DecisionError invalid_result for what is no distribution over at least one candidate */
export function checkDistribution({ probabilities, labelMass }: Distribution): void {
  const sum = probabilities.reduce((all, probability) => all + probability, 0);
  const isValid =
    probabilities.length > 0 &&
    probabilities.every((probability) => probability >= 0 && probability <= 1) &&
    Math.abs(sum - 1) <= sumSlack;
  if (!isValid) throw invalidResult("executor returned an invalid candidate distribution");
  if (labelMass !== undefined && !(labelMass >= 0 && labelMass <= 1)) {
    throw invalidResult("executor vocabulary label mass is invalid");
  }
}

/** A result that no contract can show. */
export function invalidResult(message: string): DecisionError {
  return new DecisionError("invalid_result", message);
}
