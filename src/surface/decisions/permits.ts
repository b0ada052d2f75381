/** A bound on what goes on at one time. Nobody waits: one that gets none is refused. */
export class Permits {
  readonly limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  /** @returns gives them back, once; undefined when there are not so many */
  tryTake(count: number): (() => void) | undefined {
    if (this.#taken + count > this.limit) return undefined;
    this.#taken += count;
    let isHeld = true;
    return () => {
      if (isHeld) this.#taken -= count;
      isHeld = false;
    };
  }
}
