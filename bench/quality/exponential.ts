/** A pause of a Poisson process. @returns units of 1/rate */
export function exponential(random: () => number, rate: number): number {
  return -Math.log(1 - random()) / rate;
}
