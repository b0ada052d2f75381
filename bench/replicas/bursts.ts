import { hashBlocks } from "../../src/kv/index.ts";
import { engineFigures, type SimulatedRequest, seededRandom } from "../../src/replay/index.ts";

/** Requests that come in bursts, with quiet in between. */
export interface Bursts {
  readonly name: string;
  /** Requests of a burst. */
  readonly size: number;
  /** In which they all come, at random. */
  readonly lengthMs: number;
  /** Tokens of a system prompt that all share; 0 = every prompt is new. */
  readonly sharedTokens: number;
  /** Every so many requests one has a prompt of 16,384 tokens. Absent = none. */
  readonly longEvery?: number;
  /** Between the beginnings of two bursts, in ms. */
  readonly pauseMs: number;
}

/** A request and the burst that it is of. */
export interface BurstRequest extends SimulatedRequest {
  readonly burst: number;
}

/** The requests of `count` bursts, in order of time. */
export function requestsOf(
  { size, lengthMs, sharedTokens, longEvery, pauseMs }: Bursts,
  count: number,
  seed: number,
): BurstRequest[] {
  const random = seededRandom(seed);
  const requests: BurstRequest[] = [];
  for (let burst = 0; burst < count; burst++) {
    for (let i = 0; i < size; i++) {
      const isLong = longEvery !== undefined && random() * longEvery < 1;
      const ownTokens = isLong ? 16_384 : 256 + Math.floor(random() * 512);
      const tokens = Uint32Array.from({ length: sharedTokens + ownTokens }, (_, at) =>
        at < sharedTokens ? at : (requests.length + 1) * 1_000 + at,
      );
      requests.push({
        burst,
        atMs: burst * pauseMs + random() * lengthMs,
        promptTokens: tokens.length,
        hashes: hashBlocks(tokens, engineFigures),
        outputTokens: 50 + Math.floor(random() * 100),
        next: undefined,
      });
    }
  }
  return requests.toSorted((a, b) => a.atMs - b.atMs);
}
