import { RoutingError } from "../../errors/index.ts";
import type { ProcessingResponse } from "./processing-messages.ts";

/** Answers that have to wait for the pick's: Envoy refuses them in another order. */
export class OwedAnswers {
  readonly #send: (message: ProcessingResponse) => void;
  readonly #most: number;
  #owed: ProcessingResponse[] = [];
  #isOpen = false;

  /** @param most that wait */
  constructor(send: (message: ProcessingResponse) => void, most: number) {
    this.#send = send;
    this.#most = most;
  }

  /** @throws RoutingError invalid_request when too many wait already */
  pass(message: ProcessingResponse): void {
    if (this.#isOpen) {
      this.#send(message);
      return;
    }
    if (this.#owed.length >= this.#most) {
      throw new RoutingError("the gateway sends more while the request is placed", { code: "invalid_request" });
    }
    this.#owed.push(message);
  }

  /** The pick is answered. */
  open(): void {
    this.#isOpen = true;
    for (const message of this.#owed) this.#send(message);
    this.#owed = [];
  }
}
