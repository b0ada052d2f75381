import { z } from "zod";
import { milliseconds, name, serverAddress } from "../setting-types.ts";
import { redisTls, redisUrl } from "./replicas-redis.ts";

const passwordFile = z.string().min(1).optional();

const sentinel = z
  .strictObject({
    addresses: z
      .array(serverAddress())
      .default([])
      .describe(
        "The sentinels, `host:port` each: they are asked for the primary at each connection, and of `queue.redis.url` only the scheme counts. Empty = there are none.",
      ),
    name: name()
      .optional()
      .describe("Name of the group of servers, as the sentinels know it. Needed with `addresses`."),
    username: z.string().min(1).optional().describe("User at the sentinels; absent = their default user."),
    passwordFile: passwordFile.describe("File with the sentinels' password, read for each connection."),
  })
  .prefault({})
  .describe("Sentinels that know the primary server.");

/** The server that holds the queues. */
export const queueRedis = z
  .strictObject({
    url: redisUrl()
      .optional()
      .describe(
        "Redis or Valkey server of the queues, `redis://host:port` or `rediss://host:port` for TLS. Needed in the mode `queue`. A single server, or one behind sentinels: a Redis Cluster is refused.",
      ),
    username: z.string().min(1).optional().describe("User at the server; absent = its default user."),
    passwordFile: passwordFile.describe("File with the password, read for each connection. Absent = none is sent."),
    tls: redisTls,
    sentinel,
    timeoutMs: milliseconds(20)
      .default(1_000)
      .describe(
        "Longest time for connecting, and for the answer to a command, in ms; then the connection is made anew.",
      ),
    reconnectMinMs: milliseconds(1).default(50).describe("First pause before connecting again, in ms; it doubles."),
    reconnectMaxMs: milliseconds(1).default(1_000).describe("Longest pause before connecting again, in ms."),
  })
  .prefault({})
  .describe("The server that holds the queues.");
