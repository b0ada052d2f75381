import type { LoadTable, RankLoad } from "../load/index.ts";
import { every, type ReplicaEnvironment } from "./environment.ts";
import { messageText, rowText } from "./load-message.ts";
import { type MessageSink, PacedSink } from "./paced-sink.ts";
import type { RankNames } from "./rank-names.ts";

/** Who this replica is. */
export interface ReplicaIdentity {
  /** Of this start of this process; no two are alike. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

/** When load is told, and in how large pieces. */
export interface LoadPublisherOptions {
  /** Pause between two rounds, in which everything is told. */
  readonly heartbeatMs: number;
  /** Least pause between two messages of changes. */
  readonly coalesceMs: number;
  readonly maxRanksPerMessage: number;
  readonly maxMessageBytes: number;
}

/** Told what was told. */
export interface PublishObserver {
  /** A message tells these totals of this replica; what it does not tell of is as it was, or in a round nothing. */
  told(number: number, loads: readonly (readonly [slot: number, load: RankLoad])[]): void;
}

/** Bytes of a message that are not rows. */
const envelopeBytes = 512;

const idle: RankLoad = { requests: 0, prefillTokens: 0, decodeBlocks: 0 };

/** Tells siblings what this replica has booked: each change at once, and everything again with each heartbeat. */
export class LoadPublisher {
  readonly #identity: ReplicaIdentity;
  readonly #loads: LoadTable;
  readonly #ranks: RankNames;
  readonly #sink: PacedSink;
  readonly #observer: PublishObserver;
  readonly #options: LoadPublisherOptions;
  readonly #stops: readonly (() => void)[];
  readonly #changed = new Set<number>();
  readonly #removed = new Set<string>();
  #number = 0;
  #round = 0;
  #isRoundDue = false;
  #isHelloDue = false;

  constructor(
    identity: ReplicaIdentity,
    { loads, ranks, sink }: { readonly loads: LoadTable; readonly ranks: RankNames; readonly sink: MessageSink },
    options: LoadPublisherOptions,
    observer: PublishObserver,
    environment: ReplicaEnvironment,
  ) {
    this.#identity = identity;
    this.#loads = loads;
    this.#ranks = ranks;
    this.#sink = new PacedSink(sink, options.coalesceMs, environment, () => this.#flush());
    this.#options = options;
    this.#observer = observer;
    const unsubscribe = loads.onChanged((slot) => {
      this.#changed.add(slot);
      this.#sink.due();
    });
    this.#stops = [unsubscribe, every(environment, options.heartbeatMs, () => this.roundDue())];
  }

  /** Messages that got out, and those that did not. */
  get counts(): { readonly published: number; readonly failed: number } {
    return this.#sink.counts;
  }

  /** Messages can be sent again: says so, and tells everything. */
  connected(): void {
    this.#isHelloDue = true;
    this.roundDue();
  }

  /** Everything is told with the next message. */
  roundDue(): void {
    this.#isRoundDue = true;
    this.#sink.due();
  }

  /** A rank went away: nothing is booked there. */
  rankRemoved(name: string, slot: number): void {
    this.#changed.delete(slot);
    this.#removed.add(name);
    this.#sink.due();
  }

  /** Tells nothing more but, where it can, that this replica leaves. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#sink.close();
    await this.#send([], { isFarewell: true });
  }

  #flush(): void {
    const isRound = this.#isRoundDue;
    const slots = [...(isRound ? this.#ranks.slots() : this.#changed)];
    const loads = slots.map((slot) => [slot, this.#loadOf(slot)] as const);
    const parts = this.#parts(isRound ? this.#booked(loads) : this.#changes(loads));
    this.#changed.clear();
    this.#removed.clear();
    this.#isRoundDue = false;
    if (isRound) this.#round++;
    const isHello = this.#isHelloDue;
    this.#isHelloDue = false;
    this.#observer.told(this.#number + parts.length, loads);
    for (const [i, rows] of parts.entries()) {
      const endsRound = isRound && i === parts.length - 1;
      void this.#send(rows, { endsRound, isHello: isHello && i === 0 });
    }
  }

  /** Never rejects: what did not get out is told again in the next round. */
  #send(
    rows: readonly string[],
    flags: { readonly endsRound?: boolean; readonly isHello?: boolean; readonly isFarewell?: boolean },
  ): Promise<void> {
    const { endsRound = false, isHello = false, isFarewell = false } = flags;
    const counters = { number: ++this.#number, round: this.#round };
    const sender = { ...this.#identity, from: this.#identity.id };
    return this.#sink.send(messageText({ ...sender, ...counters, endsRound, isHello, isFarewell }, rows));
  }

  /** Everything that is booked: what is not told of is idle. */
  *#booked(loads: readonly (readonly [number, RankLoad])[]): Generator<string> {
    for (const [slot, load] of loads) {
      if (load.requests > 0 || load.prefillTokens > 0 || load.decodeBlocks > 0) yield* this.#rowOf(slot, load);
    }
  }

  *#changes(loads: readonly (readonly [number, RankLoad])[]): Generator<string> {
    for (const rank of this.#removed) if (this.#ranks.slotOf(rank) === undefined) yield rowText({ rank, load: idle });
    for (const [slot, load] of loads) yield* this.#rowOf(slot, load);
  }

  *#rowOf(slot: number, load: RankLoad): Generator<string> {
    const rank = this.#ranks.nameOf(slot);
    if (rank !== undefined) yield rowText({ rank, load });
  }

  #loadOf(slot: number): RankLoad {
    return {
      requests: this.#loads.activeRequests(slot),
      prefillTokens: this.#loads.activePrefillTokens(slot),
      decodeBlocks: this.#loads.activeDecodeBlocks(slot),
    };
  }

  /** Rows in pieces that fit in a message; one empty piece when there are none. */
  #parts(rows: Iterable<string>): string[][] {
    const { maxRanksPerMessage, maxMessageBytes } = this.#options;
    let part: string[] = [];
    let bytes = envelopeBytes;
    const parts = [part];
    for (const row of rows) {
      if (part.length > 0 && (part.length >= maxRanksPerMessage || bytes + row.length >= maxMessageBytes)) {
        part = [];
        bytes = envelopeBytes;
        parts.push(part);
      }
      part.push(row);
      bytes += row.length + 1;
    }
    return parts;
  }
}
