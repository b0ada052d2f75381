import { z } from "zod";
import { checkedText, count, listenAddress, milliseconds, weight } from "../setting-types.ts";
import { apiKeyEntry, clientTimeouts, cors, keyAccess } from "./front.ts";
import { tlsSection } from "./tls.ts";

const mebibyte = 1_048_576;

/** Bounds of what is read and held at one time. */
const limits = {
  maxBodyBytes: count(1_024)
    .default(32 * mebibyte)
    .describe("Longest request body, in bytes; a longer one is answered 413."),
  maxHeldBodyBytes: count(1_024)
    .default(1024 * mebibyte)
    .describe(
      "Sum of the request bodies held at one time, in bytes; a request that would pass it is answered 429. A body is held until its worker has begun to answer, or no other worker could be asked.",
    ),
  maxHeldAnswerBytes: count(0)
    .default(mebibyte)
    .describe(
      "Answers that are no streams are held until they are whole, so that a worker that dies meanwhile is replaced; a longer one passes as it comes. In bytes; 0 = none is held.",
    ),
  maxUsageBytes: count(64)
    .default(16_384)
    .describe(
      "Longest object with token counts (`usage`) that is read of an answer, in bytes; a longer one is counted in `pointsman_usage_unread_total`.",
    ),
  maxSplitSequences: count(1)
    .default(4_096)
    .describe(
      "Sequences of one request that is split between two SGLang workers (prompts times `n`); one for more is answered 400.",
    ),
  maxPrefillAnswerBytes: count(1_024)
    .default(16 * mebibyte)
    .describe(
      "Longest answer of a prefill worker that is read, in bytes: it holds where the KV blocks are, or the logprobs of the prompt. With a longer one the worker has failed.",
    ),
  maxHeaderBytes: count(1_024)
    .default(65_536)
    .describe(
      "Longest headers of a request, or of a worker's answer, together, in bytes; longer ones are answered 431, or 502.",
    ),
  maxRequests: count(1).default(4_096).describe("Requests under way at one time; one more is answered 429, unread."),
  maxWorkerConnections: count(1)
    .default(4_096)
    .describe("Connections to one worker at one time; what is more waits for one (`connectionWaitTimeoutMs`)."),
  maxConnections: count(1).default(16_384).describe("Connections of clients at one time; one more is closed."),
};

/** How long each part of a request may take. */
const timeouts = {
  ...clientTimeouts,
  pickDeadlineMs: milliseconds(1)
    .default(5_000)
    .describe("Longest time from the end of the request's body to the choice of its worker, in ms; then 504."),
  connectTimeoutMs: milliseconds(1)
    .default(2_000)
    .describe("Longest time for the connection to a worker, in ms; then another one is asked."),
  connectionWaitTimeoutMs: milliseconds(0)
    .default(5_000)
    .describe(
      "Longest wait for a connection to a worker, a new one or one that comes free, in ms; then another worker is asked. 0 = for ever.",
    ),
  headTimeoutMs: milliseconds(0)
    .default(600_000)
    .describe(
      "Longest time from a request's dispatch to the head of the worker's answer, in ms: the whole generation, for answers that are no streams. Then another worker is asked. 0 = for ever.",
    ),
  stallTimeoutMs: milliseconds(0)
    .default(300_000)
    .describe("Longest pause within a worker's answer, in ms; then it counts as broken. 0 = for ever."),
  streamCommentMs: milliseconds(0)
    .default(0)
    .describe(
      "How long a stream of events may be silent until the client is sent a comment (`: keep-alive`), which clients pass over and which keeps what lies between from ending the connection, in ms; again after each such time. 0 = streams are the worker's bytes and nothing else.",
    ),
  workerKeepAliveMs: milliseconds(1)
    .default(4_000)
    .describe("How long a connection to a worker without requests is kept, in ms. Less than the worker keeps it."),
};

const retries = z
  .strictObject({
    maxAttempts: count(1)
      .default(3)
      .describe("Most workers that are asked for one request, each once; 1 = there are no retries."),
    budgetRatio: weight()
      .default(0.2)
      .describe("Retries as a part of all requests: what keeps a broken fleet from being asked ever more."),
    budgetPerSecond: count(0)
      .default(10)
      .describe("Retries that are allowed in each second whatever that part is, for fleets with few requests."),
  })
  .prefault({})
  .describe(
    "Asking another worker when one cannot be reached, breaks off or answers 500, 502, 503 or 504 before the client has got a byte.",
  );

/** The entries of a key file of the proxy's. */
export const apiKeyList = z.array(apiKeyEntry);

/** The HTTP front door. */
export const proxy = z
  .strictObject({
    listen: listenAddress()
      .default("127.0.0.1:8000")
      .describe(
        "Where clients call, in the mode `proxy`, `host:port` or `[v6]:port`; port 0 = one that the system chooses.",
      ),
    tls: tlsSection("off", "proxy's"),
    paths: z
      .array(checkedText((text) => (/^\/[!-~]*$/.test(text) ? undefined : "expected a path")))
      .default([])
      .describe(
        "Paths that are forwarded beside those of the known APIs, with any method; with `/*` at the end, all below. Any other path is 404.",
      ),
    apiKeys: apiKeyList
      .default([])
      .describe(
        "Who may call, each key by its SHA-256 (`printf %s KEY | sha256sum`). Without any, and without `apiKeyFile` and `apiKeyHashes`, everybody may.",
      ),
    ...keyAccess,
    forwardCredentials: z
      .boolean()
      .default(false)
      .describe("Whether `authorization` and `x-api-key` go on to the workers although they are keys of this proxy's."),
    workerApiKeyFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with the key that workers ask for (`--api-key` of vLLM and SGLang): each gets it as bearer token, in the place of what the client sent. Read again as `apiKeyReloadIntervalMs` says. Absent = `workerApiKey`.",
      ),
    workerApiKey: z
      .string()
      .regex(/^[!-~]+$/, "expected visible ASCII")
      .optional()
      .describe(
        "The key itself, for the environment (`POINTSMAN_PROXY_WORKER_API_KEY`); `check-config` does not show it. Absent = workers get what the client sent, as `forwardCredentials` says.",
      ),
    warmUpMs: milliseconds(0)
      .default(2_000)
      .describe(
        "How long the proxy sends requests through itself, to workers of its own in the process, before it is ready, in ms: the code that serves requests is compiled by then. 0 = not at all.",
      ),
    cors,
    retries,
    trustClientPins: z
      .boolean()
      .default(false)
      .describe(
        "Whether body fields that choose a worker (`nvext`) are honoured, and control headers (`x-gateway-*`, `x-llm-d-*`); otherwise the fields are refused with 400, and the headers dropped.",
      ),
    injectTokens: z
      .boolean()
      .default(true)
      .describe("Whether tokens are put into the bodies of models whose profile asks for it (`dynamo`)."),
    forwardGeneratedRequestId: z
      .boolean()
      .default(true)
      .describe("Whether a request without `x-request-id` gets one, for its worker and its client."),
    maxStoredResponses: count(0)
      .default(65_536)
      .describe(
        "Most answers of the Responses API whose worker is remembered, for `/v1/responses/{id}` and `previous_response_id`; the oldest are forgotten.",
      ),
    retryAfterSeconds: count(0).default(1).describe("`Retry-After` of 429 and 503 answers of the proxy's, in seconds."),
    ...limits,
    ...timeouts,
  })
  .prefault({})
  .describe("The HTTP front door: clients call here, and requests are forwarded to the workers.");
