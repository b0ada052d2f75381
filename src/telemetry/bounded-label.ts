/** Keeps a label's values few: a client that invents values must not make time series. */
export class BoundedLabel {
  readonly #known: Set<string>;
  readonly #maxValues: number;

  /**
   * @param known values that always pass
   * @param maxValues most values that ever pass; those beyond `known` in the order they come. Default: only the known ones
   */
  constructor(known: readonly string[], maxValues = known.length) {
    this.#known = new Set(known);
    this.#maxValues = maxValues;
  }

  /** The value itself, `none` for undefined, or `other`. O(1). */
  of(value: string | undefined): string {
    if (value === undefined) return "none";
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#maxValues) return "other";
    this.#known.add(value);
    return value;
  }
}
