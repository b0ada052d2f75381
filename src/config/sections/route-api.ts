import { z } from "zod";
import { checkedText, count, listenAddress, milliseconds } from "../setting-types.ts";
import { tlsSection } from "./tls.ts";

const mebibyte = 1_048_576;

/** Who owns the requests and their load. */
export const mode = z
  .enum(["ext-proc", "query", "reserve", "proxy", "queue"])
  .default("ext-proc")
  .describe(
    "Who owns the requests and their load. `ext-proc`: Envoy, on the ext_proc listener. `query`: callers of the route API, which only asks where a request should go and books nothing. `reserve`: callers of the route API, which also book the load of their requests. `proxy`: this process forwards them itself, on the proxy's listener. `queue`: they go through a queue of llm-d-async's, whose processor owns them; nothing is routed here, and no worker is needed.",
  );

/** Modes beside the one. */
export const mixedModes = z
  .array(z.enum(["ext-proc", "query", "reserve", "proxy", "queue"]))
  .default([])
  .describe(
    "Modes in the same deployment beside `mode`. Advanced: each owns its own requests, retries and clean-up, and their loads add up. With `ext-proc`, `query` serves the route API for registering workers and looking at picks.",
  );

const limits = {
  maxBodyBytes: count(1_024)
    .default(8 * mebibyte)
    .describe("Longest request body, in bytes; a longer one is answered 413."),
  maxFieldBytes: count(1_024)
    .default(mebibyte)
    .describe(
      "Longest part of a body besides its arrays of token ids and hashes and its client's request, in bytes; a longer one is answered 413.",
    ),
  maxFieldValues: count(64)
    .default(16_384)
    .describe(
      "Most values and keys of that part; more are answered 413. Ten thousand take some 5 ms to read, in which nobody else is answered.",
    ),
  maxHeldBodyBytes: count(1_024)
    .default(256 * mebibyte)
    .describe("Sum of the bodies held at one time, in bytes; a request that would pass it is answered 429."),
  maxReusedBufferBytes: count(0)
    .default(32 * mebibyte)
    .describe("Memory of bodies that is kept between requests, in bytes; 0 keeps none."),
  maxRequests: count(1).default(1_024).describe("Requests under way at one time; one more is answered 429, unread."),
  maxConnections: count(1).default(4_096).describe("Connections at one time; one more is closed."),
  headersTimeoutMs: milliseconds(1).default(10_000).describe("Longest time for the headers of a request, in ms."),
  requestTimeoutMs: milliseconds(1)
    .default(30_000)
    .describe("Longest time for a whole request to come in, in ms; then it is answered 408."),
  keepAliveTimeoutMs: milliseconds(1)
    .default(75_000)
    .describe("How long a connection without requests is kept, in ms. Longer than that of the client's pool."),
  deadlineMs: milliseconds(1)
    .default(5_000)
    .describe("Longest time from a request's body to its answer, in ms; a later one is answered 504."),
  retryAfterSeconds: count(0).default(1).describe("`Retry-After` of 429 and 503 answers, in seconds."),
  maxTokenIds: count(1).max(4_194_304).default(1_048_576).describe("Most token ids of a prompt."),
  maxHashes: count(1).max(4_194_304).default(262_144).describe("Most block or sequence hashes of a prompt."),
  maxListItems: count(1).default(4_096).describe("Most items of any other list or map of a body."),
};

const registration = z
  .strictObject({
    maxWorkers: count(0).default(4_096).describe("Most workers registered at one time; 0 = none can be."),
    maxRanks: count(1).max(65_536).default(16_384).describe("Most data-parallel ranks of them all."),
    maxPartitions: count(0)
      .default(64)
      .describe(
        "Most pairs of model and routing group that registered workers may bring beside the configured models.",
      ),
    maxIndexBytes: count(1_048_576)
      .max(8 * 1_073_741_824)
      .default(512 * mebibyte)
      .describe(
        "Most memory of the prefix index of such a pair, in bytes; when it is full the oldest leaves are forgotten.",
      ),
    requireKvEvents: z
      .boolean()
      .default(true)
      .describe(
        "Whether a registered worker without KV events on every rank is incomplete and not picked; otherwise what it holds is guessed (`approximateIndex`).",
      ),
    probe: z
      .boolean()
      .default(false)
      .describe("Whether registered workers are probed as `fleet.healthCheck` says; otherwise they count as healthy."),
  })
  .prefault({})
  .describe("Workers that callers register with `POST /workers`.");

const pendingSelections = z
  .strictObject({
    ttlMs: milliseconds(0)
      .default(120_000)
      .describe("How long a selection made under an id waits for `POST /reservations`, in ms."),
    maxEntries: count(0).default(4_096).describe("Most selections that wait; the oldest are forgotten."),
    maxBytes: count(0)
      .default(256 * mebibyte)
      .describe("Most memory that they take, in bytes."),
  })
  .prefault({})
  .describe("Selections that were made and not yet reserved.");

/** The route API. */
export const routeApi = z
  .strictObject({
    listen: listenAddress(true)
      .default("127.0.0.1:8092")
      .describe(
        "Where the route API listens in the modes `query` and `reserve`, `host:port` or `[v6]:port`; port 0 = one that the system chooses, `off` = only on `socket`. Anywhere but on the loopback address, `/dump` demands a token.",
      ),
    socket: z.string().min(1).max(107).optional().describe("Path of a Unix socket to listen on as well."),
    socketMode: checkedText((text) => (/^0?[0-7]{3}$/.test(text) ? undefined : "expected permission bits, as 0660"))
      .optional()
      .describe("Permissions of the socket in octal, in quotes. Absent = only the user of the process may connect."),
    tls: tlsSection("off", "route API's TCP"),
    tokenFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with bearer tokens, one a line, at most 256, one of which each request must have. Absent = none is asked for.",
      ),
    tokenReloadIntervalMs: milliseconds(0)
      .default(10_000)
      .describe("How often the file is looked at for a change, in ms; 0 = never again after the start."),
    ...limits,
    registration,
    pendingSelections,
  })
  .prefault({})
  .describe("The route API: HTTP for callers that send their requests to the workers themselves.");
