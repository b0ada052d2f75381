import type { Catalogue } from "../catalogue.ts";
import { systemTimers, type Timers } from "../timers.ts";
import type { Worker, WorkerRank } from "../worker.ts";
import { HttpMetricsPages, type MetricsPages } from "./metrics-page.ts";
import { type EngineFigures, parseEngineFigures } from "./parse-figures.ts";

/** How engines are asked. */
export interface EnginePollerOptions {
  /** HTTP path of the metrics page. */
  readonly path: string;
  /** Pause between two pages of a worker, ms. > 0. */
  readonly intervalMs: number;
  /** Longest wait for a whole page, ms. > 0. */
  readonly timeoutMs: number;
  /** Longest page, in bytes. */
  readonly maxPageBytes: number;
}

/** What a poller takes from outside. */
export interface EnginePollerEnvironment {
  readonly timers: Timers;
  /** Uniform in [0,1). */
  readonly random: () => number;
  readonly pages: MetricsPages;
}

/** Told what was read. */
export interface EngineObserver {
  observed(rank: WorkerRank, figures: EngineFigures): void;
  /** A page could not be had; the figures of before stand. */
  missed(worker: Worker, cause: unknown): void;
}

interface Watch {
  readonly worker: Worker;
  readonly end: AbortController;
  cancelNext: () => void;
}

/** Part of the interval by which pauses vary, so that replicas do not ask in step. */
const jitter = 0.2;

/** Asks the engines of a catalogue's workers for their own figures, from construction to `close`. */
export class EnginePoller {
  readonly #options: EnginePollerOptions;
  readonly #observer: EngineObserver;
  readonly #environment: EnginePollerEnvironment;
  readonly #watches = new Map<Worker, Watch>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;

  constructor(
    catalogue: Catalogue,
    options: EnginePollerOptions,
    observer: EngineObserver,
    environment: Partial<EnginePollerEnvironment> = {},
  ) {
    this.#options = options;
    this.#observer = observer;
    this.#environment = {
      timers: environment.timers ?? systemTimers,
      random: environment.random ?? Math.random,
      pages: environment.pages ?? new HttpMetricsPages(),
    };
    this.#unsubscribe = catalogue.subscribe({
      onAdded: ({ worker }) => this.#watch(worker),
      onRemoved: ({ worker }) => this.#unwatch(worker),
    });
    for (const worker of catalogue.workers()) this.#watch(worker);
  }

  /** Ends all polls, waits for those under way, and closes connections. */
  async close(): Promise<void> {
    this.#unsubscribe();
    for (const worker of [...this.#watches.keys()]) this.#unwatch(worker);
    await Promise.all(this.#inFlight);
    this.#environment.pages.close();
  }

  #watch(worker: Worker): void {
    if (this.#watches.has(worker)) return;
    const watch = { worker, end: new AbortController(), cancelNext: () => {} };
    this.#watches.set(worker, watch);
    this.#pollAfter(watch, this.#options.intervalMs * jitter * this.#environment.random());
  }

  #unwatch(worker: Worker): void {
    const watch = this.#watches.get(worker);
    this.#watches.delete(worker);
    watch?.cancelNext();
    watch?.end.abort();
  }

  #pollAfter(watch: Watch, delayMs: number): void {
    watch.cancelNext = this.#environment.timers.after(delayMs, () => {
      const poll = this.#poll(watch).finally(() => this.#inFlight.delete(poll));
      this.#inFlight.add(poll);
    });
  }

  async #poll(watch: Watch): Promise<void> {
    const { worker, end } = watch;
    const { path, timeoutMs, maxPageBytes, intervalMs } = this.#options;
    const signal = AbortSignal.any([end.signal, AbortSignal.timeout(timeoutMs)]);
    const address = worker.metricsEndpoint ?? worker.endpoint;
    try {
      const page = await this.#environment.pages.fetch(address, path, maxPageBytes, signal);
      if (!end.signal.aborted) this.#tell(worker, page);
    } catch (cause) {
      if (!end.signal.aborted) this.#observer.missed(worker, cause);
    }
    if (end.signal.aborted) return;
    this.#pollAfter(watch, intervalMs * (1 + jitter * (this.#environment.random() - 0.5)));
  }

  /** An engine counts its ranks from 0, whatever number the first one has in the deployment. */
  #tell(worker: Worker, page: string): void {
    const figures = parseEngineFigures(page);
    for (const [index, rank] of worker.ranks.entries()) {
      const own = figures.get(rank.dpRank) ?? figures.get(index);
      if (own !== undefined) this.#observer.observed(rank, own);
    }
  }
}
