import { HttpError } from "../../http/index.ts";
import type { QueueResult } from "../../queue/index.ts";
import type { KeptResults } from "./kept-results.ts";

/** Names a request that may come more than once. */
export interface CallKey {
  /** Whose it is and what he calls it. */
  readonly name: string;
  /** Of what is asked; another one under the same name is refused. */
  readonly fingerprint: string;
}

interface LiveCall {
  readonly fingerprint: string;
  readonly controller: AbortController;
  readonly outcome: Promise<QueueResult>;
  waiting: number;
}

/** Statuses after which a request makes sense once more: they are not given again. */
const temporary: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * Requests that clients send more than once, by their `Idempotency-Key`: one of them goes into the queue, all get its result, and it is
 * cancelled when the last of them has left. A result is given again for a while; a failure is not, so that a retry is one.
 */
export class SharedCalls {
  readonly #kept: KeptResults;
  readonly #maxLive: number;
  readonly #live = new Map<string, LiveCall>();

  /** @param maxLive most that run at one time; a further one is refused with 429 */
  constructor(kept: KeptResults, maxLive: number) {
    this.#kept = kept;
    this.#maxLive = maxLive;
  }

  /**
   * The result of `start`, or of the same request before. Rejects as it does, with HttpError 409 when the name stands for another request, and with
   * the signal's reason.
   */
  async join(
    key: CallKey,
    start: (signal: AbortSignal) => Promise<QueueResult>,
    signal: AbortSignal,
  ): Promise<QueueResult> {
    signal.throwIfAborted();
    const kept = this.#kept.get(keptName(key));
    if (kept !== undefined) return kept;
    if (this.#kept.get(key.name) !== undefined) throw conflict();
    const live = this.#live.get(key.name) ?? this.#begin(key, start);
    if (live.fingerprint !== key.fingerprint) throw conflict();
    live.waiting += 1;
    try {
      return await unlessAborted(live.outcome, signal);
    } finally {
      this.#left(key.name, live, signal);
    }
  }

  #begin(key: CallKey, start: (signal: AbortSignal) => Promise<QueueResult>): LiveCall {
    if (this.#live.size >= this.#maxLive) {
      throw new HttpError(429, "saturated", "too many requests with an Idempotency-Key are under way");
    }
    const controller = new AbortController();
    const outcome = start(controller.signal);
    const live = { fingerprint: key.fingerprint, controller, outcome, waiting: 0 };
    this.#live.set(key.name, live);
    outcome.then(
      (result) => {
        this.#forget(key.name, live);
        this.#keep(key, result);
      },
      () => this.#forget(key.name, live),
    );
    return live;
  }

  #left(name: string, live: LiveCall, signal: AbortSignal): void {
    live.waiting -= 1;
    if (live.waiting > 0) return;
    this.#forget(name, live);
    live.controller.abort(signal.reason);
  }

  #keep(key: CallKey, result: QueueResult): void {
    const { statusCode } = result;
    if (statusCode === undefined || statusCode >= 500 || temporary.has(statusCode)) return;
    this.#kept.keep(keptName(key), result);
    // Says that the name is taken, whatever is asked under it.
    this.#kept.keep(key.name, { ...result, payload: "" });
  }

  #forget(name: string, live: LiveCall): void {
    if (this.#live.get(name) === live) this.#live.delete(name);
  }
}

function keptName({ name, fingerprint }: CallKey): string {
  return `${name}\n${fingerprint}`;
}

function conflict(): HttpError {
  return new HttpError(409, "idempotency_conflict", "another request was sent with this Idempotency-Key");
}

/** As `promise`, but rejects with the signal's reason once that aborts. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
