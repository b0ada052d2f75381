import type { Catalogue, WorkerRank } from "../fleet/index.ts";
import type { ReplicaEnvironment } from "./environment.ts";
import { type MessageSink, PacedSink } from "./paced-sink.ts";
import type { RankNames } from "./rank-names.ts";
import { maxSessionRows, readSessionMessage, type SessionRow, sessionMessageText } from "./session-message.ts";

/** Where a session is served. */
export interface SharedBinding {
  readonly answering: WorkerRank;
  readonly prefill: WorkerRank | undefined;
  /** Counts the changes, wherever they were made. */
  readonly version: number;
  /** Who made the last one; empty = this replica. */
  readonly origin: string;
}

/** This replica's sessions, by keys that are the same on all replicas. */
export interface SharedSessions {
  binding(key: string): SharedBinding | undefined;
  /** Keys of those that were bound here last. */
  ownKeys(): Iterable<string>;
  learn(key: string, binding: SharedBinding): void;
  /** Told the keys that others should be told of. @returns unsubscribes */
  onBound(listener: (key: string) => void): () => void;
}

/** Least pause between two messages. */
const pauseMs = 5;

/** Least pause between two times that all own sessions are told. */
const replayPauseMs = 2_000;

/** Sessions that wait to be told; further ones are told when they are used again. */
const maxWaiting = 65_536;

/** Tells siblings where sessions are served, and learns it from them, so that a session stays on its worker whichever replica it asks. */
export class SessionSharing {
  readonly #ownId: string;
  readonly #sessions: SharedSessions;
  readonly #ranks: RankNames;
  readonly #catalogue: Catalogue;
  readonly #maxMessageBytes: number;
  readonly #environment: ReplicaEnvironment;
  readonly #sink: PacedSink;
  readonly #unsubscribe: () => void;
  readonly #waiting = new Set<string>();
  #lastReplayMs = Number.NEGATIVE_INFINITY;
  #cancelReplay: (() => void) | undefined;
  #told = 0;
  #learned = 0;
  #malformed = 0;

  constructor(
    ownId: string,
    state: { readonly sessions: SharedSessions; readonly ranks: RankNames; readonly catalogue: Catalogue },
    sink: MessageSink,
    { maxMessageBytes }: { readonly maxMessageBytes: number },
    environment: ReplicaEnvironment,
  ) {
    this.#ownId = ownId;
    this.#sessions = state.sessions;
    this.#ranks = state.ranks;
    this.#catalogue = state.catalogue;
    this.#maxMessageBytes = maxMessageBytes;
    this.#environment = environment;
    this.#sink = new PacedSink(sink, pauseMs, environment, () => this.#flush());
    this.#unsubscribe = state.sessions.onBound((key) => this.#tell(key));
  }

  /** Sessions told and learned, and messages passed over. */
  get counts(): { readonly told: number; readonly learned: number; readonly malformed: number } {
    return { told: this.#told, learned: this.#learned, malformed: this.#malformed };
  }

  /** Somebody does not know the sessions that were bound here: they are told again. */
  replay(): void {
    if (this.#cancelReplay !== undefined) return;
    const delayMs = Math.max(0, this.#lastReplayMs + replayPauseMs - this.#environment.now());
    this.#cancelReplay = this.#environment.after(delayMs, () => {
      this.#cancelReplay = undefined;
      this.#lastReplayMs = this.#environment.now();
      for (const key of this.#sessions.ownKeys()) this.#tell(key);
    });
  }

  /** A message came. */
  receive(text: string): void {
    const message = text.length > this.#maxMessageBytes ? undefined : readSessionMessage(text);
    if (message === undefined) this.#malformed++;
    else if (message.from !== this.#ownId) for (const row of message.rows) this.#learn(row);
  }

  close(): void {
    this.#unsubscribe();
    this.#cancelReplay?.();
    this.#sink.close();
  }

  #tell(key: string): void {
    if (this.#waiting.size < maxWaiting) this.#waiting.add(key);
    this.#sink.due();
  }

  #flush(): void {
    const rows: SessionRow[] = [];
    for (const key of this.#waiting) {
      if (rows.length >= maxSessionRows) break;
      this.#waiting.delete(key);
      const row = this.#rowOf(key);
      if (row !== undefined) rows.push(row);
    }
    this.#told += rows.length;
    if (rows.length > 0) void this.#sink.send(sessionMessageText(this.#ownId, rows));
    if (this.#waiting.size > 0) this.#sink.due();
  }

  #rowOf(key: string): SessionRow | undefined {
    const binding = this.#sessions.binding(key);
    const answering = this.#nameOf(binding?.answering);
    if (binding === undefined || answering === undefined) return undefined;
    const origin = binding.origin === "" ? this.#ownId : binding.origin;
    return { key, version: binding.version, origin, answering, prefill: this.#nameOf(binding.prefill) };
  }

  /** The later change counts, wherever it was made; of two at one time that of the replica with the greater id, on all replicas. */
  #learn({ key, version, origin, answering, prefill }: SessionRow): void {
    const known = this.#sessions.binding(key);
    const knownOrigin = known?.origin === "" ? this.#ownId : (known?.origin ?? "");
    if (known !== undefined && (version < known.version || (version === known.version && origin < knownOrigin))) return;
    const rank = this.#rankOf(answering);
    if (rank === undefined) return;
    this.#learned++;
    this.#sessions.learn(key, {
      answering: rank,
      prefill: prefill === undefined ? undefined : this.#rankOf(prefill),
      version,
      origin: origin === this.#ownId ? "" : origin,
    });
  }

  #rankOf(name: string): WorkerRank | undefined {
    const slot = this.#ranks.slotOf(name);
    return slot === undefined ? undefined : this.#catalogue.rankAt(slot);
  }

  /** Undefined for a rank that is gone. */
  #nameOf(rank: WorkerRank | undefined): string | undefined {
    if (rank === undefined || this.#catalogue.rankAt(rank.slot) !== rank) return undefined;
    return this.#ranks.nameOf(rank.slot);
  }
}
