import { Dealer } from "zeromq";
import { isIpv6 } from "./endpoint-family.ts";
import { endOfReplay, type NumberedPayload, readFrames, replayRequest } from "./frames.ts";
import type { Clock } from "./turn-budget.ts";

/** The engine did not answer, or not to the end. */
export class ReplayError extends Error {
  override readonly name = "ReplayError";
}

export interface ReplayTimeouts {
  /** Longest wait for the next message, ms. */
  readonly idleMs: number;
  /** Longest replay in all, ms. */
  readonly totalMs: number;
}

/**
 * Asks an engine for the batches that it still has, from `sequence` on. A socket of its own for each request, so that a late
 * answer to an earlier one cannot be taken for this one's. Throws ReplayError; ends the socket in any case.
 */
export async function* replay(
  endpoint: string,
  sequence: number,
  timeouts: ReplayTimeouts,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<NumberedPayload, void, undefined> {
  const { idleMs } = timeouts;
  const socket = new Dealer({
    ipv6: isIpv6(endpoint),
    linger: 0,
    sendTimeout: idleMs,
    receiveTimeout: idleMs,
  });
  const close = () => socket.close();
  signal.addEventListener("abort", close, { once: true });
  const deadline = clock.now() + timeouts.totalMs;
  try {
    socket.connect(endpoint);
    await socket.send(replayRequest(sequence));
    for (;;) {
      const message = readFrames(await socket.receive());
      if (message === endOfReplay) return;
      if (message !== undefined) yield message;
      const left = deadline - clock.now();
      if (left <= 0) throw new ReplayError(`replay took over ${timeouts.totalMs} ms`);
      socket.receiveTimeout = Math.max(1, Math.min(timeouts.idleMs, Math.ceil(left)));
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ReplayError) throw cause;
    throw new ReplayError(`no complete replay from ${endpoint}`, { cause });
  } finally {
    signal.removeEventListener("abort", close);
    if (!socket.closed) socket.close();
  }
}
