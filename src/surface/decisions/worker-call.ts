import type { AnswerReceiver, DispatchError, WorkerExchange, WorkerRequest } from "../../dispatch/index.ts";

/** Who speaks to the workers. */
export interface WorkerDispatcher {
  send(request: WorkerRequest, receiver: AnswerReceiver): WorkerExchange;
}

/** A worker's whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const leastCapacity = 4_096;

/** What has come of an answer, copied: however small its pieces are, they take no more room than their bytes. */
class GatheredBytes {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** @returns false when there are too many; nothing is added then */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(leastCapacity, 2 * length)));
      this.#buffer.copy(grown, 0, 0, this.#length);
      this.#buffer = grown;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
    return true;
  }
}

/** The answer was longer than it may be. */
export class AnswerTooLongError extends Error {
  override readonly name = "AnswerTooLongError";
}

/**
 * Sends a request and gathers its answer.
 * @param maxBytes longest body that is taken
 * @throws DispatchError, AnswerTooLongError, or the signal's reason, by rejecting: the exchange is over then
 */
export function wholeAnswer(
  dispatcher: WorkerDispatcher,
  request: WorkerRequest,
  maxBytes: number,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const gathered = new GatheredBytes(maxBytes);
    let status = 0;
    const finish = (settle: () => void) => {
      signal.removeEventListener("abort", leave);
      settle();
    };
    const stop = (reason: unknown) => {
      finish(() => reject(reason));
      exchange?.cancel();
    };
    const leave = () => stop(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    let exchange: WorkerExchange | undefined;
    exchange = dispatcher.send(request, {
      head: (answered) => {
        status = answered;
      },
      data: (chunk) => {
        if (!gathered.add(chunk)) stop(new AnswerTooLongError(`the answer is longer than ${maxBytes} bytes`));
      },
      end: () => finish(() => resolve({ status, body: gathered.bytes })),
      failed: (error: DispatchError) => finish(() => reject(error)),
    });
  });
}
