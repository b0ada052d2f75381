/**
 * Picks an index with probability ~ exp(-cost / ((max - min) * temperature)); equal costs are equally likely. The scale
 * by the range makes a temperature insensitive to how large costs are. NaN costs are passed over.
 * Source: dynamo@1.6.1 scheduling/selector/reference.rs softmax_sample_index.
 * @param costs at least one is not NaN
 * @param temperature > 0
 * @param sample uniform in [0,1)
 */
export function softmaxSample(costs: Float64Array, temperature: number, sample: number): number {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const cost of costs) {
    if (cost < least) least = cost;
    if (cost > greatest) greatest = cost;
  }
  const range = greatest > least ? greatest - least : 1;
  const weights = costs.map((cost) => (Number.isNaN(cost) ? 0 : Math.exp((least - cost) / range / temperature)));
  let total = 0;
  for (const weight of weights) total += weight;
  let cumulative = 0;
  let last = 0;
  for (let i = 0; i < costs.length; i++) {
    if (Number.isNaN(costs[i])) continue;
    cumulative += (weights[i] ?? 0) / total;
    if (sample <= cumulative) return i;
    last = i;
  }
  return last;
}
