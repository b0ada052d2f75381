import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";

/** Several picker processes on one host. */
export const shards = z
  .strictObject({
    count: count(1)
      .max(64)
      .default(1)
      .describe(
        "Picker processes on this host, at most one a core. Each follows all KV events and has its own index, caches, limits and prompt threads; they share what they have booked.",
      ),
    listen: z
      .enum(["shared", "own"])
      .default("shared")
      .describe(
        "`shared`: all listen on the same ports, and the system spreads connections among them (Linux only). `own`: each has ports of its own, `portStep` apart, for gateways that list them all. The route API needs `own`.",
      ),
    portStep: count(1).max(10_000).default(100).describe("With `own`, what lies between the ports of two shards."),
    restartMinMs: milliseconds(1)
      .default(250)
      .describe("First pause before a shard that ended by itself is started again, in ms; it doubles."),
    restartMaxMs: milliseconds(1).default(10_000).describe("Longest such pause, in ms."),
    metricsTimeoutMs: milliseconds(1)
      .default(2_000)
      .describe(
        "Longest time in which a shard gives its metrics, or answers the console, in ms; then the page is made without them.",
      ),
    maxWaitingMessages: count(1)
      .default(32_768)
      .describe(
        "Most messages of the others that wait for a shard, about 2 KB each. One that has not read so many is stuck: it is ended hard and started again.",
      ),
  })
  .prefault({})
  .describe("Several picker processes on one host, to use more cores.");
