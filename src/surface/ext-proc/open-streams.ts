import type { StreamSession } from "./stream-session.ts";

/** The streams that have not ended, for draining. */
export class OpenStreams {
  readonly #sessions = new Set<StreamSession>();
  #emptied: (() => void)[] = [];

  add(session: StreamSession): void {
    this.#sessions.add(session);
  }

  delete(session: StreamSession): void {
    this.#sessions.delete(session);
    if (this.#sessions.size > 0) return;
    for (const resolve of this.#emptied) resolve();
    this.#emptied = [];
  }

  /** Resolves when no stream is open. */
  whenEmpty(): Promise<void> {
    if (this.#sessions.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  /** Streams whose request has no answer yet. */
  unanswered(): readonly StreamSession[] {
    return [...this.#sessions].filter(({ phase }) => phase === "request" || phase === "pick");
  }
}
