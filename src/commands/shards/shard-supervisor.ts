import type { MetricsSource } from "../../telemetry/index.ts";
import { ShardMetrics } from "../../telemetry/index.ts";
import { mergedPage, type ShardPage } from "./merged-metrics.ts";
import type { ConsoleQuestion, ToShard } from "./shard-messages.ts";
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

/** What a shard was asked for. */
interface Awaited {
  /** Pieces that have come. */
  readonly pieces: string[];
  readonly settle: (pieces: readonly string[] | undefined) => void;
}

/** A shard as the console shows it. */
export interface ShardStatus {
  readonly shard: number;
  readonly isReady: boolean;
  readonly restarts: number;
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
  readonly #awaited = new Map<string, Awaited>();
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

  /** As `Metrics.sampleConsole`. */
  sampleConsole(readers: () => number): ReturnType<ShardMetrics["sampleConsole"]> {
    return this.#metrics.sampleConsole(readers);
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

  async #pageOf(shard: ShardProcess): Promise<ShardPage | undefined> {
    const pieces = await this.#ask(shard, (id) => ({ kind: "metrics", id }));
    return pieces === undefined ? undefined : { shard: String(shard.index), text: pieces.join("") };
  }

  /** The shards, whether or not they run. */
  get shards(): readonly ShardStatus[] {
    return this.#shards.map(({ index, isReady, restarts }) => ({ shard: index, isReady, restarts }));
  }

  /** The text with which a shard answers the console, in pieces; undefined when it does not run, or not in time. */
  async askConsole(index: number, question: ConsoleQuestion): Promise<readonly string[] | undefined> {
    const shard = this.#shards[index];
    if (shard?.isRunning !== true) return undefined;
    return this.#ask(shard, (id) => ({ kind: "console", id, question }));
  }

  /** @returns undefined when no answer comes in time */
  #ask(shard: ShardProcess, question: (id: number) => ToShard): Promise<readonly string[] | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    const key = `${shard.index}/${id}`;
    return new Promise((resolve) => {
      const settle = (pieces: readonly string[] | undefined) => {
        this.#awaited.delete(key);
        cancel();
        resolve(pieces);
      };
      const cancel = this.#clock.after(this.#options.metricsTimeoutMs, () => settle(undefined));
      this.#awaited.set(key, { pieces: [], settle });
      shard.send(question(id));
    });
  }

  #shardObserver(index: number): ShardObserver {
    return {
      readyChanged: () => this.#readyChanged(),
      message: (message) => {
        for (const shard of this.#shards) shard.send(message);
      },
      metrics: (id, text) => this.#awaited.get(`${index}/${id}`)?.settle([text]),
      console: (id, text, isLast) => {
        const awaited = this.#awaited.get(`${index}/${id}`);
        if (awaited === undefined) return;
        awaited.pieces.push(text);
        if (isLast) awaited.settle(awaited.pieces);
      },
      ended: (how, againMs) => {
        for (const [key, { settle }] of this.#awaited) if (key.startsWith(`${index}/`)) settle(undefined);
        this.#observer.ended(index, how, againMs, this.#wereAllReady);
      },
    };
  }

  #readyChanged(): void {
    this.#wereAllReady ||= this.#shards.every(({ isReady }) => isReady);
    this.#observer.ready(this.#wereAllReady && this.#shards.some(({ isReady }) => isReady));
  }
}
