import { UnsupportedTemplateError } from "./template-errors.ts";

/**
 * Steps that the render of this thread may still make: rendering never waits, so that there is one at a time. In an array, where a number
 * changes in place: a variable would be a new object each time.
 */
const left = new Float64Array([Number.POSITIVE_INFINITY]);

/**
 * Counts what was or is about to be done, in steps of some 20 ns: about one for an item or a character that is looked at.
 * @throws UnsupportedTemplateError when the render has none left
 */
export function spend(steps: number): void {
  const rest = (left[0] as number) - steps;
  left[0] = rest;
  if (rest < 0) throw new UnsupportedTemplateError("the template works too long");
}

/** Counts a search for a part of a text: at worst each character of the part is compared at each place. */
export function spendSearch(text: string, part: string): void {
  if (text.length > 256) spend(text.length / 32 + (text.length * Math.min(part.length, text.length)) / 64);
}

/** Counts the comparisons of a sort. */
export function spendSort(items: number): void {
  spend(8 * items * Math.log2(items + 2));
}

/** Runs something that may make so many steps. */
export function limited<Result>(steps: number, run: () => Result): Result {
  const outer = left[0] as number;
  left[0] = steps;
  try {
    return run();
  } finally {
    left[0] = outer;
  }
}
