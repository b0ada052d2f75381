import { z } from "zod";
import { checkedText, count, endpointAddress, kvAddress, milliseconds, name } from "../setting-types.ts";

const maxWorkerId = 2n ** 64n - 1n;

const workerId = checkedText((text) => {
  if (!/^(0|[1-9]\d*)$/.test(text)) return "expected a decimal number in quotes";
  return BigInt(text) <= maxWorkerId ? undefined : `expected at most ${maxWorkerId}`;
});

/** Headers that a worker wants. */
export const headers = z
  .strictObject({
    dataParallelRank: z
      .boolean()
      .default(false)
      .describe("Whether `x-data-parallel-rank` tells the worker which of its ranks was picked."),
    prefillHost: z
      .boolean()
      .default(false)
      .describe("Whether `x-prefiller-host-port` tells a decode worker which prefill worker was picked."),
  })
  .prefault({})
  .describe("Request headers that this worker wants beside those of the model's profile.");

/** How a worker takes part in requests that are split. */
export const handover = z
  .strictObject({
    protocol: z
      .enum(["sglang", "nixl", "mooncake", "moriio", "moriio-write", "store"])
      .describe(
        "How the prompt's KV blocks get to the decode worker. `sglang`: both workers get the request at once, with a bootstrap room. The others are vLLM's connectors, where the prefill worker is asked for one token first: NIXL, Mooncake, MoRI-IO that reads, and stores that need to be told nothing; with MoRI-IO that writes, both are asked at once.",
      ),
    bootstrapHost: name()
      .optional()
      .describe("Of a prefill worker: the host at which decode workers reach it. Absent = its endpoint's."),
    bootstrapPort: count(1)
      .max(65_535)
      .optional()
      .describe("Of a prefill worker: the port of its bootstrap server. Absent = null for SGLang, 8998 for Mooncake."),
    engineId: name().optional().describe("Of a prefill worker: its KV connector's engine id; Mooncake needs it."),
    handshakePort: count(1).max(65_535).default(6_301).describe("MoRI-IO's handshake port; told where it writes."),
    notifyPort: count(1).max(65_535).default(61_005).describe("MoRI-IO's notify port; told where it writes."),
    tpSize: count(1)
      .optional()
      .describe("Tensor-parallel size; told to the other worker of MoRI-IO. Absent = not told."),
    ignoredOn: z
      .array(z.enum(["chat", "completions", "responses", "messages", "generate"]))
      .default([])
      .describe(
        "APIs on which the engine drops the fields that the split needs; SGLang in August 2026: `messages` and `responses`. Such requests are served by one worker that can serve alone; where there is none, they are answered 503.",
      ),
    servesAlone: z
      .boolean()
      .optional()
      .describe(
        "Of a decode worker: whether it can serve a request whose prompt nobody prefills for it. Absent = yes, but for SGLang.",
      ),
  })
  .describe(
    "How this worker takes part in requests that the proxy splits between a prefill and a decode worker. Absent = it gets whole requests only.",
  );

/** How a worker scores prompts. */
export const scoring = z
  .strictObject({
    saltField: z
      .enum(["cache_salt", "extra_key"])
      .default("cache_salt")
      .describe(
        "The field of `/generate` that keeps a decision's blocks apart from others' in the cache: `cache_salt` from sgl-project/sglang #30827 on (July 2026). Before, SGLang passes over that without a word, and knows `extra_key`, which is sent as well then.",
      ),
    contextTokens: count(1)
      .optional()
      .describe("Longest context, in tokens: longer questions are refused. Absent = not known, the engine decides."),
    measuresCachedTokens: z
      .boolean()
      .default(true)
      .describe(
        "Whether it tells how many prompt tokens came from its cache (`meta_info.cached_tokens`): `/v1/decisions` has to tell them, and asks no other workers.",
      ),
    maxCandidates: count(1).max(255).default(255).describe("Most options of a question."),
  })
  .describe(
    "That it is a SGLang server which scores prompts by `/generate`, for `decisionsApi`: role `aggregated`, no LoRA, no speculative decoding. `{}` = with the defaults; absent = it gets no decisions.",
  );

const worker = z.strictObject({
  name: name().describe("Name for people, logs and metrics."),
  id: workerId
    .optional()
    .describe("Decimal u64 in quotes; with Dynamo its instance id. Absent = derived from the name."),
  endpoint: endpointAddress().describe(
    "Where requests are sent, `ip:port` or `[v6]:port`; Envoy resolves no names here.",
  ),
  models: z.array(name()).default([]).describe("Names of the models it serves; empty = all."),
  adapters: z
    .array(name())
    .optional()
    .describe(
      "LoRA adapters that it has loaded, of those in `models[].adapters`: requests for others of them go elsewhere. Absent = it takes requests for all.",
    ),
  role: z
    .enum(["aggregated", "prefill", "decode", "encode"])
    .default("aggregated")
    .describe(
      "What it does for a request: all of it, its prompt, or its output. `encode` workers are listed and never picked: the workers behind them ask them.",
    ),
  dpRankStart: count(0).default(0).describe("First data-parallel rank."),
  dpSize: count(1).max(4096).default(1).describe("Number of data-parallel ranks; 1 = no data parallelism."),
  kvEvents: kvAddress()
    .optional()
    .describe("Where it publishes KV events, `tcp://host:port`; rank i uses port + i. Absent = it publishes none."),
  kvReplay: kvAddress()
    .optional()
    .describe("Where it replays past KV events, `tcp://host:port`; rank i uses port + i. Absent = it cannot."),
  metricsEndpoint: endpointAddress()
    .optional()
    .describe("Where its engine's metrics page is, `ip:port`. Absent = at `endpoint`."),
  tls: z
    .boolean()
    .optional()
    .describe("Whether it speaks HTTPS; its certificate is checked as `fleet.workerTls` says. Absent = as that says."),
  apiKeyFile: z
    .string()
    .min(1)
    .optional()
    .describe("File with the key that the proxy shows this worker. Absent = `proxy.workerApiKeyFile`'s."),
  totalKvBlocks: count(1).optional().describe("KV blocks that a rank can hold. Absent = not known."),
  taints: z.array(name()).default([]).describe("Properties that a request can require or prefer."),
  labels: z.record(name(), z.string()).default({}).describe("Labels for people and for selection."),
  headers,
  handover: handover.optional(),
  scoring: scoring.optional(),
});

/** The workers that are known from the start. */
export const workers = z.array(worker).default([]).describe("The workers that are known from the start.");

const healthCheck = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether workers are probed; otherwise all of them count as healthy."),
    path: z.string().startsWith("/").default("/health").describe("HTTP path of the probe; a 2xx answer is healthy."),
    intervalMs: milliseconds(10).default(2000).describe("Time between two probes of a worker, in ms."),
    timeoutMs: milliseconds(1).default(1000).describe("Time after which a probe has failed, in ms."),
    unhealthyThreshold: count(1).default(2).describe("Failed probes in a row after which a worker is not picked."),
    healthyThreshold: count(1).default(1).describe("Good probes in a row after which it is picked again."),
    requestFailureThreshold: count(0)
      .default(1)
      .describe(
        "Requests in a row that could not connect to a worker, after which it is not picked until a probe or a request succeeds; 0 = only probes count.",
      ),
    requestFailureHoldMs: milliseconds(1)
      .default(5000)
      .describe(
        "How long such a worker is not picked where no probe can say otherwise (it has no endpoint to probe), in ms.",
      ),
  })
  .prefault({})
  .describe("Probing of the workers.");

const circuit = z
  .strictObject({
    badAnswers: count(0)
      .default(5)
      .describe(
        "Requests in a row that a worker broke off, or answered 5xx where another worker could answer them, after which it is not picked; 0 = that is not looked at.",
      ),
    openMs: milliseconds(1)
      .default(5_000)
      .describe(
        "How long it is not picked then, in ms. After that a good probe, or without probes the time itself, lets it be picked again; one more bad answer renews the verdict.",
      ),
  })
  .prefault({})
  .describe(
    "What the proxy's requests say of the workers. One that cannot be connected to is not picked until a probe is good.",
  );

const engineMetrics = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether the engines' own metrics (vLLM's and SGLang's names) are read: they see load that did not come through this picker.",
      ),
    path: z.string().startsWith("/").default("/metrics").describe("HTTP path of the page."),
    intervalMs: milliseconds(10).default(1000).describe("Time between two pages of a worker, in ms."),
    timeoutMs: milliseconds(1)
      .default(1000)
      .describe("Longest wait for a page, in ms. Without one the last figures stand."),
    staleAfterMs: milliseconds(1)
      .default(5000)
      .describe("Figures older than this no longer count for the limits of `admission`, in ms; for the cost they do."),
    waitingRequestTokens: count(0)
      .default(1024)
      .describe("Prompt length assumed of a request that waits in an engine and did not come through here, in tokens."),
    maxPageBytes: count(1024)
      .default(4 * 1_048_576)
      .describe("Longest page, in bytes; a longer one is not read."),
  })
  .prefault({})
  .describe("Reading the engines' own metrics.");

const workerTls = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether workers speak HTTPS that do not say it themselves (`workers[].tls`), pods among them."),
    caFile: z
      .string()
      .min(1)
      .optional()
      .describe("PEM certificates of whom the workers' are trusted, read at the start; absent = the system's."),
    serverName: z
      .string()
      .min(1)
      .optional()
      .describe("Name that the workers' certificates must have; absent = the address of each endpoint."),
    verify: z.boolean().default(true).describe("Whether their certificates are checked at all."),
  })
  .prefault({})
  .describe("TLS to the workers: the proxy's requests, health checks, and metrics pages at their endpoints.");

/** How the workers are looked after. */
export const fleet = z
  .strictObject({ healthCheck, circuit, engineMetrics, workerTls })
  .prefault({})
  .describe("How the workers are looked after.");
