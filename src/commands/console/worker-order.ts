/** What workers are put in order by. */
export interface Named {
  /** u64, or its decimal digits. */
  readonly id: bigint | string;
  readonly name: string;
}

/** Numbers in names count as numbers: gpu-2 comes before gpu-10. */
const collator = new Intl.Collator("en", { numeric: true });

/** By name, of one name by id. @returns 0 = the same worker */
export function byName(a: Named, b: Named): number {
  const order = collator.compare(a.name, b.name);
  if (order !== 0 || a.id === b.id) return order;
  return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
}

/** Sorted, or compared, in one step. */
const stepItems = 256;

/** The items in order, a fraction of a millisecond of comparing in each step. What is in order already costs one comparison an item. */
export function* sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<undefined, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += stepItems) {
    runs.push(items.slice(at, at + stepItems).sort(compare));
    yield undefined;
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (let i = 0; i < runs.length; i += 2) longer.push(yield* merged(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<undefined, readonly T[]> {
  const [last, first] = [a.at(-1), b[0]];
  if (last === undefined || first === undefined || compare(last, first) <= 0) return [...a, ...b];
  const all: T[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (all.length % stepItems === 0) yield undefined;
    all.push((compare(a[i] as T, b[j] as T) <= 0 ? a[i++] : b[j++]) as T);
  }
  return [...all, ...a.slice(i), ...b.slice(j)];
}
