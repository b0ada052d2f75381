import { Subscriber } from "zeromq";
import { isIpv6 } from "./endpoint-family.ts";
import { EventApplier, type KvEventSink } from "./event-applier.ts";
import { endOfReplay, readFrames } from "./frames.ts";
import type { KvEventCounter, KvEventCounters, KvEventLog } from "./observer.ts";
import { RareLog } from "./rare-log.ts";
import { replay } from "./replay-client.ts";
import { type Replay, StreamFollower } from "./stream-follower.ts";
import { type KvEventSubscriberOptions, resolveSubscriberOptions } from "./subscriber-options.ts";
import type { Clock, TurnBudget } from "./turn-budget.ts";

/** What the subscriber needs from outside. */
export interface KvEventSubscriberDependencies {
  readonly sink: KvEventSink;
  /** One for all subscribers of the process. */
  readonly budget: TurnBudget;
  readonly counters: KvEventCounters;
  readonly log: KvEventLog;
  readonly clock: Clock;
}

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
    const replay = this.#replay();
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
      receiveHighWaterMark: this.#options.maxPendingBatches,
    });
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
      foreignBlockSize: this.#applier.foreignBlockSize,
    };
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
    if (!this.#socket.closed) this.#socket.close();
    await this.#tasks;
    await this.#steps;
  }

  #replay(): Replay | undefined {
    const { replayEndpoint, replayIdleMs: idleMs, replayTotalMs: totalMs, maxBatchBytes } = this.#options;
    if (replayEndpoint === undefined) return undefined;
    return (sequence) =>
      replay(replayEndpoint, sequence, { idleMs, totalMs, maxBatchBytes }, this.#clock, this.#closing.signal);
  }

  async #receive(): Promise<void> {
    for await (const frames of this.#socket) {
      const message = readFrames(frames, this.#options.maxBatchBytes);
      if (message === undefined || message === endOfReplay) {
        this.#count("bad_batches");
        continue;
      }
      await this.#step(() => this.#follower.onLive(message));
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#socket.events) {
      if (type === "disconnect") this.#isConnected = false;
      if (type !== "handshake") continue;
      this.#isConnected = true;
      // Not awaited: the step waits for its turn, and `close` waits for the steps.
      void this.#step(() => this.#follower.catchUp());
    }
  }

  /** Runs `work` after all earlier steps. A failure loses track of the stream, but not the subscription. */
  #step(work: () => Promise<void>): Promise<void> {
    this.#steps = this.#steps
      .then(() => (this.#closing.signal.aborted ? undefined : work()))
      .catch((error: unknown) => this.#onFailure(error, () => this.#follower.onFailure()))
      .catch((error: unknown) => this.#onFailure(error, async () => undefined));
    return this.#steps;
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
