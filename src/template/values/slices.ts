import { characters } from "../python/code-points.ts";

type Bounds = readonly (number | undefined)[];

/** Python's slice of characters. */
export function sliceText(text: string, bounds: Bounds): string {
  const [start = 0, stop, step = 1] = bounds;
  // Units are characters here, which is the frequent case.
  if (step === 1 && !/[\ud800-\udfff]/.test(text)) return text.slice(start, stop);
  return sliceItems(characters(text), bounds).join("");
}

/** Python's slice of items; `step` is not 0. */
export function sliceItems<Item>(items: readonly Item[], [start, stop, step = 1]: Bounds): readonly Item[] {
  if (step === 1) return items.slice(start ?? 0, stop);
  const { length } = items;
  const clamp = (bound: number, low: number, high: number) => {
    const place = bound < 0 ? bound + length : bound;
    return Math.min(Math.max(place, low), high);
  };
  const result: Item[] = [];
  if (step > 0) {
    const end = clamp(stop ?? length, 0, length);
    for (let at = clamp(start ?? 0, 0, length); at < end; at += step) result.push(items[at] as Item);
    return result;
  }
  const end = stop === undefined ? -1 : clamp(stop, -1, length - 1);
  for (let at = clamp(start ?? length - 1, -1, length - 1); at > end; at += step) result.push(items[at] as Item);
  return result;
}
