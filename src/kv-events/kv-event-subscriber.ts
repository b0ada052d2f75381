import { Subscriber } from "zeromq";
import { KvEventDecodeError } from "../kv/index.ts";
import { isIpv6 } from "./endpoint-family.ts";
import { EventApplier, type KvEventSink } from "./event-applier.ts";
import { type NumberedPayload, readFrames } from "./frames.ts";
import type { KvEventCounter, KvEventCounters, KvEventLog } from "./observer.ts";
import { ReplayError, replay } from "./replay-client.ts";
import { StreamPosition } from "./stream-position.ts";
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
  /** Sequence number of the last batch applied. */
  readonly lastSequence: number | undefined;
  /** Time since the last batch, live or replayed, or since the start when there was none, ms. */
  readonly silentMs: number;
  readonly hasSeenEvents: boolean;
  /** Block size of the engine when it is not the configured one. */
  readonly foreignBlockSize: number | undefined;
}

/**
 * Follows the KV events of one rank and keeps its part of the index true. Asks for a replay on each connect and at a gap; a
 * sequence number that goes back, or a batch that is not what it was, means that the engine has restarted: then the rank is
 * cleared and replayed from 0. While a replay runs, live batches wait in the socket, bounded in number and by the replay's
 * timeouts. A gap that cannot be repaired resets the rank or marks it stale. Call `start` once, and `close` at the end.
 */
export class KvEventSubscriber {
  readonly #options: ReturnType<typeof resolveSubscriberOptions>;
  readonly #log: KvEventLog;
  readonly #counters: KvEventCounters;
  readonly #clock: Clock;
  readonly #applier: EventApplier;
  readonly #position = new StreamPosition();
  readonly #socket: Subscriber;
  readonly #closing = new AbortController();
  #tasks: Promise<unknown> = Promise.resolve();
  /** Tail of the queue of steps: live batches and replays take turns. */
  #steps: Promise<void> = Promise.resolve();
  /** The replay has given all that the engine has since its start. */
  #isComplete = false;
  #isConnected = false;
  #isStale = false;
  #hasSeenEvents = false;
  #isReadable = true;
  #lastBatchAt: number;
  #replayNotBefore = Number.NEGATIVE_INFINITY;

  /** Throws RangeError for a bad option. */
  constructor(options: KvEventSubscriberOptions, dependencies: KvEventSubscriberDependencies) {
    this.#options = resolveSubscriberOptions(options);
    this.#log = dependencies.log;
    this.#counters = dependencies.counters;
    this.#clock = dependencies.clock;
    this.#lastBatchAt = dependencies.clock.now();
    this.#applier = new EventApplier(this.#options, dependencies, this.#closing.signal);
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
    return {
      isConnected: this.#isConnected,
      isStale: this.#isStale,
      lastSequence: this.#position.last,
      silentMs: this.#clock.now() - this.#lastBatchAt,
      hasSeenEvents: this.#hasSeenEvents,
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
   * Closes the sockets. From the call on nothing is changed in the index any more; the rank's prefixes stay in it. Resolves
   * when all that was under way has ended.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#socket.closed) this.#socket.close();
    await this.#tasks;
    await this.#steps;
  }

  async #receive(): Promise<void> {
    for await (const frames of this.#socket) {
      const message = readFrames(frames);
      if (message === undefined || message === "end") {
        this.#count("bad_batches");
        continue;
      }
      await this.#step(() => this.#onLive(message));
    }
  }

  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#socket.events) {
      if (type === "disconnect") this.#isConnected = false;
      if (type !== "handshake") continue;
      this.#isConnected = true;
      // Not awaited: the step waits for its turn, and `close` waits for the steps.
      void this.#step(async () => {
        await this.#catchUp();
      });
    }
  }

  /** Runs `work` after all earlier steps. A failure loses track of the stream, but not the subscription. */
  #step(work: () => Promise<void>): Promise<void> {
    this.#steps = this.#steps
      .then(() => (this.#closing.signal.aborted ? undefined : work()))
      .catch((error: unknown) => this.#onFailure(error, () => this.#loseTrack()))
      .catch((error: unknown) => this.#onFailure(error, async () => undefined));
    return this.#steps;
  }

  async #onFailure(error: unknown, recover: () => Promise<void>): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#count("failed_batches");
    this.#log.warn({ slot: this.#options.slot, err: error }, "applying KV events failed");
    await recover();
  }

  async #onLive(message: NumberedPayload): Promise<void> {
    const { sequence, payload } = message;
    this.#count("batches");
    if (!this.#isComplete) await this.#catchUp();
    let verdict = this.#position.judgeLive(sequence, payload);
    if (verdict === "restart") {
      await this.#restart();
      await this.#catchUp();
      verdict = this.#position.judgeLive(sequence, payload);
    } else if (verdict === "gap") {
      this.#count("gaps");
      await this.#catchUp();
      verdict = this.#position.judgeLive(sequence, payload);
    }
    if (verdict === "gap") await this.#loseTrack();
    if (verdict === "duplicate") this.#count("duplicate_batches");
    else await this.#apply(message);
    this.#position.noteLive(sequence);
  }

  /** Applies what the engine still has and we have not, and finds out whether it is the engine that we knew. */
  async #catchUp(): Promise<void> {
    const { replayEndpoint } = this.#options;
    if (replayEndpoint === undefined || this.#clock.now() < this.#replayNotBefore) return;
    try {
      const { last } = this.#position;
      if (this.#isComplete && last !== undefined && !(await this.#replayOnto(replayEndpoint, last)))
        await this.#restart();
      if (!this.#isComplete || last === undefined) await this.#replayFromStart(replayEndpoint);
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error;
      this.#replayNotBefore = this.#clock.now() + this.#options.replayBackoffMs;
      this.#count("replay_failures");
      this.#log.warn({ slot: this.#options.slot, reason: error.message }, "no replay of KV events");
    }
  }

  /** Continues from the last batch that we have. Returns false when the engine no longer has that one as it was. */
  async #replayOnto(replayEndpoint: string, last: number): Promise<boolean> {
    let isFirst = true;
    for await (const message of this.#replay(replayEndpoint, last)) {
      const { sequence, payload } = message;
      if (isFirst && sequence === last) {
        if (!this.#position.isSame(sequence, payload)) return false;
      } else {
        await this.#applyReplayed(message);
      }
      isFirst = false;
    }
    return !isFirst;
  }

  async #replayFromStart(replayEndpoint: string): Promise<void> {
    let isFirst = true;
    for await (const message of this.#replay(replayEndpoint, 0)) {
      // What was applied before this, without a beginning, is told again from the beginning.
      if (isFirst && this.#position.last !== undefined) await this.#forget();
      isFirst = false;
      await this.#applyReplayed(message);
    }
    this.#isComplete = true;
    if (!isFirst) this.#isStale = false;
  }

  #replay(replayEndpoint: string, sequence: number): AsyncGenerator<NumberedPayload, void, undefined> {
    this.#count("replays");
    const { replayIdleMs: idleMs, replayTotalMs: totalMs } = this.#options;
    return replay(replayEndpoint, sequence, { idleMs, totalMs }, this.#clock, this.#closing.signal);
  }

  async #applyReplayed(message: NumberedPayload): Promise<void> {
    const { last } = this.#position;
    if (last !== undefined && message.sequence <= last) return;
    this.#count("replayed_batches");
    if (last !== undefined && message.sequence > last + 1) await this.#loseTrack();
    await this.#apply(message);
  }

  async #apply({ sequence, payload }: NumberedPayload): Promise<void> {
    this.#position.accept(sequence, payload);
    this.#hasSeenEvents = true;
    this.#lastBatchAt = this.#clock.now();
    try {
      if (await this.#applier.apply(payload)) this.#isStale = false;
      this.#isReadable = true;
    } catch (error) {
      if (!(error instanceof KvEventDecodeError)) throw error;
      this.#count("bad_batches");
      // Once, until a good one comes: an engine of an unknown format sends nothing else.
      if (this.#isReadable) {
        this.#log.warn({ slot: this.#options.slot, reason: error.message }, "KV events are unreadable");
      }
      this.#isReadable = false;
      await this.#loseTrack();
    }
  }

  async #restart(): Promise<void> {
    this.#count("restarts");
    this.#log.info({ slot: this.#options.slot }, "the engine's KV events begin anew: its prefixes are forgotten");
    await this.#forget();
  }

  /** Events are missing for good. */
  async #loseTrack(): Promise<void> {
    this.#count("lost_tracks");
    const { slot, onLostTrack } = this.#options;
    if (this.#isReadable) this.#log.warn({ slot, onLostTrack }, "KV events were lost and could not be replayed");
    if (onLostTrack === "stale") this.#isStale = true;
    else this.#applier.clear();
  }

  async #forget(): Promise<void> {
    this.#position.reset();
    this.#isComplete = false;
    this.#isStale = false;
    this.#applier.clear();
  }

  #count(counter: KvEventCounter): void {
    this.#counters.add(counter, this.#options.slot, 1);
  }
}
