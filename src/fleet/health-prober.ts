import type { Catalogue } from "./catalogue.ts";
import { type HealthOptions, resolveHealthOptions } from "./health-options.ts";
import { HealthRecord } from "./health-record.ts";
import { type HealthProbe, HttpProbe } from "./http-probe.ts";
import { systemTimers, type Timers } from "./timers.ts";
import type { Worker } from "./worker.ts";

/** What a prober takes from outside. */
export interface HealthProberEnvironment {
  readonly timers: Timers;
  /** Uniform in [0,1). */
  readonly random: () => number;
  readonly probe: HealthProbe;
}

interface Watch {
  readonly worker: Worker;
  readonly record: HealthRecord;
  readonly end: AbortController;
  isProbing: boolean;
  /** Cancels the next probe, or the end of a mark. */
  cancelNext: () => void;
  /** Cancels the end of a mark that bad answers made. */
  cancelHold: () => void;
}

/**
 * Keeps the health of a catalogue's workers: probes each one's health path in turn, and hears from the surfaces which
 * workers could not be reached. Works from construction to `close`.
 */
export class HealthProber {
  readonly #catalogue: Catalogue;
  readonly #options: Required<HealthOptions>;
  readonly #environment: HealthProberEnvironment;
  readonly #watches = new Map<Worker, Watch>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;

  constructor(catalogue: Catalogue, options: HealthOptions = {}, environment: Partial<HealthProberEnvironment> = {}) {
    this.#catalogue = catalogue;
    this.#options = resolveHealthOptions(options);
    this.#environment = {
      timers: environment.timers ?? systemTimers,
      random: environment.random ?? Math.random,
      probe: environment.probe ?? new HttpProbe(),
    };
    this.#unsubscribe = catalogue.subscribe({
      onAdded: ({ worker }) => this.#watch(worker),
      onRemoved: ({ worker }) => this.#unwatch(worker),
      onTried: (worker, isReached) => (isReached ? this.reportSuccess(worker) : this.reportFailure(worker)),
    });
    for (const worker of catalogue.workers()) this.#watch(worker);
  }

  /** A request could not reach the worker. It gets nothing new until a probe or a later success says otherwise. */
  reportFailure(worker: Worker): void {
    const watch = this.#watches.get(worker);
    if (watch === undefined) return;
    const wasMarked = watch.record.isMarked;
    watch.record.requestFailed();
    this.#publish(watch);
    if (watch.record.isMarked && !wasMarked) this.#expireMark(watch);
  }

  /**
   * The worker broke an answer off, or could not answer what another could. A number of these in a row makes it unhealthy for a time; then
   * a probe, or where there are none the end of that time, gives it one more chance.
   */
  reportBadAnswer(worker: Worker): void {
    const watch = this.#watches.get(worker);
    if (watch === undefined) return;
    const wasHeld = watch.record.isHeld;
    watch.record.badAnswer();
    this.#publish(watch);
    if (watch.record.isHeld && !wasHeld) this.#hold(watch);
  }

  /** The worker answered a request. */
  reportSuccess(worker: Worker): void {
    const watch = this.#watches.get(worker);
    if (watch === undefined) return;
    watch.record.requestSucceeded();
    this.#publish(watch);
  }

  /** Ends all probes, waits for those under way, and closes connections. */
  async close(): Promise<void> {
    this.#unsubscribe();
    for (const worker of [...this.#watches.keys()]) this.#unwatch(worker);
    await Promise.all(this.#inFlight);
    this.#environment.probe.close();
  }

  #watch(worker: Worker): void {
    if (this.#watches.has(worker)) return;
    const record = new HealthRecord(this.#options);
    const watch = {
      worker,
      record,
      end: new AbortController(),
      isProbing: false,
      cancelNext: () => {},
      cancelHold: () => {},
    };
    this.#watches.set(worker, watch);
    const { intervalMs, jitter } = this.#options;
    if (intervalMs > 0) this.#probeAfter(watch, intervalMs * jitter * this.#environment.random());
  }

  #unwatch(worker: Worker): void {
    const watch = this.#watches.get(worker);
    this.#watches.delete(worker);
    watch?.cancelNext();
    watch?.cancelHold();
    watch?.end.abort();
  }

  /** A mark is looked into at once by a probe; where there are none it ends by itself. */
  #expireMark(watch: Watch): void {
    if (watch.isProbing) return;
    if (this.#isProbed(watch)) {
      this.#probeAfter(watch, 0);
      return;
    }
    watch.cancelNext();
    watch.cancelNext = this.#environment.timers.after(this.#options.requestFailureHoldMs, () => {
      if (!watch.record.isHeld) watch.record.clearMark();
      this.#publish(watch);
      if (this.#options.intervalMs > 0) this.#probeAfter(watch, this.#pauseMs());
    });
  }

  #hold(watch: Watch): void {
    watch.cancelHold = this.#environment.timers.after(this.#options.badAnswerHoldMs, () => {
      watch.record.endHold();
      if (!this.#isProbed(watch)) {
        watch.record.clearMark();
        this.#publish(watch);
      } else if (!watch.isProbing) this.#probeAfter(watch, 0);
    });
  }

  #isProbed(watch: Watch): boolean {
    return this.#options.intervalMs > 0 && watch.worker.healthPath !== undefined;
  }

  #probeAfter(watch: Watch, delayMs: number): void {
    watch.cancelNext();
    watch.cancelNext = this.#environment.timers.after(delayMs, () => {
      const probe = this.#probe(watch).finally(() => this.#inFlight.delete(probe));
      this.#inFlight.add(probe);
    });
  }

  async #probe(watch: Watch): Promise<void> {
    const { worker, record, end } = watch;
    if (worker.healthPath !== undefined) {
      watch.isProbing = true;
      const signal = AbortSignal.any([end.signal, AbortSignal.timeout(this.#options.timeoutMs)]);
      await this.#environment.probe.check(worker.endpoint, worker.healthPath, signal).then(
        () => record.probeSucceeded(),
        () => record.probeFailed(),
      );
      watch.isProbing = false;
    }
    if (end.signal.aborted) return;
    this.#publish(watch);
    this.#probeAfter(watch, this.#pauseMs());
  }

  /** The interval, longer or shorter by up to half the jitter. */
  #pauseMs(): number {
    const { intervalMs, jitter } = this.#options;
    return intervalMs * (1 + jitter * (this.#environment.random() - 0.5));
  }

  #publish(watch: Watch): void {
    this.#catalogue.setHealth(watch.worker, watch.record.health);
  }
}
