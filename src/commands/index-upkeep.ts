import type { Clock } from "../kv-events/index.ts";
import type { ModelRegistry } from "../router/index.ts";

/** Time between two looks, ms: what a guess may outlive its time. */
const intervalMs = 100;

/** Most blocks done at once: a fraction of a ms. */
const sliceBlocks = 2_048;

/** Ends the guesses of all models in time, and gives back the memory of ranks that are gone, from construction to `close`. */
export class IndexUpkeep {
  readonly #models: ModelRegistry;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;

  constructor(models: ModelRegistry, clock: Clock) {
    this.#models = models;
    this.#clock = clock;
    this.#timer = setInterval(() => this.#work(), intervalMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  #work(): void {
    for (const { index } of this.#models.values()) {
      index.guesses?.expireAll(this.#clock.now(), sliceBlocks);
      index.sweep(sliceBlocks);
    }
  }
}
