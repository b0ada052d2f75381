import { z } from "zod";
import { count, listenAddress, milliseconds } from "../setting-types.ts";
import { clientTimeouts } from "./front.ts";
import { access, callers, headerName } from "./queue-callers.ts";
import { wire } from "./queue-wire.ts";
import { tlsSection } from "./tls.ts";

const mebibyte = 1_048_576;

const limits = {
  maxBodyBytes: count(1_024)
    .max(32 * mebibyte)
    .default(8 * mebibyte)
    .describe("Longest request body, in bytes; a longer one is answered 413. It is held in Redis until it is served."),
  maxHeldBodyBytes: count(1_024)
    .default(256 * mebibyte)
    .describe(
      "Sum of the request bodies held at one time, in bytes; a request that would pass it is answered 429. A body is held until Redis has taken it.",
    ),
  maxHeaderBytes: count(1_024)
    .default(65_536)
    .describe("Longest headers of a request together, in bytes; longer ones are answered 431."),
  maxRequests: count(1)
    .default(16_384)
    .describe("Requests under way at one time, with those whose body is coming in; one more is answered 429, unread."),
  maxConnections: count(1).default(32_768).describe("Connections of clients at one time; one more is closed."),
  ...clientTimeouts,
  retryAfterSeconds: count(0).default(1).describe("`Retry-After` of 429 and 503 answers, in seconds."),
};

const deadlines = {
  defaultTimeoutMs: milliseconds(1)
    .default(60_000)
    .describe(
      "How long a request waits for its result, in ms, where its client does not say; then it is cancelled and answered 504.",
    ),
  maxTimeoutMs: milliseconds(1)
    .default(3_600_000)
    .describe("Longest time that a client may ask for, in ms; one that asks for more gets this."),
  timeoutHeaders: z
    .array(headerName())
    .default(["x-request-timeout-seconds"])
    .describe(
      "Headers by which clients say how many seconds they wait; the first that is there counts. `x-stainless-timeout` is what OpenAI's and Anthropic's libraries send by themselves.",
    ),
  deadlineMarginMs: milliseconds(0)
    .default(0)
    .describe(
      "How much earlier the processor's deadline is than the client's, in ms: with a second or more, clients get the processor's error instead of the front's. Deadlines are whole seconds, rounded up.",
    ),
  discourageRetries: z
    .boolean()
    .default(true)
    .describe(
      "Whether 504 answers have `x-should-retry: false`: OpenAI's libraries would send the request twice more, and wait as long each time.",
    ),
};

const streams = {
  streaming: z
    .enum(["refuse", "replay"])
    .default("refuse")
    .describe(
      "What becomes of requests with `stream: true`, for results come whole: `refuse`: 400; `replay`: they wait, and get the finished answer as the events of their API.",
    ),
  keepAliveMs: milliseconds(0)
    .default(10_000)
    .describe(
      "Pause between two comments that keep a waiting stream alive, in ms. The first comes with the head of the answer, so that a failure after it is an event of the stream. 0 = there are none.",
    ),
};

const compatibility = {
  idempotency: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          "Whether requests with the same `Idempotency-Key` and body share one result, within this process: while it runs they wait together, and afterwards they get it again. The same key with another body is 409.",
        ),
      ttlMs: milliseconds(1).default(600_000).describe("How long a result is kept, in ms."),
      maxEntries: count(1).default(10_000).describe("Most results that are kept; the oldest are forgotten."),
      maxChars: count(1).default(67_108_864).describe("Most characters of them all."),
    })
    .prefault({})
    .describe("Requests that clients send more than once."),
  requests: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          "Whether `GET` and `DELETE /v1/requests/{id}` and the header `X-AP-Mode` (`wait`, `enqueue`) are served, as llm-d-router's coordinator does; within this process. Off: the header means nothing.",
        ),
      ttlMs: milliseconds(1).default(3_600_000).describe("How long the result of an enqueued request is kept, in ms."),
      maxEntries: count(1).default(10_000).describe("Most results that are kept; the oldest are forgotten."),
      maxChars: count(1).default(67_108_864).describe("Most characters of them all."),
    })
    .prefault({})
    .describe("Requests whose results are asked for later."),
};

/** The synchronous front of the queues. */
export const queue = z
  .strictObject({
    listen: listenAddress()
      .default("127.0.0.1:8001")
      .describe(
        "Where clients call, in the mode `queue`, `host:port` or `[v6]:port`; port 0 = one that the system chooses.",
      ),
    tls: tlsSection("off", "queue front's"),
    models: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Models that `/v1/models` tells of; a request for another is 404. Empty = none is told of, any may be asked for.",
      ),
    ...wire,
    ...deadlines,
    ...streams,
    ...access,
    ...callers,
    ...compatibility,
    ...limits,
  })
  .prefault({})
  .describe(
    "The synchronous front of llm-d-async's queues: clients call here as they would call a model server, and wait while their requests go through a queue.",
  );
