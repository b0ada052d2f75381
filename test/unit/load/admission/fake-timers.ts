import { FakeClock } from "../fake-clock.ts";

/** A clock whose timers fire when it is moved past them. */
export class FakeTimers extends FakeClock {
  readonly #due: { readonly atMs: number; readonly task: () => void }[] = [];

  after(delayMs: number, task: () => void): () => void {
    const timer = { atMs: this.now() + delayMs, task };
    this.#due.push(timer);
    return () => {
      const at = this.#due.indexOf(timer);
      if (at >= 0) this.#due.splice(at, 1);
    };
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#due.length;
  }

  override advance(ms: number): void {
    super.advance(ms);
    for (const timer of this.#due.filter(({ atMs }) => atMs <= this.now())) {
      this.#due.splice(this.#due.indexOf(timer), 1);
      timer.task();
    }
  }
}
