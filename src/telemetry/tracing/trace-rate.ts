/** Lets so many pass a second, and as many at once. */
export class TraceRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  #atMs: number;

  /** @param now milliseconds on a monotonic scale */
  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = perSecond;
    this.#atMs = now();
  }

  /** Whether one more may pass; it is counted then. */
  take(): boolean {
    const now = this.#now();
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
