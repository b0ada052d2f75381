import { chainHashes } from "../kv/index.ts";
import type { SimulatedRequest } from "./simulated-request.ts";
import type { TraceRequest } from "./trace-request.ts";

/** How a trace is played. */
export interface Playback {
  /** Tokens in a block of the trace. */
  readonly blockSize: number;
  /** 2 = requests come twice as fast as they came. */
  readonly speed: number;
}

/** A request of a trace as one that can be simulated: its complete blocks, by their ids. */
export function simulatedRequestOf(traced: TraceRequest, { blockSize, speed }: Playback): SimulatedRequest {
  const { timestampMs, inputTokens, outputTokens, blockIds } = traced;
  const count = Math.min(blockIds.length, Math.floor(inputTokens / blockSize));
  const local = new Uint32Array(2 * count);
  for (let block = 0; block < count; block++) {
    const id = blockIds[block] as number;
    local[2 * block] = id;
    local[2 * block + 1] = Math.floor(id / 2 ** 32);
  }
  return {
    atMs: timestampMs / speed,
    promptTokens: Math.max(1, inputTokens),
    hashes: { count, local, sequence: chainHashes(local) },
    outputTokens: Math.max(1, outputTokens),
    next: undefined,
  };
}
