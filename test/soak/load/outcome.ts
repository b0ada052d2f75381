/** How a request reaches a worker. */
export type Way = "gateway" | "proxy" | "route" | "queue";

/** What came of one request of the load. Times are in ms of `performance.now()`. */
export interface Outcome {
  /** Its `x-request-id`. */
  readonly id: string;
  /** What was asked, as `chat stream` or `256 KB`. */
  readonly kind: string;
  readonly way: Way;
  readonly startMs: number;
  readonly endMs: number;
  /** 0 = there was no answer. */
  readonly status: number;
  /** The simulated worker that answered. */
  readonly worker: string | undefined;
  /** Why this was not what should have come; undefined = all is well. */
  readonly failure: string | undefined;
}
