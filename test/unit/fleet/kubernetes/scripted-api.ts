import type { KubeApi, KubeQuery, Timers } from "../../../../src/fleet/index.ts";

/** What a call of the API comes to: an answer, events, or a failure. */
export type Answer = object | Error | readonly object[];

/** An API that answers by a script, and remembers what it was asked. */
export class ScriptedApi implements KubeApi {
  readonly calls: { readonly kind: "list" | "watch"; readonly query: KubeQuery; readonly at: number }[] = [];
  readonly #lists: Answer[];
  readonly #watches: Answer[];
  readonly #now: () => number;

  /** @param watches beyond the last one a watch stays open and says nothing */
  constructor(lists: readonly Answer[], watches: readonly Answer[], now: () => number) {
    this.#lists = [...lists];
    this.#watches = [...watches];
    this.#now = now;
  }

  async get(_path: string, query: KubeQuery): Promise<unknown> {
    this.calls.push({ kind: "list", query, at: this.#now() });
    const answer = this.#lists.length > 1 ? this.#lists.shift() : this.#lists[0];
    if (answer instanceof Error) throw answer;
    return answer;
  }

  async *watch(_path: string, query: KubeQuery, signal: AbortSignal): AsyncGenerator<unknown> {
    this.calls.push({ kind: "watch", query, at: this.#now() });
    const answer = this.#watches.shift();
    if (answer instanceof Error) throw answer;
    if (answer === undefined) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return;
    }
    yield* answer as readonly object[];
  }
}

/** Timers that run when told. */
export class FakeTimers implements Timers {
  now = 0;
  #pending: { at: number; task: () => void }[] = [];

  after(delayMs: number, task: () => void): () => void {
    const entry = { at: this.now + delayMs, task };
    this.#pending.push(entry);
    return () => {
      this.#pending = this.#pending.filter((other) => other !== entry);
    };
  }

  /** Lets time pass, with every task in its turn and what it starts settled. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    await settle();
    for (;;) {
      const next = this.#pending.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#pending = this.#pending.filter((other) => other !== next);
      this.now = next.at;
      next.task();
      await settle();
    }
    this.now = end;
  }
}

/** Lets everything that can go on without a timer do so. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}
