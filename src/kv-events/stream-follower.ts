import { KvEventDecodeError } from "../kv/index.ts";
import type { EventApplier } from "./event-applier.ts";
import type { NumberedPayload } from "./frames.ts";
import type { KvEventCounter, KvEventCounters, KvEventLog } from "./observer.ts";
import { ReplayError } from "./replay-error.ts";
import { type StreamPoint, StreamPosition, type Verdict } from "./stream-position.ts";
import type { LostTrackPolicy } from "./subscriber-options.ts";
import type { Clock } from "./turn-budget.ts";
import type { WaitingBatches } from "./waiting-batches.ts";

/** Asks the engine for the batches that it still has, from `sequence` on. Throws ReplayError when it does not answer to the end. */
export type Replay = (sequence: number) => AsyncIterable<NumberedPayload>;

export interface StreamFollowerOptions {
  readonly slot: number;
  readonly onLostTrack: LostTrackPolicy;
  /** After a failed replay no other is tried for this long, ms. */
  readonly replayBackoffMs: number;
}

export interface StreamFollowerDependencies {
  readonly applier: EventApplier;
  /** Undefined = the engine cannot replay. */
  readonly replay: Replay | undefined;
  readonly counters: KvEventCounters;
  readonly log: KvEventLog;
  readonly clock: Clock;
}

/**
 * Keeps a rank's part of the index true to its engine's stream: judges each live batch by its number and content, fetches what is
 * missing, and starts anew when the engine did. A gap that cannot be repaired resets the rank or marks it stale. Calls must not
 * overlap.
 */
export class StreamFollower {
  readonly #options: StreamFollowerOptions;
  readonly #applier: EventApplier;
  readonly #replay: Replay | undefined;
  readonly #counters: KvEventCounters;
  readonly #log: KvEventLog;
  readonly #clock: Clock;
  readonly #position = new StreamPosition();
  /** The replay has given all that the engine has since its start. */
  #isComplete = false;
  /** What is held comes from elsewhere, and may have been told by the batches that are still to be replayed. */
  #isRestored: boolean;
  /** Batches may tell of blocks that are known from elsewhere: those are no further copies. */
  #isCatchingUp = false;
  /** Events were lost since all was known. */
  #hasLost = false;
  /** The last batch that was applied to its end. */
  #appliedTo: number | undefined;
  #isStale = false;
  #isReadable = true;
  #lastBatchAt: number | undefined;
  #replayNotBefore = Number.NEGATIVE_INFINITY;

  constructor(options: StreamFollowerOptions, dependencies: StreamFollowerDependencies) {
    this.#options = options;
    this.#applier = dependencies.applier;
    this.#replay = dependencies.replay;
    this.#counters = dependencies.counters;
    this.#log = dependencies.log;
    this.#clock = dependencies.clock;
    this.#isRestored = dependencies.applier.hasBlocks;
  }

  /** Events were lost, and the prefixes may be wrong. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** The last batch could be read. */
  get isReadable(): boolean {
    return this.#isReadable;
  }

  /** Sequence number of the last batch applied. */
  get lastSequence(): number | undefined {
    return this.#position.last;
  }

  /** When the last batch was applied, by the clock; undefined before the first. */
  get lastBatchAt(): number | undefined {
    return this.#lastBatchAt;
  }

  /** How far what is held can be relied on, for another follower of the same stream; undefined = nothing is known. */
  get point(): StreamPoint | undefined {
    const sequence = this.#appliedTo;
    const content = sequence === undefined ? undefined : this.#position.contentAt(sequence);
    if (sequence === undefined || content === undefined || this.#isStale) return undefined;
    return { sequence, content, isComplete: this.#isComplete && !this.#hasLost };
  }

  /**
   * What the rank holds by now comes from another follower, which had applied the stream as far as `point`, if that is known. To
   * be called before all else. Batches are taken as known in part until `settle`.
   */
  resume(point: StreamPoint | undefined): void {
    this.#isRestored = true;
    this.#isCatchingUp = true;
    // With a replay, all that the engine has is better than a picture with something missing.
    if (point === undefined || (this.#replay !== undefined && !point.isComplete)) return;
    this.#position.resume(point);
    this.#isComplete = point.isComplete;
    this.#appliedTo = point.sequence;
  }

  /**
   * Goes on where what was restored ends, with the live batches that came since before it was made. What the engine still has is
   * applied first, unless it begins after those, or is another process's than the first of them.
   * @param canAsk whether the engine is there
   */
  async rejoin(waiting: WaitingBatches, canAsk: boolean): Promise<void> {
    if (canAsk && this.#position.last === undefined && !waiting.hasRestart) {
      await this.#ask((replay) => this.#replayFromStart(replay, waiting.oldest?.sequence));
    }
    waiting.dropKnown(({ sequence, payload }) => this.#position.isSame(sequence, payload));
    if (waiting.count > 0) this.#isComplete = true;
    for (let left = waiting.count; left > 0; left--) {
      const message = waiting.shift();
      if (message !== undefined) await this.onLive(message);
    }
  }

  /** From here on batches tell of what nobody can have known before. */
  settle(): void {
    this.#isCatchingUp = false;
  }

  async onLive(message: NumberedPayload): Promise<void> {
    this.#count("batches");
    if (!this.#isComplete) await this.catchUp();
    let verdict = this.#judge(message);
    if (verdict === "restart") {
      await this.#restart();
      // Before its first batch there is nothing to be replayed, and what comes after it comes live.
      if (message.sequence === 0) this.#isComplete = true;
      else await this.catchUp();
      verdict = this.#judge(message);
    } else if (verdict === "gap") {
      this.#count("gaps");
      await this.catchUp();
      verdict = this.#judge(message);
      if (verdict !== "gap") this.#log.info({ slot: this.#options.slot }, "KV events were missed and replayed");
    }
    if (verdict === "gap") await this.#loseTrack();
    if (verdict === "first" && message.sequence === 0) this.#beginStory();
    // Still no higher than what a replay has brought: it is from before the first batch of that.
    if (verdict === "duplicate" || verdict === "restart") this.#count("duplicate_batches");
    else await this.#apply(message, !this.#isCatchingUp);
    if (!this.#isCatchingUp) this.#isRestored = false;
    this.#position.noteLive(message.sequence);
  }

  #judge({ sequence, payload }: NumberedPayload): Verdict {
    const verdict = this.#position.judgeLive(sequence, payload);
    // An engine that had nothing to replay begins with 0.
    return verdict === "first" && this.#isComplete && !this.#isRestored && sequence > 0 ? "gap" : verdict;
  }

  /** Applies what the engine still has and we have not, and finds out whether it is the engine that we knew. */
  async catchUp(): Promise<void> {
    await this.#ask(async (replay) => {
      const { last } = this.#position;
      if (this.#isComplete && last !== undefined && !(await this.#replayOnto(replay, last))) await this.#restart();
      if (!this.#isComplete || last === undefined) await this.#replayFromStart(replay);
    });
  }

  async #ask(work: (replay: Replay) => Promise<void>): Promise<void> {
    if (this.#replay === undefined || this.#clock.now() < this.#replayNotBefore) return;
    try {
      await work(this.#replay);
    } catch (error) {
      if (!(error instanceof ReplayError)) throw error;
      this.#replayNotBefore = this.#clock.now() + this.#options.replayBackoffMs;
      this.#count("replay_failures");
      this.#log.warn({ slot: this.#options.slot, reason: error.message }, "no replay of KV events");
    }
  }

  /** Applying failed: what is held can no longer be relied on. */
  async onFailure(): Promise<void> {
    await this.#loseTrack();
  }

  /** Continues from the last batch that we have. Returns false when the engine no longer has that one as it was. */
  async #replayOnto(replay: Replay, last: number): Promise<boolean> {
    let isFirst = true;
    this.#count("replays");
    for await (const message of replay(last)) {
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

  /** @param latestStart leaves the replay alone when it begins later */
  async #replayFromStart(replay: Replay, latestStart = Number.POSITIVE_INFINITY): Promise<void> {
    let isFirst = true;
    this.#count("replays");
    for await (const message of replay(0)) {
      if (isFirst && message.sequence > latestStart) return;
      if (isFirst) await this.#beginReplay(message.sequence);
      isFirst = false;
      await this.#applyReplayed(message);
    }
    // One that has never told anything holds nothing.
    if (isFirst) this.#beginStory();
    else this.#isStale = false;
    this.#isComplete = true;
    this.#isRestored = false;
    this.#hasLost = false;
  }

  async #beginReplay(sequence: number): Promise<void> {
    // What was applied before this, without a beginning, is told again from the beginning.
    if (this.#position.last !== undefined) await this.#forget();
    else if (sequence === 0) this.#beginStory();
  }

  /** The engine's first batch: what was restored is in what follows, or was another engine's. */
  #beginStory(): void {
    if (!this.#isRestored) return;
    this.#applier.clear();
    this.#isRestored = false;
    this.#isCatchingUp = false;
  }

  async #applyReplayed(message: NumberedPayload): Promise<void> {
    const { last } = this.#position;
    if (last !== undefined && message.sequence <= last) return;
    this.#count("replayed_batches");
    if (last !== undefined && message.sequence > last + 1) await this.#loseTrack();
    await this.#apply(message, !this.#isRestored && !this.#isCatchingUp);
  }

  async #apply({ sequence, payload }: NumberedPayload, isCounted: boolean): Promise<void> {
    this.#position.accept(sequence, payload);
    this.#lastBatchAt = this.#clock.now();
    try {
      if (await this.#applier.apply(payload, isCounted)) {
        this.#isStale = false;
        this.#hasLost = false;
      }
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
    this.#appliedTo = sequence;
  }

  async #restart(): Promise<void> {
    this.#count("restarts");
    this.#log.info({ slot: this.#options.slot }, "the engine's KV events begin anew: its prefixes are forgotten");
    await this.#forget();
  }

  /** Events are missing for good. */
  async #loseTrack(): Promise<void> {
    this.#count("lost_tracks");
    this.#hasLost = true;
    const { slot, onLostTrack } = this.#options;
    if (this.#isReadable) this.#log.warn({ slot, onLostTrack }, "KV events were lost and could not be replayed");
    if (onLostTrack === "stale") this.#isStale = true;
    else this.#applier.clear();
  }

  async #forget(): Promise<void> {
    this.#position.reset();
    this.#appliedTo = undefined;
    this.#isComplete = false;
    this.#hasLost = false;
    this.#isStale = false;
    this.#isRestored = false;
    this.#isCatchingUp = false;
    this.#applier.clear();
  }

  #count(counter: KvEventCounter): void {
    this.#counters.add(counter, this.#options.slot, 1);
  }
}
