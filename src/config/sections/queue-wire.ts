import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";
import { queueRedis } from "./queue-redis.ts";

/** The queues, and the way of the results. */
export const wire = {
  redis: queueRedis,
  wire: z
    .enum(["v0.9", "v0.10"])
    .default("v0.9")
    .describe(
      "How requests are written: as llm-d-async's producer up to v0.9 does, which every processor reads, or as that of v0.10, which keeps the order of requests of one deadline.",
    ),
  requestQueue: z
    .string()
    .min(1)
    .default("request-sortedset")
    .describe("Sorted set of the requests that no route sends elsewhere."),
  resultLists: z
    .enum(["instance", "request"])
    .default("instance")
    .describe(
      "Where results come in: one list of this process, read by one connection, or a list and a waiting connection for each request.",
    ),
  resultPrefix: z
    .string()
    .regex(/^[\x21-\x7a]{1,64}$/, "expected 1 to 64 printable characters without spaces and braces")
    .default("resp:")
    .describe("Start of the names of result lists. The same for all replicas: they remove what a dead one has left."),
  maxWaiters: count(1)
    .default(10_000)
    .describe(
      "Most requests that wait for their results; one more is answered 429. With a list for each request also the most connections to Redis.",
    ),
  maxQueueDepth: count(0)
    .default(0)
    .describe(
      "Requests in a queue from which on further ones are answered 429; looked at every `heartbeatMs`. 0 = any number.",
    ),
  resultsAtOnce: count(1).max(1_000).default(100).describe("Most results that are taken from the list at once."),
  heartbeatMs: milliseconds(10).default(5_000).describe("How often this process says in Redis that it lives, in ms."),
  lateResultMs: milliseconds(0)
    .default(900_000)
    .describe(
      "How long after its deadline a result may still come, in ms: the processor's request timeout, its claim lease and some grace. What a dead process has left is removed after this and `maxTimeoutMs`.",
    ),
  canary: z
    .strictObject({
      mode: z
        .enum(["off", "warn", "require"])
        .default("warn")
        .describe(
          "Whether the start finds out that results come back, by a request that is cancelled before it is submitted: a queue with a `result_queue_name` of its own at the processor keeps them away. `warn`: it is logged; `require`: no request is taken before.",
        ),
      timeoutMs: milliseconds(100)
        .default(15_000)
        .describe("How long one try waits, in ms. While no processor takes it there is another."),
    })
    .prefault({})
    .describe("Finding out at the start whether results come back."),
};
