import { RoutingError } from "../../errors/index.ts";
import { type Band, FlowQueue, type Waiting } from "./flow-queue.ts";

/** How long requests may wait for a worker that is not too busy. */
export interface QueueOptions {
  /** Most requests that wait; 0 = none, they are refused at once. Default 1 024. */
  readonly maxQueued?: number;
  /** Longest wait, in ms; > 0. Default 2 000. */
  readonly maxWaitMs?: number;
}

/** One request that asks to be placed. */
export interface AdmissionRequest<Placed> {
  /** Higher goes first; below 0 = it does not wait at all. */
  readonly priority: number;
  /** Who takes turns with whom among requests of one priority. */
  readonly flow: string;
  /** Requests that want the same workers have the same pool. */
  readonly pool: string;
  /** It takes only some workers of its pool: that they are busy says nothing of the others. */
  readonly isPicky: boolean;
  /** Chooses and books in one step. @throws RoutingError saturated while all workers are too busy */
  place(): Placed;
}

/** How a wait ended. */
export type WaitEnd = "placed" | "expired" | "evicted" | "left" | "failed";

/** What the queue takes from outside. */
export interface QueueEnvironment {
  /** Milliseconds on a monotonic scale. */
  now(): number;
  /** Runs `task` once after `delayMs`. @returns cancels it */
  after(delayMs: number, task: () => void): () => void;
  /** Told of the end of each wait. */
  waited(end: WaitEnd, waitedMs: number): void;
}

interface Entry extends Waiting {
  readonly pool: string;
  readonly isPicky: boolean;
  /** @returns false: still too busy */
  tryPlace(): boolean;
  end(end: WaitEnd, error?: unknown): void;
}

/** Requests placed in one turn; the rest follows in the next, so that nobody else waits for long. */
const maxPlacedInTurn = 64;

/** Picky requests that are tried in vain in one turn. */
const maxPickyTries = 64;

/**
 * Holds requests while all workers that could take them are too busy: by priority, among equals by flow in turn, each for a
 * bounded time and all of them bounded in number. Whoever is refused is told so by an error that surfaces answer with 429.
 * Works only when load changes: `loadFell` has it look again.
 */
export class AdmissionQueue {
  readonly #options: Required<QueueOptions>;
  readonly #environment: QueueEnvironment;
  readonly #queue = new FlowQueue<Entry>();
  #isTurnDue = false;

  /** @throws RangeError naming the option */
  constructor(options: QueueOptions, environment: QueueEnvironment) {
    const { maxQueued = 1_024, maxWaitMs = 2_000 } = options;
    if (!(maxQueued >= 0)) throw new RangeError(`admission.maxQueued must be >= 0, got ${maxQueued}`);
    if (!(maxWaitMs > 0)) throw new RangeError(`admission.maxWaitMs must be > 0, got ${maxWaitMs}`);
    this.#options = { maxQueued, maxWaitMs };
    this.#environment = environment;
  }

  /** Requests that wait. */
  get size(): number {
    return this.#queue.size;
  }

  /**
   * Places a request at once, or as soon as a worker is free for it.
   * @throws RoutingError saturated (it may not wait, or there is no room), queue_timeout, evicted, or what `place` throws;
   *   rejects with the signal's reason once it is aborted
   */
  admit<Placed>(request: AdmissionRequest<Placed>, signal: AbortSignal): Promise<Placed> | Placed {
    if (this.#mayOvertake(request)) {
      try {
        return request.place();
      } catch (error) {
        if (!isSaturated(error) || !this.#mayWait(request)) throw error;
      }
    } else if (!this.#mayWait(request)) {
      throw new RoutingError("all workers are busy and others wait already", { code: "saturated" });
    }
    return this.#wait(request, signal);
  }

  /** Load went down, or workers came: those who wait are looked at again, soon. */
  loadFell(): void {
    if (this.#isTurnDue || this.#queue.size === 0) return;
    this.#isTurnDue = true;
    queueMicrotask(() => this.#turn());
  }

  /** Nobody of at least this priority waits for the same workers. */
  #mayOvertake({ priority, pool }: AdmissionRequest<unknown>): boolean {
    if (this.#queue.size === 0) return true;
    return !this.#queue.bands().some((band) => band.priority >= priority && band.some((entry) => entry.pool === pool));
  }

  #mayWait({ priority }: AdmissionRequest<unknown>): boolean {
    const { maxQueued } = this.#options;
    if (priority < 0 || maxQueued === 0) return false;
    return this.#queue.size < maxQueued || this.#queue.leastImportant(priority) !== undefined;
  }

  #wait<Placed>(request: AdmissionRequest<Placed>, signal: AbortSignal): Promise<Placed> {
    if (this.#queue.size >= this.#options.maxQueued) {
      const error = new RoutingError("a more important request took its place in the queue", { code: "evicted" });
      this.#queue.leastImportant(request.priority)?.end("evicted", error);
    }
    return new Promise((resolve, reject) => this.#enqueue(request, signal, resolve, reject));
  }

  #enqueue<Placed>(
    request: AdmissionRequest<Placed>,
    signal: AbortSignal,
    resolve: (placed: Placed) => void,
    reject: (error: unknown) => void,
  ): void {
    const { maxWaitMs } = this.#options;
    const startMs = this.#environment.now();
    const leave = () => entry.end("left", signal.reason);
    const cancelDeadline = this.#environment.after(maxWaitMs, () => {
      entry.end("expired", new RoutingError(`all workers were busy for ${maxWaitMs} ms`, { code: "queue_timeout" }));
    });
    const entry: Entry = {
      priority: request.priority,
      flow: request.flow,
      pool: request.pool,
      isPicky: request.isPicky,
      tryPlace: () => {
        try {
          const placed = request.place();
          entry.end("placed");
          resolve(placed);
        } catch (error) {
          if (isSaturated(error)) return false;
          entry.end("failed", error);
        }
        return true;
      },
      end: (end, error) => {
        if (!this.#queue.remove(entry)) return;
        cancelDeadline();
        signal.removeEventListener("abort", leave);
        this.#environment.waited(end, this.#environment.now() - startMs);
        if (end !== "placed") reject(error);
      },
    };
    signal.addEventListener("abort", leave, { once: true });
    this.#queue.add(entry);
    if (signal.aborted) leave();
  }

  #turn(): void {
    this.#isTurnDue = false;
    const turn: Turn = { fullPools: new Set(), pickyTries: 0, placed: 0 };
    for (const band of this.#queue.bands()) this.#serve(band, turn);
    if (turn.placed >= maxPlacedInTurn) this.#environment.after(0, () => this.loadFell());
  }

  /** Gives each flow of a band its turn until none of them can be placed. */
  #serve(band: Band<Entry>, turn: Turn): void {
    let inVain = 0;
    while (inVain < band.flowCount && turn.placed < maxPlacedInTurn) {
      const entry = band.takeTurn();
      if (entry === undefined) return;
      if (this.#tryNow(entry, turn)) inVain = 0;
      else inVain++;
    }
  }

  #tryNow(entry: Entry, turn: Turn): boolean {
    if (turn.fullPools.has(entry.pool)) return false;
    if (entry.isPicky && turn.pickyTries >= maxPickyTries) return false;
    if (entry.tryPlace()) {
      turn.placed++;
      return true;
    }
    if (entry.isPicky) turn.pickyTries++;
    else turn.fullPools.add(entry.pool);
    return false;
  }
}

/** What one look at those who wait has found. */
interface Turn {
  /** Pools whose every worker is too busy. */
  readonly fullPools: Set<string>;
  pickyTries: number;
  placed: number;
}

function isSaturated(error: unknown): boolean {
  return error instanceof RoutingError && error.code === "saturated";
}
