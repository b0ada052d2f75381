import type { MetricsSource } from "../../telemetry/index.ts";
import { ShardMetrics } from "../../telemetry/index.ts";
import { mergedPage, type ShardPage } from "./merged-metrics.ts";
import {
  type RestartOptions,
  type ShardClock,
  type ShardObserver,
  ShardProcess,
  type SpawnedShard,
} from "./shard-process.ts";

export interface SupervisorOptions extends RestartOptions {
  readonly count: number;
  /** Longest wait for a shard's metrics, ms. */
  readonly metricsTimeoutMs: number;
}

/** Told what comes of the shards. */
export interface SupervisorObserver {
  /** Whether requests can be answered. Not before every shard has been ready; then as long as one of them is. */
  ready(isReady: boolean): void;
  /** A shard ended by itself. @param wasAllReady false = the shards are still starting: the whole cannot be had */
  ended(shard: number, how: string, againMs: number, wasAllReady: boolean): void;
}

/** The value of the label `shard` of this process's own metrics. */
const supervisorName = "supervisor";

/** Keeps shards running, passes their messages on to all of them, and gives one page of metrics for all. */
export class ShardSupervisor implements MetricsSource {
  readonly #shards: readonly ShardProcess[];
  readonly #options: SupervisorOptions;
  readonly #clock: ShardClock;
  readonly #observer: SupervisorObserver;
  readonly #metrics: ShardMetrics;
  /** Shards whose metrics were on the last page. */
  #told: ReadonlySet<number> = new Set();
  readonly #awaited = new Map<string, (text: string) => void>();
  #lastId = 0;
  #wereAllReady = false;

  constructor(
    spawn: (index: number) => SpawnedShard,
    options: SupervisorOptions,
    clock: ShardClock,
    observer: SupervisorObserver,
  ) {
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
    this.#shards = Array.from(
      { length: options.count },
      (_, index) => new ShardProcess(index, () => spawn(index), options, clock, this.#shardObserver(index)),
    );
    this.#metrics = new ShardMetrics(() =>
      this.#shards.map(({ index, isReady, restarts }) => {
        return { shard: String(index), isReady, isTold: this.#told.has(index), restarts };
      }),
    );
  }

  get contentType(): string {
    return this.#metrics.contentType;
  }

  start(): void {
    for (const shard of this.#shards) shard.start();
  }

  /** Lets all drain, and ends hard what has not after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.stop(timeoutMs)));
  }

  /** The metrics of all shards that give theirs in time, told apart by the label `shard`, and of this process. */
  async render(): Promise<string> {
    const running = this.#shards.filter(({ isRunning }) => isRunning);
    const pages = (await Promise.all(running.map((shard) => this.#pageOf(shard)))).flatMap((page) => page ?? []);
    this.#told = new Set(pages.map(({ shard }) => Number(shard)));
    return mergedPage([{ shard: supervisorName, text: await this.#metrics.render() }, ...pages]);
  }

  #pageOf(shard: ShardProcess): Promise<ShardPage | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    const key = `${shard.index}/${id}`;
    return new Promise((resolve) => {
      const settle = (page: ShardPage | undefined) => {
        this.#awaited.delete(key);
        cancel();
        resolve(page);
      };
      const cancel = this.#clock.after(this.#options.metricsTimeoutMs, () => settle(undefined));
      this.#awaited.set(key, (text) => settle({ shard: String(shard.index), text }));
      shard.send({ kind: "metrics", id });
    });
  }

  #shardObserver(index: number): ShardObserver {
    return {
      readyChanged: () => this.#readyChanged(),
      message: (message) => {
        for (const shard of this.#shards) shard.send(message);
      },
      metrics: (id, text) => this.#awaited.get(`${index}/${id}`)?.(text),
      ended: (how, againMs) => this.#observer.ended(index, how, againMs, this.#wereAllReady),
    };
  }

  #readyChanged(): void {
    this.#wereAllReady ||= this.#shards.every(({ isReady }) => isReady);
    this.#observer.ready(this.#wereAllReady && this.#shards.some(({ isReady }) => isReady));
  }
}
