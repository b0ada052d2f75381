/**
 * Runs work for each item, a few at one time. With the first failure nothing new is begun and what runs is aborted; the call ends once all
 * of that is over.
 * @param atOnce most at one time
 * @throws the first failure, or the signal's reason
 */
export async function fanOut<T, R>(
  items: readonly T[],
  atOnce: number,
  signal: AbortSignal,
  work: (item: T, at: number, signal: AbortSignal) => Promise<R>,
): Promise<readonly R[]> {
  const group = new AbortController();
  const joined = AbortSignal.any([signal, group.signal]);
  const results: R[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    while (next < items.length && !joined.aborted) {
      const at = next++;
      results[at] = await work(items[at] as T, at, joined);
    }
  };
  const lanes = Array.from({ length: Math.min(atOnce, items.length) }, async () => {
    try {
      await lane();
    } catch (cause) {
      group.abort(cause);
    }
  });
  await Promise.all(lanes);
  joined.throwIfAborted();
  return results;
}
