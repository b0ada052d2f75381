/** An index of `weights`, each as likely as its weight says. */
export function weightedIndex(weights: readonly number[], random: () => number): number {
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return index;
  }
  return weights.length - 1;
}
