import type { WorkerRank } from "../../fleet/index.ts";

/** How sessions are remembered. */
export interface SessionOptions {
  /** How long a session without a running request is remembered, in ms. > 0. Default 600 000. */
  readonly ttlMs?: number;
  /** Most sessions remembered; the least recently used one goes first. >= 1. Default 65 536. */
  readonly maxSessions?: number;
}

/** Where a session was served last. */
export interface SessionRanks {
  /** The rank that answered. */
  readonly answering: WorkerRank;
  /** The rank that prefilled for it; undefined when one did both. */
  readonly prefill: WorkerRank | undefined;
}

/** One running request of a session: the session is remembered while it runs. */
export interface SessionUse {
  /** The request was answered by another rank: the session follows it. */
  movedTo(answering: WorkerRank): void;
  /** The request is over; may be told again. */
  end(): void;
}

/** Where a session was served last, and since which change of that. */
export interface SessionBinding extends SessionRanks {
  /** Counts the changes, wherever they were made; from 1. */
  readonly version: number;
  /** Who made the last change; empty = this process. */
  readonly origin: string;
}

/** Tells the time. */
export interface SessionClock {
  /** Milliseconds on a monotonic scale; only differences have meaning. */
  now(): number;
}

interface Session {
  ranks: SessionRanks;
  version: number;
  origin: string;
  running: number;
  /** Counts while nothing runs. */
  endsAtMs: number;
  /** When others last told of it or were told. */
  toldAtMs: number;
}

/** Part of a session's time after which others are told again that it is still in use. */
const retoldPart = 0.25;

/** Sessions looked at to find one that may be forgotten, when the table is full. */
const maxLookedAt = 16;

/** Which ranks serve which session, for as long as requests of it keep coming. In memory only; ids are never shown. */
export class SessionTable {
  readonly #options: Required<SessionOptions>;
  readonly #clock: SessionClock;
  readonly #keyOf: (name: string) => string;
  /** By key; least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #boundListeners = new Set<(key: string) => void>();

  /**
   * @param keyOf the key under which a session of this name is kept and others are told of it; default: the name
   * @throws RangeError naming the option
   */
  constructor(options: SessionOptions, clock: SessionClock, keyOf: (name: string) => string = (name) => name) {
    const { ttlMs = 600_000, maxSessions = 65_536 } = options;
    if (!(ttlMs > 0)) throw new RangeError(`affinity.ttlMs must be > 0, got ${ttlMs}`);
    if (!(maxSessions >= 1)) throw new RangeError(`affinity.maxSessions must be >= 1, got ${maxSessions}`);
    this.#options = { ttlMs, maxSessions };
    this.#clock = clock;
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Where the session was served last; undefined = it is new or forgotten. Changes nothing. */
  find(name: string): SessionRanks | undefined {
    const session = this.#sessions.get(this.#keyOf(name));
    return session === undefined || this.#isOver(session) ? undefined : session.ranks;
  }

  /** What others should know of the session of this key; undefined = it is not remembered. */
  binding(key: string): SessionBinding | undefined {
    const session = this.#sessions.get(key);
    if (session === undefined || this.#isOver(session)) return undefined;
    const { ranks, version, origin } = session;
    return { ...ranks, version, origin };
  }

  /** Keys of the sessions that were bound here last. */
  *ownKeys(): Generator<string> {
    for (const [key, session] of this.#sessions) if (session.origin === "" && !this.#isOver(session)) yield key;
  }

  /** Takes over what others tell of a session. */
  learn(key: string, { answering, prefill, version, origin }: SessionBinding): void {
    const ranks = { answering, prefill };
    const session = this.#placed(key, ranks);
    const now = this.#clock.now();
    session.ranks = ranks;
    session.version = version;
    session.origin = origin;
    session.toldAtMs = now;
    session.endsAtMs = now + this.#options.ttlMs;
  }

  /** Told the keys of sessions of which others should be told. Must not wait. @returns unsubscribes */
  onBound(listener: (key: string) => void): () => void {
    this.#boundListeners.add(listener);
    return () => this.#boundListeners.delete(listener);
  }

  /**
   * A request of the session was booked on these ranks.
   * @param isFinal the session is forgotten once nothing of it runs
   */
  use(name: string, ranks: SessionRanks, isFinal: boolean): SessionUse {
    const key = this.#keyOf(name);
    const session = this.#placed(key, ranks);
    this.#bind(key, session, ranks, isFinal);
    session.running++;
    let isEnded = false;
    return {
      movedTo: (answering) => {
        if (!isEnded) this.#bind(key, session, { ...session.ranks, answering }, isFinal);
      },
      end: () => {
        if (isEnded) return;
        isEnded = true;
        session.running--;
        session.endsAtMs = this.#clock.now() + (isFinal ? 0 : this.#options.ttlMs);
        if (isFinal && session.running === 0) this.#forget(key, session);
        else this.#bind(key, session, session.ranks, isFinal);
      },
    };
  }

  /** Tells others where that is new to them. */
  #bind(key: string, session: Session, ranks: SessionRanks, isFinal: boolean): void {
    const now = this.#clock.now();
    const isSame = session.ranks.answering === ranks.answering && session.ranks.prefill === ranks.prefill;
    if (session.version === 0 || !isSame) {
      session.ranks = ranks;
      session.version++;
      session.origin = "";
    } else if (now - session.toldAtMs < retoldPart * this.#options.ttlMs) return;
    session.toldAtMs = now;
    if (isFinal || this.#sessions.get(key) !== session) return;
    for (const listener of this.#boundListeners) listener(key);
  }

  /** The session of a key, made when it is new, as the one used last. */
  #placed(key: string, ranks: SessionRanks): Session {
    const known = this.#sessions.get(key);
    const session = known ?? newSession(ranks);
    this.#sessions.delete(key);
    if (known === undefined) this.#makeRoom();
    this.#sessions.set(key, session);
    return session;
  }

  /** Forgets what is over at the old end, and one more when the table is full. */
  #makeRoom(): void {
    let lookedAt = 0;
    let oldestIdle: string | undefined;
    for (const [key, session] of this.#sessions) {
      if (lookedAt++ >= maxLookedAt) break;
      if (this.#isOver(session)) this.#sessions.delete(key);
      else if (session.running === 0) oldestIdle ??= key;
    }
    if (this.#sessions.size < this.#options.maxSessions) return;
    const [oldest = ""] = this.#sessions.keys();
    this.#sessions.delete(oldestIdle ?? oldest);
  }

  #isOver({ running, endsAtMs }: Session): boolean {
    return running === 0 && endsAtMs <= this.#clock.now();
  }

  #forget(key: string, session: Session): void {
    if (this.#sessions.get(key) === session) this.#sessions.delete(key);
  }
}

function newSession(ranks: SessionRanks): Session {
  return { ranks, version: 0, origin: "", running: 0, endsAtMs: 0, toldAtMs: 0 };
}
