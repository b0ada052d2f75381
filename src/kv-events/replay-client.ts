import { Dealer } from "zeromq";
import { isIpv6 } from "./endpoint-family.ts";
import { endOfReplay, type NumberedPayload, readFrames, replayRequest } from "./frames.ts";
import { ReplayError } from "./replay-error.ts";
import type { Clock } from "./turn-budget.ts";

export interface ReplayLimits {
  /** Longest wait for the next message, ms. */
  readonly idleMs: number;
  /** Longest replay in all, ms. */
  readonly totalMs: number;
  /** Longest batch that is taken, bytes. */
  readonly maxBatchBytes: number;
}

/**
 * Asks an engine for the batches that it still has, from `sequence` on. A socket of its own for each request, so that a late
 * answer to an earlier one cannot be taken for this one's. Throws ReplayError; ends the socket in any case.
 */
export async function* replay(
  endpoint: string,
  sequence: number,
  limits: ReplayLimits,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<NumberedPayload, void, undefined> {
  const { idleMs } = limits;
  const socket = new Dealer({
    ipv6: isIpv6(endpoint),
    linger: 0,
    sendTimeout: idleMs,
    receiveTimeout: idleMs,
  });
  const close = () => socket.close();
  signal.addEventListener("abort", close, { once: true });
  const deadline = clock.now() + limits.totalMs;
  try {
    socket.connect(endpoint);
    await socket.send(replayRequest(sequence));
    for (;;) {
      const message = readFrames(await socket.receive(), limits.maxBatchBytes);
      if (message === endOfReplay) return;
      if (message !== undefined) yield message;
      const left = deadline - clock.now();
      if (left <= 0) throw new ReplayError(`replay took over ${limits.totalMs} ms`);
      socket.receiveTimeout = Math.max(1, Math.min(limits.idleMs, Math.ceil(left)));
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
