import type { FromShard, ToShard } from "./shard-messages.ts";

/** A process of ours. */
export interface SpawnedShard {
  /** Messages on their way to it that it has not read. */
  readonly waiting: number;
  /** Does nothing once the process is gone. */
  send(message: ToShard): void;
  onMessage(receive: (message: FromShard) => void): void;
  /** Told once, when the process has ended or could not be started. @param how for people */
  onEnd(ended: (how: string) => void): void;
  kill(signal: "SIGKILL"): void;
}

/** Timers, as a shard needs them. */
export interface ShardClock {
  /** Milliseconds on a monotonic scale. */
  now(): number;
  /** @returns a function that cancels it */
  after(delayMs: number, task: () => void): () => void;
}

/** Told of a shard. */
export interface ShardObserver {
  readyChanged(): void;
  message(message: Extract<FromShard, { kind: "message" }>): void;
  metrics(id: number, text: string): void;
  /** A piece of what answers the console. */
  console(id: number, text: string, isLast: boolean): void;
  /** It ended by itself. @param againMs pause before it is started again */
  ended(how: string, againMs: number): void;
}

/** When a shard is started again. */
export interface RestartOptions {
  readonly restartMinMs: number;
  readonly restartMaxMs: number;
  /** Most messages that wait for a shard; one that reads no more is stuck, and ended hard. */
  readonly maxWaitingMessages: number;
}

/** One shard, which is started again whenever it ends by itself, after a pause that doubles until it has been ready for as long as the longest. */
export class ShardProcess {
  readonly index: number;
  readonly #spawn: () => SpawnedShard;
  readonly #options: RestartOptions;
  readonly #clock: ShardClock;
  readonly #observer: ShardObserver;
  #process: SpawnedShard | undefined;
  #isReady = false;
  #readyAtMs = 0;
  #pauseMs = 0;
  #restarts = 0;
  #cancelStart: (() => void) | undefined;
  #gone: (() => void) | undefined;
  #isStopping = false;
  #isStuck = false;

  constructor(
    index: number,
    spawn: () => SpawnedShard,
    options: RestartOptions,
    clock: ShardClock,
    observer: ShardObserver,
  ) {
    this.index = index;
    this.#spawn = spawn;
    this.#options = options;
    this.#clock = clock;
    this.#observer = observer;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Times that it was started again. */
  get restarts(): number {
    return this.#restarts;
  }

  start(): void {
    let process: SpawnedShard;
    try {
      process = this.#spawn();
    } catch (error) {
      this.#ended(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#isStuck = false;
    this.#process = process;
    process.onMessage((message) => this.#receive(message));
    process.onEnd((how) => this.#end(process, how));
  }

  send(message: ToShard): void {
    const process = this.#process;
    if (process === undefined || this.#isStuck) return;
    if (process.waiting < this.#options.maxWaitingMessages) process.send(message);
    else {
      this.#isStuck = true;
      process.kill("SIGKILL");
    }
  }

  /** Lets it drain, and ends it hard after `timeoutMs`. Resolves when it is gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#cancelStart?.();
    const process = this.#process;
    if (process === undefined) return;
    const gone = new Promise<void>((resolve) => {
      this.#gone = resolve;
    });
    process.send({ kind: "stop" });
    const cancel = this.#clock.after(timeoutMs, () => process.kill("SIGKILL"));
    await gone;
    cancel();
  }

  #receive(message: FromShard): void {
    if (message.kind === "message") this.#observer.message(message);
    else if (message.kind === "metrics") this.#observer.metrics(message.id, message.text);
    else if (message.kind === "console") this.#observer.console(message.id, message.text, message.isLast);
    else this.#setReady(message.isReady);
  }

  #setReady(isReady: boolean): void {
    if (this.#isReady === isReady) return;
    this.#isReady = isReady;
    if (isReady) this.#readyAtMs = this.#clock.now();
    this.#observer.readyChanged();
  }

  #end(process: SpawnedShard, how: string): void {
    if (this.#process !== process) return;
    this.#ended(this.#isStuck ? `${how}: it did not read its messages` : how);
  }

  #ended(how: string): void {
    const { restartMinMs, restartMaxMs } = this.#options;
    const wasSteady = this.#isReady && this.#clock.now() - this.#readyAtMs >= restartMaxMs;
    this.#process = undefined;
    this.#setReady(false);
    this.#gone?.();
    if (this.#isStopping) return;
    this.#pauseMs = wasSteady || this.#pauseMs === 0 ? restartMinMs : Math.min(restartMaxMs, 2 * this.#pauseMs);
    this.#observer.ended(how, this.#pauseMs);
    // Whoever was told may have stopped it.
    if (this.#isStopping) return;
    this.#cancelStart = this.#clock.after(this.#pauseMs, () => {
      this.#restarts += 1;
      this.start();
    });
  }
}
