/** Dense small integers: the smallest free one is handed out first. */
export class Slots {
  /** Free slots below `limit`, descending, so that the smallest is popped. */
  readonly #free: number[] = [];
  #limit = 0;

  /** One more than the greatest slot ever in use at once. */
  get limit(): number {
    return this.#limit;
  }

  take(): number {
    return this.#free.pop() ?? this.#limit++;
  }

  give(slot: number): void {
    const at = this.#free.findIndex((free) => free < slot);
    this.#free.splice(at < 0 ? this.#free.length : at, 0, slot);
  }
}
