/** Index of the likeliest candidate; of equal ones the first. @param probabilities at least one */
export function modalIndex(probabilities: readonly number[]): number {
  let mode = 0;
  for (let at = 1; at < probabilities.length; at++) {
    if ((probabilities[at] as number) > (probabilities[mode] as number)) mode = at;
  }
  return mode;
}

/** How far the likeliest option is from chance, in [0,1]; 1 for a single one. */
export function choiceConfidence(probabilities: readonly number[]): number {
  const count = probabilities.length;
  if (count === 1) return 1;
  const most = probabilities[modalIndex(probabilities)] as number;
  return clamped((count * most - 1) / (count - 1));
}

/** How narrow the levels lie around the likeliest one, in [0,1]: 0 = as wide as all of them equally likely; 1 for a single one. */
export function scoreConfidence(probabilities: readonly number[]): number {
  const count = probabilities.length;
  if (count === 1) return 1;
  const mode = modalIndex(probabilities);
  const middle = (count - 1) / 2;
  let spread = 0;
  let widest = 0;
  for (let at = 0; at < count; at++) {
    spread += (probabilities[at] as number) * Math.abs(at - mode);
    widest += Math.abs(at - middle) / count;
  }
  return clamped(1 - spread / widest);
}

/** Mean of the levels, weighted: 0 <= score <= levels - 1. */
export function expectedScore(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, probability, at) => sum + at * probability, 0);
}

function clamped(value: number): number {
  return Math.min(Math.max(value, 0), 1);
}
