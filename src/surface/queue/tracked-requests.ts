import type { QueueResult } from "../../queue/index.ts";
import type { KeptResults } from "./kept-results.ts";

interface Tracked {
  readonly controller: AbortController;
  /** Whether its client waits for it elsewhere. */
  readonly isWaitedFor: boolean;
}

/** What is known of a request by its id. */
export type RequestState =
  | { readonly kind: "pending" }
  | { readonly kind: "done"; readonly result: QueueResult }
  | { readonly kind: "failed"; readonly cause: unknown }
  | { readonly kind: "unknown" };

/** Most failures that are remembered. */
const maxFailures = 4_096;

/** Requests that can be asked for, and cancelled, by their ids. */
export class TrackedRequests {
  readonly #kept: KeptResults;
  readonly #live = new Map<string, Tracked>();
  readonly #failures = new Map<string, unknown>();

  constructor(kept: KeptResults) {
    this.#kept = kept;
  }

  /** Requests that nobody waits for. */
  get detached(): number {
    let count = 0;
    for (const { isWaitedFor } of this.#live.values()) if (!isWaitedFor) count++;
    return count;
  }

  stateOf(name: string): RequestState {
    if (this.#live.has(name)) return { kind: "pending" };
    const result = this.#kept.get(name);
    if (result !== undefined) return { kind: "done", result };
    return this.#failures.has(name) ? { kind: "failed", cause: this.#failures.get(name) } : { kind: "unknown" };
  }

  /** A request whose client waits. @returns to be called when it does not any more */
  watch(name: string, controller: AbortController): () => void {
    const tracked = { controller, isWaitedFor: true };
    this.#live.set(name, tracked);
    return () => this.#end(name, tracked);
  }

  /** A request whose result is asked for later. */
  detach(name: string, start: (signal: AbortSignal) => Promise<QueueResult>): void {
    const controller = new AbortController();
    const tracked = { controller, isWaitedFor: false };
    this.#live.set(name, tracked);
    start(controller.signal).then(
      (result) => {
        this.#end(name, tracked);
        this.#kept.keep(name, result);
      },
      (cause: unknown) => {
        this.#end(name, tracked);
        this.#fail(name, cause);
      },
    );
  }

  /** @returns whether there was anything under this name */
  remove(name: string, reason: unknown): boolean {
    const tracked = this.#live.get(name);
    const isKnown = tracked !== undefined || this.#kept.get(name) !== undefined || this.#failures.has(name);
    tracked?.controller.abort(reason);
    this.#kept.forget(name);
    this.#failures.delete(name);
    return isKnown;
  }

  #end(name: string, tracked: Tracked): void {
    if (this.#live.get(name) === tracked) this.#live.delete(name);
  }

  #fail(name: string, cause: unknown): void {
    this.#failures.set(name, cause);
    if (this.#failures.size <= maxFailures) return;
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}
