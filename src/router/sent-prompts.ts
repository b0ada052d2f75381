import type { WorkerRank } from "../fleet/index.ts";
import type { BlockHashes } from "../kv/index.ts";
import type { ServedModel } from "./model-registry.ts";

/** Told of every prompt that was booked on a rank, and of no query. Must not wait. */
export interface SentPrompts {
  /** @param hashes the prompt's complete blocks; not to be changed */
  onSent(rank: WorkerRank, model: ServedModel, hashes: BlockHashes): void;
}
