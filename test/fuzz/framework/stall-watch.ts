import assert from "node:assert/strict";

const pauseMs = 5;

/** Notices when the event loop is held by one piece of work. It counts the thread's own CPU time, so that a busy machine does not matter. */
export class StallWatch {
  readonly #timer: NodeJS.Timeout;
  #lastUs: number;
  #longestMs = 0;

  constructor() {
    this.#lastUs = cpuUs();
    this.#timer = setInterval(() => this.#look(), pauseMs);
    this.#timer.unref();
  }

  /** Forgets what was. */
  restart(): void {
    this.#lastUs = cpuUs();
    this.#longestMs = 0;
  }

  /** @throws AssertionError when something took longer, in ms of CPU time */
  check(mostMs: number): void {
    this.#look();
    assert.ok(this.#longestMs <= mostMs, `the event loop was held for ${Math.round(this.#longestMs)} ms`);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const nowUs = cpuUs();
    this.#longestMs = Math.max(this.#longestMs, (nowUs - this.#lastUs) / 1_000);
    this.#lastUs = nowUs;
  }
}

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
