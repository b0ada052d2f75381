import type { WorkerHealth } from "./worker.ts";

/** When a worker's health changes, by consecutive observations. */
export interface HealthThresholds {
  /** Failed probes in a row that make a worker unhealthy, >= 1. */
  readonly failureThreshold: number;
  /** Good probes in a row that make an unhealthy worker healthy, >= 1. */
  readonly successThreshold: number;
  /** Failed requests in a row that make a worker unhealthy until a probe says otherwise; 0 = requests say nothing. */
  readonly requestFailureThreshold: number;
  /** Bad answers in a row that make a worker unhealthy, for a time at least; 0 = they say nothing. */
  readonly badAnswerThreshold: number;
}

/** The verdict on one worker, from probes and from the requests that it served. */
export class HealthRecord {
  readonly #thresholds: HealthThresholds;
  #probed: WorkerHealth = "unknown";
  #isMarked = false;
  #isHeld = false;
  #badAnswers = 0;
  #probeFailures = 0;
  #probeSuccesses = 0;
  #requestFailures = 0;

  constructor(thresholds: HealthThresholds) {
    this.#thresholds = thresholds;
  }

  /** A mark by failed requests stands above the probes' verdict. */
  get health(): WorkerHealth {
    return this.#isMarked ? "unhealthy" : this.#probed;
  }

  /** Whether failed requests, and no probe yet, say that the worker is unhealthy. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  /** Whether the mark stands whatever probes say. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  probeSucceeded(): void {
    this.#probeFailures = 0;
    this.#probeSuccesses++;
    const isEnough = this.#probeSuccesses >= this.#thresholds.successThreshold;
    if (this.#probed === "unknown" || isEnough) this.#probed = "healthy";
    if (isEnough && !this.#isHeld) this.clearMark();
  }

  probeFailed(): void {
    this.#probeSuccesses = 0;
    this.#probeFailures++;
    if (this.#probeFailures >= this.#thresholds.failureThreshold) this.#probed = "unhealthy";
  }

  requestFailed(): void {
    this.#requestFailures++;
    const { requestFailureThreshold } = this.#thresholds;
    if (requestFailureThreshold === 0 || this.#requestFailures < requestFailureThreshold) return;
    this.#isMarked = true;
    this.#probeSuccesses = 0;
  }

  badAnswer(): void {
    this.#badAnswers++;
    const { badAnswerThreshold } = this.#thresholds;
    if (badAnswerThreshold === 0 || this.#badAnswers < badAnswerThreshold) return;
    // The next one renews the mark, unless the worker has answered well meanwhile.
    this.#badAnswers = badAnswerThreshold - 1;
    this.#isMarked = true;
    this.#isHeld = true;
    this.#probeSuccesses = 0;
  }

  /** From here on probes may lift the mark. */
  endHold(): void {
    this.#isHeld = false;
  }

  requestSucceeded(): void {
    this.#badAnswers = 0;
    if (!this.#isHeld) this.clearMark();
  }

  clearMark(): void {
    this.#isMarked = false;
    this.#requestFailures = 0;
  }
}
