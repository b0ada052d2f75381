import type { BlockHashes } from "../kv/index.ts";

/** One request of a simulated client. */
export interface SimulatedRequest {
  /** When it comes, in ms of virtual time. */
  readonly atMs: number;
  readonly promptTokens: number;
  /** Of the prompt's complete blocks. */
  readonly hashes: BlockHashes;
  readonly outputTokens: number;
  /** Asked once this one is answered; undefined = nothing follows. */
  readonly next: (() => SimulatedRequest) | undefined;
}
