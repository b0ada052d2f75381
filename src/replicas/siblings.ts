import type { SiblingLoads } from "../load/index.ts";
import { every, type ReplicaEnvironment } from "./environment.ts";
import { type LoadMessage, readMessage } from "./load-message.ts";
import type { RankNames } from "./rank-names.ts";

/** When siblings count, and how many. */
export interface SiblingsOptions {
  /** A sibling that was not heard for so long is gone. */
  readonly silentAfterMs: number;
  readonly maxReplicas: number;
  readonly maxRanksPerMessage: number;
  readonly maxMessageBytes: number;
}

/** Why a message was passed over. Stable: metrics show it. */
export type DropReason = "malformed" | "too_large" | "too_many_replicas" | "out_of_order";

/** Told what siblings do. */
export interface SiblingObserver {
  /** A sibling was heard for the first time, or again. */
  joined(id: string, name: string): void;
  /** Its load no longer counts. */
  left(id: string, name: string, why: "silent" | "farewell"): void;
  /** A sibling asks to be told everything. */
  greeted(): void;
  /** A message of this replica came back. */
  cameBack(number: number): void;
}

/** A sibling that counts. */
export interface SiblingStatus {
  readonly id: string;
  readonly name: string;
  readonly heardMsAgo: number;
  /** Messages of it that were lost on the way. */
  readonly missed: number;
  readonly requests: number;
  /** Ranks known here that it has booked on. */
  readonly ranks: number;
}

interface Sibling {
  readonly id: string;
  readonly name: string;
  heardAtMs: number;
  number: number;
  round: number;
  /** No message was lost since the round began. */
  isRoundWhole: boolean;
  missed: number;
  /** The round in which each slot was last told of. */
  readonly roundBySlot: Map<number, number>;
}

/** Looks for silent siblings in the time in which they become silent. */
const looksPerSilence = 15;

/** The other replicas, by what they tell: keeps what they have booked until they fall silent. */
export class Siblings {
  readonly #ownId: string;
  readonly #loads: SiblingLoads;
  readonly #ranks: RankNames;
  readonly #options: SiblingsOptions;
  readonly #observer: SiblingObserver;
  readonly #environment: ReplicaEnvironment;
  readonly #siblings = new Map<string, Sibling>();
  readonly #dropped = new Map<DropReason, number>();
  readonly #stop: () => void;
  #received = 0;
  #missed = 0;
  #lastLookMs: number;

  constructor(
    ownId: string,
    { loads, ranks }: { readonly loads: SiblingLoads; readonly ranks: RankNames },
    options: SiblingsOptions,
    observer: SiblingObserver,
    environment: ReplicaEnvironment,
  ) {
    this.#ownId = ownId;
    this.#loads = loads;
    this.#ranks = ranks;
    this.#options = options;
    this.#observer = observer;
    this.#environment = environment;
    this.#lastLookMs = environment.now();
    this.#stop = every(environment, options.silentAfterMs / looksPerSilence, () => this.#dropSilent());
  }

  /** How many siblings count at this moment. */
  get size(): number {
    return this.#siblings.size;
  }

  /** The siblings that count at this moment. */
  values(): readonly SiblingStatus[] {
    const now = this.#environment.now();
    return [...this.#siblings.values()].map(({ id, name, heardAtMs, missed }) => {
      const loads = this.#loads.of(id);
      let requests = 0;
      for (const load of loads.values()) requests += load.requests;
      return { id, name, heardMsAgo: now - heardAtMs, missed, requests, ranks: loads.size };
    });
  }

  /** Messages of siblings that were heard, those that were lost before they came here, and those passed over by reason. */
  get counts() {
    return {
      received: this.#received,
      missed: this.#missed,
      dropped: this.#dropped as ReadonlyMap<DropReason, number>,
    };
  }

  /** A message came. @returns whether this replica has sent it */
  receive(text: string): boolean {
    const { maxMessageBytes, maxRanksPerMessage } = this.#options;
    const isTooLarge = text.length > maxMessageBytes;
    const message = isTooLarge ? undefined : readMessage(text, maxRanksPerMessage);
    if (message?.from === this.#ownId) {
      this.#observer.cameBack(message.number);
      return true;
    }
    const reason = message === undefined ? (isTooLarge ? "too_large" : "malformed") : this.#hear(message);
    if (reason !== undefined) this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + 1);
    return false;
  }

  /** A rank went away. */
  rankRemoved(slot: number): void {
    this.#loads.removeSlot(slot);
    for (const { roundBySlot } of this.#siblings.values()) roundBySlot.delete(slot);
  }

  close(): void {
    this.#stop();
    for (const id of [...this.#siblings.keys()]) this.#forget(id);
  }

  /** @returns why the message is passed over */
  #hear(message: LoadMessage): DropReason | undefined {
    if (message.isFarewell) {
      this.#leave(message.from, "farewell");
      return undefined;
    }
    const sibling = this.#siblingOf(message);
    if (sibling === undefined) return "too_many_replicas";
    if (message.number <= sibling.number || message.round < sibling.round) return "out_of_order";
    this.#take(sibling, message);
    return undefined;
  }

  #take(sibling: Sibling, message: LoadMessage): void {
    this.#received++;
    this.#follow(sibling, message);
    for (const { rank, load } of message.rows) {
      const slot = this.#ranks.slotOf(rank);
      // What is not known here yet is told again in the next round.
      if (slot === undefined) continue;
      this.#loads.set(sibling.id, slot, load);
      sibling.roundBySlot.set(slot, message.round);
    }
    if (message.endsRound && sibling.isRoundWhole) this.#endRound(sibling);
    if (message.isHello) this.#observer.greeted();
  }

  #follow(sibling: Sibling, { number, round }: LoadMessage): void {
    const lost = number - sibling.number - 1;
    if (lost > 0) sibling.isRoundWhole = false;
    else if (round > sibling.round) sibling.isRoundWhole = true;
    sibling.missed += lost;
    this.#missed += lost;
    sibling.heardAtMs = this.#environment.now();
    sibling.number = number;
    sibling.round = round;
  }

  /** Ranks that were not told of in the whole round are idle. */
  #endRound({ id, round, roundBySlot }: Sibling): void {
    for (const [slot, toldIn] of roundBySlot) {
      if (toldIn === round) continue;
      roundBySlot.delete(slot);
      this.#loads.set(id, slot, { requests: 0, prefillTokens: 0, decodeBlocks: 0 });
    }
  }

  #siblingOf({ from, name, number, round }: LoadMessage): Sibling | undefined {
    const known = this.#siblings.get(from);
    if (known !== undefined) return known;
    if (this.#siblings.size >= this.#options.maxReplicas) return undefined;
    const sibling: Sibling = {
      id: from,
      name,
      heardAtMs: this.#environment.now(),
      number: number - 1,
      round,
      isRoundWhole: false,
      missed: 0,
      roundBySlot: new Map(),
    };
    this.#siblings.set(from, sibling);
    this.#observer.joined(from, name);
    return sibling;
  }

  #dropSilent(): void {
    const { silentAfterMs } = this.#options;
    const now = this.#environment.now();
    const wasHeldUp = now - this.#lastLookMs > silentAfterMs / 3;
    this.#lastLookMs = now;
    // This process stood still: what siblings said meanwhile waits to be read.
    if (wasHeldUp) return;
    for (const { id, heardAtMs } of this.#siblings.values()) {
      if (now - heardAtMs >= silentAfterMs) this.#leave(id, "silent");
    }
  }

  #leave(id: string, why: "silent" | "farewell"): void {
    const sibling = this.#forget(id);
    if (sibling !== undefined) this.#observer.left(id, sibling.name, why);
  }

  #forget(id: string): Sibling | undefined {
    const sibling = this.#siblings.get(id);
    this.#siblings.delete(id);
    this.#loads.dropSibling(id);
    return sibling;
  }
}
