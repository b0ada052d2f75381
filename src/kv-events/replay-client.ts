import { Dealer } from "zeromq";
import { isIpv6 } from "./endpoint-family.ts";
import { endOfReplay, type NumberedPayload, readFrames, replayRequest } from "./frames.ts";
import { ReplayError } from "./replay-error.ts";
import type { Clock } from "./turn-budget.ts";
import { type BatchMemory, WaitingBatches } from "./waiting-batches.ts";

export interface ReplayLimits {
  /** Longest wait for the next message, ms. */
  readonly idleMs: number;
  /** Longest time until the last message is there, ms. */
  readonly totalMs: number;
  /** Most messages in the socket's own queue. */
  readonly maxMessages: number;
  /** Longest batch that is taken, bytes. */
  readonly maxBatchBytes: number;
}

/** What a replay works with. */
export interface ReplayDependencies {
  readonly clock: Clock;
  /** Bounds what is read ahead. */
  readonly memory: BatchMemory;
}

/**
 * Asks an engine for the batches that it still has, from `sequence` on. A socket of its own for each request, so that a late
 * answer to an earlier one cannot be taken for this one's. What comes is read at once, however slowly it is applied: an engine's
 * ROUTER socket drops what does not fit into its queue of a thousand. Throws ReplayError; ends the socket in any case.
 */
export async function* replay(
  endpoint: string,
  sequence: number,
  limits: ReplayLimits,
  { clock, memory }: ReplayDependencies,
  signal: AbortSignal,
): AsyncGenerator<NumberedPayload, void, undefined> {
  const { idleMs } = limits;
  const socket = new Dealer({
    ipv6: isIpv6(endpoint),
    linger: 0,
    sendTimeout: idleMs,
    receiveTimeout: idleMs,
    receiveHighWaterMark: limits.maxMessages,
  });
  const batches = new WaitingBatches(memory, Number.POSITIVE_INFINITY);
  const arrivals = new Arrivals();
  const close = () => {
    batches.close();
    if (!socket.closed) socket.close();
    arrivals.end();
  };
  signal.addEventListener("abort", close, { once: true });
  const reading = readAll(endpoint, sequence, limits, { socket, batches, arrivals, clock }).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  void reading.then(() => arrivals.end());
  try {
    while (await arrivals.next(() => batches.count > 0)) {
      for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) yield batch;
    }
    const cause = await reading;
    signal.throwIfAborted();
    if (cause instanceof ReplayError) throw cause;
    if (cause !== undefined)
      throw new ReplayError(`no complete replay from ${endpoint}`, { cause, isSilence: isTimeout(cause) });
  } finally {
    signal.removeEventListener("abort", close);
    close();
    await reading;
  }
}

/** Tells one reader that something has come, or that nothing more will. */
class Arrivals {
  #wake: (() => void) | undefined;
  #isOver = false;

  notify(): void {
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** Resolves when there is something, with true; when there is nothing and nothing more will come, with false. */
  async next(isThere: () => boolean): Promise<boolean> {
    while (!isThere()) {
      if (this.#isOver) return false;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return true;
  }
}

interface Reading {
  readonly socket: Dealer;
  readonly batches: WaitingBatches;
  readonly arrivals: Arrivals;
  readonly clock: Clock;
}

/** Resolves at the end of the replay; rejects when it does not come in time. */
async function readAll(
  endpoint: string,
  sequence: number,
  { idleMs, totalMs, maxBatchBytes }: ReplayLimits,
  { socket, batches, arrivals, clock }: Reading,
): Promise<void> {
  const deadline = clock.now() + totalMs;
  socket.connect(endpoint);
  await socket.send(replayRequest(sequence));
  for (;;) {
    const message = readFrames(await socket.receive(), maxBatchBytes);
    if (message === endOfReplay) return;
    if (message !== undefined) {
      batches.add(message);
      arrivals.notify();
    }
    const left = deadline - clock.now();
    if (left <= 0) throw new ReplayError(`replay took over ${totalMs} ms`);
    socket.receiveTimeout = Math.max(1, Math.min(idleMs, Math.ceil(left)));
    await batches.room();
  }
}

/** As the library tells that nothing came in time. */
function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EAGAIN";
}
