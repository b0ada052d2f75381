import { changeFaults, type FaultSettings } from "./faults.ts";
import type { SimClock } from "./sim-clock.ts";

/** Rolls the dice for each request; the settings can change at any time. */
export class FaultInjector {
  readonly #clock: SimClock;
  readonly #random: () => number;
  #settings: FaultSettings;

  /** @param random in [0, 1) */
  constructor(settings: FaultSettings, clock: SimClock, random: () => number) {
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  /** The settings in force. */
  get settings(): FaultSettings {
    return this.#settings;
  }

  /** Changes some settings. Throws RangeError naming a setting that is unknown or out of range. */
  change(changes: Readonly<Record<string, unknown>>): void {
    this.#settings = changeFaults(this.#settings, changes);
  }

  /** Waits the extra delay; returns the status to fail with, or undefined to go on. Rejects on abort. */
  async beforeAnswer(signal: AbortSignal): Promise<number | undefined> {
    const { delayMs, failRate, failStatus } = this.#settings;
    if (delayMs > 0) await this.#clock.sleepUntil(this.#clock.now() + delayMs, signal);
    return this.#happens(failRate) ? failStatus : undefined;
  }

  /** True when this answer is to be cut in the middle. */
  cutsAnswer(): boolean {
    return this.#happens(this.#settings.resetRate);
  }

  /** True when this batch of KV events is to be lost. */
  losesEvents(): boolean {
    return this.#happens(this.#settings.eventLossRate);
  }

  #happens(rate: number): boolean {
    return rate > 0 && this.#random() < rate;
  }
}
