import type { QueueEnvironment } from "./queue-environment.ts";
import { QueueError } from "./queue-error.ts";
import type { QueueResult } from "./queue-request.ts";
import type { Submission } from "./submission.ts";
import type { Waiter } from "./waiters.ts";

/** How the waiting for a result came to its end. */
export type WaitEnd =
  | "answered"
  /** Its time is over. */
  | "deadline"
  /** The caller wants no result any more. */
  | "caller"
  /** No result will come, or nobody knows whether. */
  | "failed";

const noBytes = Buffer.alloc(0);

export interface PendingParts {
  readonly submission: Submission;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly environment: Pick<QueueEnvironment, "after">;
  /** Told once. */
  readonly ended: (pending: PendingRequest, end: WaitEnd) => void;
}

const waitIsOver = "nobody waits any more";

/** One request from its submission to the end of waiting for it, whichever comes first: result, deadline, the caller's leaving, a failure. */
export class PendingRequest implements Waiter {
  submission: Submission;
  /** Aborted once nobody waits any more. */
  readonly over = new AbortController();
  isConfirmed = false;
  readonly result: Promise<QueueResult>;
  readonly #parts: PendingParts;
  readonly #cancelTimer: () => void;
  #resolve: (result: QueueResult) => void = () => undefined;
  #reject: (cause: unknown) => void = () => undefined;
  #isOver = false;

  constructor(parts: PendingParts) {
    const { submission, timeoutMs, signal, environment } = parts;
    this.#parts = parts;
    this.submission = submission;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#cancelTimer = environment.after(timeoutMs, () => {
      const error = new QueueError(`no result came in ${timeoutMs} ms`, { code: "deadline_exceeded" });
      this.#end("deadline", () => this.#reject(error));
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  get id(): string {
    return this.submission.id;
  }

  get token(): string {
    return this.submission.token;
  }

  settle(outcome: QueueResult | QueueError): void {
    if (outcome instanceof QueueError) this.#end("failed", () => this.#reject(outcome));
    else this.#end("answered", () => this.#resolve(outcome));
  }

  /** Redis has taken it. What was written is not kept: the wait may be long. */
  confirm(): void {
    this.isConfirmed = true;
    this.submission = { ...this.submission, payload: noBytes };
  }

  /** Ends the waiting without telling anybody but who keeps it. */
  forget(): void {
    this.#end("answered", () => undefined);
  }

  readonly #onAbort = (): void => {
    this.#end("caller", () => this.#reject(this.#parts.signal.reason));
  };

  #end(end: WaitEnd, tell: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelTimer();
    this.#parts.signal.removeEventListener("abort", this.#onAbort);
    this.#parts.ended(this, end);
    // With a reason of its own: the one that is made otherwise has a stack trace, a twentieth of what a request costs (bench/queue).
    this.over.abort(waitIsOver);
    tell();
  }
}
