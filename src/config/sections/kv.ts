import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";

/** How KV events are followed. */
export const kvEvents = z
  .strictObject({
    replayTimeoutMs: milliseconds(1)
      .default(5000)
      .describe("Longest wait for a worker to replay missed events, in ms."),
    quietCheckMs: milliseconds(0)
      .default(30_000)
      .describe(
        "Time without events after which a worker is asked once whether its last ones were missed, in ms; 0 = never. Needs `workers[].kvReplay`.",
      ),
    reconnectMinMs: milliseconds(1)
      .default(100)
      .describe("First pause before connecting again, in ms; doubles each time."),
    reconnectMaxMs: milliseconds(1).default(5000).describe("Longest pause before connecting again, in ms."),
    maxPendingBatches: count(1)
      .max(1_000_000)
      .default(10_000)
      .describe(
        "Most event batches of a rank that wait here to be applied, as while a gap is replayed; more wait with the engine, as long as it keeps them.",
      ),
    maxPendingBytes: count(1_048_576)
      .max(64 * 1_073_741_824)
      .default(256 * 1_048_576)
      .describe("Most memory of the batches that wait, of all ranks together, in bytes."),
    maxBatchBytes: count(1_024)
      .max(1_073_741_824)
      .default(8 * 1_048_576)
      .describe(
        "Longest event batch that is read, in bytes; a longer one is left out. A batch needs up to eight times its size in memory while it is applied, which is done in slices.",
      ),
    maxWaitingBlocks: count(0)
      .max(1_048_576)
      .default(16_384)
      .describe(
        "Most blocks of a rank that wait for a parent that is not known; beyond them the oldest are dropped. About 500 bytes each.",
      ),
    silentWorkerWarnMs: milliseconds(0)
      .default(60_000)
      .describe(
        "A worker that was sent a prompt with complete blocks that it did not hold, and sent no event for this long after it, is warned of, in ms; 0 = never.",
      ),
    unmatchedPromptMs: milliseconds(0)
      .default(60_000)
      .describe(
        "Time after which a prompt that was sent to a worker must have turned up in its KV events, in ms; a worker where several in a row do not is reported. 0 = not checked.",
      ),
    predictedTtlMs: milliseconds(0)
      .default(0)
      .describe(
        "How long a worker counts as holding a prompt that was sent to it while its events are not there yet, in ms; 0 = only events count.",
      ),
    onUnrepairableGap: z
      .enum(["reset", "stale"])
      .default("reset")
      .describe("When missed events cannot be replayed: `reset` forgets the rank's blocks, `stale` keeps them."),
  })
  .prefault({})
  .describe("How the workers' KV events are followed.");

/** What is guessed of workers that publish no KV events. */
export const approximateIndex = z
  .strictObject({
    ttlMs: milliseconds(0)
      .default(120_000)
      .describe(
        "How long a worker that publishes no KV events counts as holding a prompt that was sent to it, in ms; each prompt with the same beginning renews it. 0 = nothing is guessed.",
      ),
    maxBlocksPerRank: count(0)
      .max(67_108_864)
      .default(0)
      .describe(
        "Most blocks guessed of one rank: the least recently used are forgotten. 0 = the worker's `totalKvBlocks`, when that is known.",
      ),
    maxBytes: count(65_536)
      .max(8 * 1_073_741_824)
      .default(128 * 1_048_576)
      .describe("Most memory for what is guessed of all ranks together, for each model, in bytes."),
  })
  .prefault({})
  .describe("What is guessed of workers from what was sent to them.");
