import type { Clock } from "../kv-events/index.ts";
import type { ModelRegistry } from "../router/index.ts";

/** Time between two looks, ms: what a guess may outlive its time. */
const intervalMs = 100;

/** Most blocks forgotten at once: a fraction of a ms. */
const sliceBlocks = 2_048;

/** Ends the guesses of all models in time, from construction to `close`. */
export class GuessExpiry {
  readonly #models: ModelRegistry;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;

  constructor(models: ModelRegistry, clock: Clock) {
    this.#models = models;
    this.#clock = clock;
    this.#timer = setInterval(() => this.#expire(), intervalMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  #expire(): void {
    for (const { index } of this.#models.values()) index.guesses?.expireAll(this.#clock.now(), sliceBlocks);
  }
}
