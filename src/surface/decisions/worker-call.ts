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
    const chunks: Buffer[] = [];
    let status = 0;
    let length = 0;
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
        length += chunk.length;
        if (length > maxBytes) stop(new AnswerTooLongError(`the answer is longer than ${maxBytes} bytes`));
        else chunks.push(chunk);
      },
      end: () => finish(() => resolve({ status, body: Buffer.concat(chunks, length) })),
      failed: (error: DispatchError) => finish(() => reject(error)),
    });
  });
}
