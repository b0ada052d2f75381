import type { DispatchError } from "../../dispatch/index.ts";
import type { HeldAnswer } from "./attempt.ts";

/** What came of the workers that were asked for one request. */
export class Tries {
  /** Workers that answered that they could not: it is their fault once another can. */
  readonly suspects: string[] = [];
  #tried: string[] = [];
  /** Those that were at fault; of a pair, the other one was not. */
  readonly #faulty: string[] = [];
  #count = 0;
  #fallback: HeldAnswer | DispatchError | undefined;

  /** Endpoints that are not asked again. */
  get tried(): readonly string[] {
    return this.#tried;
  }

  get count(): number {
    return this.#count;
  }

  /** The best that can be said when no other worker helps; undefined = none has failed. */
  get fallback(): HeldAnswer | DispatchError | undefined {
    return this.#fallback;
  }

  /** @param endpoints of the workers that are asked, two for a pair */
  begin(endpoints: readonly string[]): void {
    this.#count += 1;
    this.#tried.push(...endpoints);
  }

  failed(endpoint: string, error: DispatchError): void {
    this.#faulty.push(endpoint);
    this.#fallback ??= error;
  }

  serverError(endpoint: string, answer: HeldAnswer): void {
    this.#faulty.push(endpoint);
    this.suspects.push(endpoint);
    this.#fallback = answer;
  }

  /** Lets those be asked again that did nothing wrong: the other halves of pairs that failed. @returns false when there are none */
  forgiveInnocent(): boolean {
    if (this.#faulty.length >= this.#tried.length) return false;
    this.#tried = [...this.#faulty];
    return true;
  }
}
