/** Sequence hashes from small numbers, in lo,hi pairs. */
export function sequenceOfNumbers(numbers: readonly number[]): Uint32Array {
  return Uint32Array.from(numbers.flatMap((n) => [n, n ^ 0x5a5a_5a5a]));
}

/** Chained sequence hashes of a prompt given by its block labels: equal at i exactly when the prompts agree up to i. */
export function chainOf(labels: readonly number[]): Uint32Array {
  let lo = 0x811c_9dc5;
  let hi = 0x1234_5678;
  const sequence = new Uint32Array(2 * labels.length);
  for (const [i, label] of labels.entries()) {
    lo = Math.imul(lo ^ label, 0x0100_0193) + 0x9e37;
    hi = Math.imul(hi ^ lo, 0x85eb_ca6b) ^ (hi >>> 13);
    sequence[2 * i] = lo;
    sequence[2 * i + 1] = hi;
  }
  return sequence;
}
