/** A clock that moves when it is told to. */
export class FakeClock {
  #nowMs = 0;

  now(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}
