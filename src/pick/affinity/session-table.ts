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

/** Tells the time. */
export interface SessionClock {
  /** Milliseconds on a monotonic scale; only differences have meaning. */
  now(): number;
}

interface Session {
  ranks: SessionRanks;
  running: number;
  /** Counts while nothing runs. */
  endsAtMs: number;
}

/** Sessions looked at to find one that may be forgotten, when the table is full. */
const maxLookedAt = 16;

/** Which ranks serve which session, for as long as requests of it keep coming. In memory only; ids are never shown. */
export class SessionTable {
  readonly #options: Required<SessionOptions>;
  readonly #clock: SessionClock;
  /** Least recently used first. */
  readonly #sessions = new Map<string, Session>();

  /** @throws RangeError naming the option */
  constructor(options: SessionOptions, clock: SessionClock) {
    const { ttlMs = 600_000, maxSessions = 65_536 } = options;
    if (!(ttlMs > 0)) throw new RangeError(`affinity.ttlMs must be > 0, got ${ttlMs}`);
    if (!(maxSessions >= 1)) throw new RangeError(`affinity.maxSessions must be >= 1, got ${maxSessions}`);
    this.#options = { ttlMs, maxSessions };
    this.#clock = clock;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Where the session was served last; undefined = it is new or forgotten. Changes nothing. */
  find(key: string): SessionRanks | undefined {
    const session = this.#sessions.get(key);
    return session === undefined || this.#isOver(session) ? undefined : session.ranks;
  }

  /**
   * A request of the session was booked on these ranks.
   * @param isFinal the session is forgotten once nothing of it runs
   */
  use(key: string, ranks: SessionRanks, isFinal: boolean): SessionUse {
    const session = this.#renewed(key, ranks);
    session.running++;
    let isEnded = false;
    return {
      movedTo: (answering) => {
        if (!isEnded) session.ranks = { ...session.ranks, answering };
      },
      end: () => {
        if (isEnded) return;
        isEnded = true;
        session.running--;
        session.endsAtMs = this.#clock.now() + (isFinal ? 0 : this.#options.ttlMs);
        if (isFinal && session.running === 0) this.#forget(key, session);
      },
    };
  }

  #renewed(key: string, ranks: SessionRanks): Session {
    const known = this.#sessions.get(key);
    const session = known ?? { ranks, running: 0, endsAtMs: 0 };
    session.ranks = ranks;
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
