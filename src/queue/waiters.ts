import type { QueueError } from "./queue-error.ts";
import type { QueueResult } from "./queue-request.ts";
import { parseResult } from "./result-message.ts";

/** Why a result is nobody's. */
export type OrphanReason =
  /** Nobody waits for its id: it came too late, or twice. */
  | "unknown"
  /** It belongs to another submission of the id. */
  | "token"
  /** It is no result. */
  | "malformed";

/** One request whose result is waited for. */
export interface Waiter {
  readonly id: string;
  readonly token: string;
  /** Whether Redis has taken it. */
  isConfirmed: boolean;
  settle(outcome: QueueResult | QueueError): void;
}

/** Hands the results of one list to whom they belong. */
export class Waiters {
  readonly #byId = new Map<string, Waiter>();
  readonly #orphaned: (reason: OrphanReason) => void;

  constructor(orphaned: (reason: OrphanReason) => void) {
    this.#orphaned = orphaned;
  }

  get size(): number {
    return this.#byId.size;
  }

  all(): Iterable<Waiter> {
    return this.#byId.values();
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** @param waiter whose id nobody waits for */
  add(waiter: Waiter): void {
    this.#byId.set(waiter.id, waiter);
  }

  remove(waiter: Waiter): void {
    if (this.#byId.get(waiter.id) === waiter) this.#byId.delete(waiter.id);
  }

  /** Gives a result to its waiter, who is gone then. @param text as it stood in the list */
  deliver(text: string): void {
    const result = parseResult(text);
    if (result === undefined) {
      this.#orphaned("malformed");
      return;
    }
    const waiter = this.#byId.get(result.id);
    if (waiter === undefined) this.#orphaned("unknown");
    else if (result.requestToken !== undefined && result.requestToken !== waiter.token) this.#orphaned("token");
    else waiter.settle(result);
  }
}
