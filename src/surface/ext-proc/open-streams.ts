import type { StreamSession } from "./stream-session.ts";

/**
 * The streams that have not ended, for draining. In an array: a set that is added to and deleted from for each request leaves tables
 * behind that keep every session alive until the next full collection (bench/ext-proc).
 */
export class OpenStreams {
  readonly #sessions: StreamSession[] = [];
  #emptied: (() => void)[] = [];

  add(session: StreamSession): void {
    session.listedAt = this.#sessions.length;
    this.#sessions.push(session);
  }

  /** May be repeated. */
  delete(session: StreamSession): void {
    const at = session.listedAt;
    if (at < 0) return;
    session.listedAt = -1;
    const last = this.#sessions.pop();
    if (last !== undefined && last !== session) {
      this.#sessions[at] = last;
      last.listedAt = at;
    }
    if (this.#sessions.length > 0) return;
    for (const resolve of this.#emptied) resolve();
    this.#emptied = [];
  }

  /** Resolves when no stream is open. */
  whenEmpty(): Promise<void> {
    if (this.#sessions.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  /** Streams that were opened before a time and whose request has not come in whole. */
  reading(openedBeforeMs: number): readonly StreamSession[] {
    return this.#sessions.filter((session) => session.isReading && session.openedMs < openedBeforeMs);
  }

  /** Streams whose request has no answer yet. */
  unanswered(): readonly StreamSession[] {
    return this.#sessions.filter(({ phase }) => phase === "request" || phase === "pick");
  }
}
