import type { DispatchError } from "../../dispatch/index.ts";
import type { AnswerBody } from "./attempt.ts";

/** Where a body goes. */
export interface PlainBodySink {
  /** The head goes to the client, the body follows. */
  begin(): void;
  write(bytes: Buffer): void;
  finish(): void;
  /** The body was held, and is complete. */
  whole(body: Buffer): void;
  /** The worker broke off; the client has got nothing. */
  fail(error: DispatchError): void;
  /** The worker broke off; the client has got a part. */
  cut(error: DispatchError): void;
}

/** A body that is no stream of events: held until it is whole as long as it is short, so that a worker that dies can be replaced. */
export class PlainBody implements AnswerBody {
  readonly #maxHeldBytes: number;
  readonly #sink: PlainBodySink;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #isPassing = false;

  /** @param maxHeldBytes -1 = it is not held at all */
  constructor(maxHeldBytes: number, sink: PlainBodySink) {
    this.#maxHeldBytes = maxHeldBytes;
    this.#sink = sink;
    if (maxHeldBytes < 0) this.#pass();
  }

  data(chunk: Buffer): void {
    if (this.#isPassing) {
      this.#sink.write(chunk);
      return;
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > this.#maxHeldBytes) this.#pass();
  }

  end(): void {
    if (this.#isPassing) this.#sink.finish();
    else this.#sink.whole(this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held));
  }

  broken(error: DispatchError): void {
    if (this.#isPassing) this.#sink.cut(error);
    else this.#sink.fail(error);
  }

  close(): void {
    this.#held = [];
  }

  lastWords(): undefined {
    return undefined;
  }

  #pass(): void {
    this.#isPassing = true;
    this.#sink.begin();
    for (const chunk of this.#held) this.#sink.write(chunk);
    this.#held = [];
  }
}
