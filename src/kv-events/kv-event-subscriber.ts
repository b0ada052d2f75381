import { Subscriber } from "zeromq";
import { RareLog } from "../telemetry/index.ts";
import { isIpv6 } from "./endpoint-family.ts";
import { EventApplier, type KvEventSink } from "./event-applier.ts";
import { endOfReplay, readFrames } from "./frames.ts";
import type { KvEventCounter, KvEventCounters, KvEventLog } from "./observer.ts";
import { replay } from "./replay-client.ts";
import { type Replay, StreamFollower } from "./stream-follower.ts";
import type { StreamPoint } from "./stream-position.ts";
import { type KvEventSubscriberOptions, resolveSubscriberOptions } from "./subscriber-options.ts";
import type { Clock, TurnBudget } from "./turn-budget.ts";
import { type BatchMemory, WaitingBatches } from "./waiting-batches.ts";
import { wholeReplay } from "./whole-replay.ts";

/** What another follower's picture of a rank says of its stream. */
export interface RestoredRank {
  /** How far that one had applied the stream; undefined = it does not say. */
  readonly point: StreamPoint | undefined;
}

/** What the subscriber needs from outside. */
export interface KvEventSubscriberDependencies {
  readonly sink: KvEventSink;
  /** One for all subscribers of the process. */
  readonly budget: TurnBudget;
  readonly counters: KvEventCounters;
  readonly log: KvEventLog;
  readonly clock: Clock;
  /** One for all subscribers of the process. */
  readonly memory: BatchMemory;
  /**
   * Resolves when another follower's picture of the rank is in the index, or none is to be had. Live batches wait until then; the engine
   * is asked for nothing. Absent = there is nothing to wait for.
   */
  readonly restored?: Promise<RestoredRank | undefined> | undefined;
}

/** Messages that wait in the library's queue: the others wait here, where they are counted, or with the engine. */
const socketMessages = 16;

/** State of one rank's stream, for metrics and for people. */
export interface KvEventStatus {
  readonly isConnected: boolean;
  /** Events were lost, and the prefixes may be wrong (with `onLostTrack: "stale"`). */
  readonly isStale: boolean;
  /** The last batch could be read. */
  readonly isReadable: boolean;
  /** Sequence number of the last batch applied. */
  readonly lastSequence: number | undefined;
  /** Time since the last batch, live or replayed, or since the start when there was none, ms. */
  readonly silentMs: number;
  readonly hasSeenEvents: boolean;
  /** When the engine sent the last batch, by its own clock, ms since 1970; undefined when it does not say. */
  readonly lastSentAtMs: number | undefined;
  /** Block size of the engine when it is not the configured one. */
  readonly foreignBlockSize: number | undefined;
}

/**
 * The sockets to one rank's engine: receives its KV events, and has them followed by a `StreamFollower`, one step at a time. Catches
 * up on each connect. While a replay runs, live batches wait in the socket, bounded in number and by the replay's timeouts. Call
 * `start` once, and `close` at the end.
 */
export class KvEventSubscriber {
  readonly #options: ReturnType<typeof resolveSubscriberOptions>;
  readonly #log: KvEventLog;
  readonly #counters: KvEventCounters;
  readonly #clock: Clock;
  readonly #applier: EventApplier;
  readonly #follower: StreamFollower;
  readonly #socket: Subscriber;
  readonly #closing = new AbortController();
  readonly #waiting: WaitingBatches;
  readonly #caughtUp = Promise.withResolvers<void>();
  /** A step that applies what waits is under way. */
  #isApplying = false;
  #hasAskedEngine = false;
  #tasks: Promise<unknown> = Promise.resolve();
  /** Tail of the queue of steps: live batches and replays take turns. */
  #steps: Promise<void> = Promise.resolve();
  readonly #startedAt: number;
  #isConnected = false;
  #checkedBatchAt: number | undefined;

  /** Throws RangeError for a bad option. */
  constructor(options: KvEventSubscriberOptions, dependencies: KvEventSubscriberDependencies) {
    this.#options = resolveSubscriberOptions(options);
    this.#log = new RareLog(dependencies.log, dependencies.clock);
    this.#counters = dependencies.counters;
    this.#clock = dependencies.clock;
    this.#startedAt = dependencies.clock.now();
    this.#applier = new EventApplier(this.#options, dependencies, this.#closing.signal);
    const replay = this.#replay(dependencies.memory);
    this.#waiting = new WaitingBatches(dependencies.memory, this.#options.maxPendingBatches);
    this.#follower = new StreamFollower(this.#options, {
      ...dependencies,
      log: this.#log,
      applier: this.#applier,
      replay,
    });
    // Intervals as Dynamo's listener has them (dynamo@1.6.1 kv-router).
    this.#socket = new Subscriber({
      linger: 0,
      ipv6: isIpv6(this.#options.endpoint),
      reconnectInterval: this.#options.reconnectMinMs,
      reconnectMaxInterval: this.#options.reconnectMaxMs,
      heartbeatInterval: 5_000,
      heartbeatTimeout: 15_000,
      heartbeatTimeToLive: 15_000,
      tcpKeepalive: 1,
      receiveHighWaterMark: socketMessages,
    });
    const { restored } = dependencies;
    if (restored !== undefined) void this.#step(() => this.#open(restored));
  }

  get status(): KvEventStatus {
    const { isStale, isReadable, lastSequence, lastBatchAt } = this.#follower;
    return {
      isConnected: this.#isConnected,
      isStale,
      isReadable,
      lastSequence,
      silentMs: this.#clock.now() - (lastBatchAt ?? this.#startedAt),
      hasSeenEvents: lastBatchAt !== undefined,
      lastSentAtMs: this.#applier.lastSentAtMs,
      foreignBlockSize: this.#applier.foreignBlockSize,
    };
  }

  /** How far what is held of the rank can be relied on, for another follower of its stream; undefined = nothing is known. */
  get point(): StreamPoint | undefined {
    return this.#follower.point;
  }

  /**
   * Resolves when the rank was restored, and its engine's replay and all that had come in by then are applied; not before the
   * engine was reached, unless the subscription is closed.
   */
  get caughtUp(): Promise<void> {
    return this.#caughtUp.promise;
  }

  /** Connects; an engine that is not there yet is waited for. Throws for an address that is none. */
  start(): void {
    const { endpoint, topic } = this.#options;
    const watching = this.#watchConnection();
    try {
      this.#socket.subscribe(topic);
      this.#socket.connect(endpoint);
    } catch (cause) {
      this.#socket.close();
      throw new Error(`cannot subscribe to KV events at '${endpoint}'`, { cause });
    }
    this.#tasks = Promise.all([watching, this.#receive()]);
  }

  /**
   * When the stream has been quiet for so long, asks once whether its last batches were missed: a gap shows only with the batch
   * after it.
   */
  checkQuiet(quietMs: number): void {
    const { lastBatchAt } = this.#follower;
    if (!this.#isConnected || lastBatchAt === undefined || lastBatchAt === this.#checkedBatchAt) return;
    if (this.#clock.now() - lastBatchAt < quietMs) return;
    this.#checkedBatchAt = lastBatchAt;
    void this.#step(() => this.#follower.catchUp());
  }

  /**
   * Closes the sockets. From the call on nothing is changed in the index any more; the rank's prefixes stay in it. Resolves
   * when all that was under way has ended.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#waiting.close();
    this.#caughtUp.resolve();
    if (!this.#socket.closed) this.#socket.close();
    await this.#tasks;
    await this.#steps;
  }

  #replay(memory: BatchMemory): Replay | undefined {
    const { replayEndpoint, replayIdleMs: idleMs, replayTotalMs: totalMs, maxBatchBytes } = this.#options;
    const maxMessages = this.#options.maxPendingBatches;
    if (replayEndpoint === undefined) return undefined;
    return wholeReplay((sequence) =>
      replay(
        replayEndpoint,
        sequence,
        { idleMs, totalMs, maxMessages, maxBatchBytes },
        { clock: this.#clock, memory },
        this.#closing.signal,
      ),
    );
  }

  async #receive(): Promise<void> {
    for await (const frames of this.#socket) {
      const message = readFrames(frames, this.#options.maxBatchBytes);
      if (message === undefined || message === endOfReplay) {
        this.#count("bad_batches");
        continue;
      }
      this.#waiting.add(message);
      this.#applyWaiting();
      await this.#waiting.room();
    }
  }

  /** One batch a step, so that replays get their turns. */
  #applyWaiting(): void {
    if (this.#isApplying || this.#waiting.count === 0 || this.#closing.signal.aborted) return;
    this.#isApplying = true;
    // Not awaited: `close` waits for the steps.
    void this.#step(async () => {
      const message = this.#waiting.shift();
      if (message !== undefined) await this.#follower.onLive(message);
    }).then(() => {
      this.#isApplying = false;
      this.#applyWaiting();
    });
  }

  /** Lets nothing be applied before the rank was restored. */
  async #open(restored: Promise<RestoredRank | undefined>): Promise<void> {
    const closed = new Promise<undefined>((resolve) => {
      this.#closing.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    const rank = await Promise.race([restored, closed]);
    if (rank === undefined) return;
    this.#follower.resume(rank.point);
    await this.#follower.rejoin(this.#waiting, this.#isConnected);
  }

  async #askEngine(): Promise<void> {
    await this.#follower.catchUp();
    this.#hasAskedEngine = true;
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#socket.events) {
      if (type === "disconnect") this.#isConnected = false;
      if (type !== "handshake") continue;
      this.#isConnected = true;
      // Not awaited: the step waits for its turn, and `close` waits for the steps.
      void this.#step(() => this.#askEngine());
    }
  }

  /** Runs `work` after all earlier steps. A failure loses track of the stream, but not the subscription. */
  #step(work: () => Promise<void>): Promise<void> {
    this.#steps = this.#steps
      .then(() => (this.#closing.signal.aborted ? undefined : work()))
      .catch((error: unknown) => this.#onFailure(error, () => this.#follower.onFailure()))
      .catch((error: unknown) => this.#onFailure(error, async () => undefined))
      .then(() => this.#lookWhetherCaughtUp());
    return this.#steps;
  }

  #lookWhetherCaughtUp(): void {
    if (!this.#hasAskedEngine || this.#waiting.count > 0) return;
    this.#follower.settle();
    this.#caughtUp.resolve();
  }

  async #onFailure(error: unknown, recover: () => Promise<void>): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#count("failed_batches");
    this.#log.warn({ slot: this.#options.slot, err: error }, "applying KV events failed");
    await recover();
  }

  #count(counter: KvEventCounter): void {
    this.#counters.add(counter, this.#options.slot, 1);
  }
}
