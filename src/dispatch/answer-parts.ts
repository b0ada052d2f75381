import { Buffer } from "node:buffer";

/** Who takes the parts. */
interface PartsReceiver {
  head(status: number, reason: string, rawHeaders: readonly string[]): void;
  data(chunk: Buffer): void;
}

/** The head of an answer as it came. */
interface ReceivedHead {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
}

/** Parts that are longer together are handed over at once, in bytes: a receiver that is behind says so before there is more. */
const maxHeldBytes = 65_536;

/**
 * Joins what one read of a connection brings of an answer. A worker that is quick writes many events before it is read once; each by itself would be looked
 * through and framed again for the client, which takes ten times as long. Nothing waits for anything that is not there: what has come is handed over
 * before the event loop turns to something else.
 */
export class AnswerParts {
  readonly #receiver: PartsReceiver;
  readonly #refused: (cause: Error) => void;
  #head: ReceivedHead | undefined;
  #chunks: Buffer[] = [];
  #chunkBytes = 0;
  #isDue = false;
  #isDropped = false;

  /** @param refused told what the receiver throws, unless it is thrown to whom called */
  constructor(receiver: PartsReceiver, refused: (cause: Error) => void) {
    this.#receiver = receiver;
    this.#refused = refused;
  }

  head(head: ReceivedHead): void {
    this.#head = head;
    this.#handOverSoon();
  }

  data(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    if (this.#chunkBytes > maxHeldBytes) this.handOver();
    else this.#handOverSoon();
  }

  /** Hands over what has come. Throws what the receiver throws. */
  handOver(): void {
    const head = this.#head;
    const chunks = this.#chunks;
    this.#forget();
    if (head !== undefined) this.#receiver.head(head.status, head.reason, head.rawHeaders);
    if (chunks.length > 0 && !this.#isDropped)
      this.#receiver.data(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  }

  /** As `handOver`, for the last time. @returns what the receiver threw; undefined = nothing */
  rest(): Error | undefined {
    try {
      this.handOver();
      return undefined;
    } catch (cause) {
      return errorOf(cause);
    }
  }

  /** Nobody wants what has come, nor what will. */
  drop(): void {
    this.#isDropped = true;
    this.#forget();
  }

  #forget(): void {
    this.#head = undefined;
    if (this.#chunks.length > 0) this.#chunks = [];
    this.#chunkBytes = 0;
  }

  #handOverSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      const cause = this.rest();
      if (cause !== undefined) this.#refused(cause);
    });
  }
}

function errorOf(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error("the answer was refused", { cause });
}
