import { z } from "zod";
import { checkedText, count, milliseconds, name } from "../setting-types.ts";

/** One entry of a key file. */
export const apiKeyEntry = z.strictObject({
  name: name().describe("For logs and people."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "expected the SHA-256 of the key, 64 hexadecimal digits")
    .describe("SHA-256 of the key, in hexadecimal: `printf %s KEY | sha256sum`."),
  requestsPerMinute: count(0).default(0).describe("Most requests in a minute, evenly refilled; 0 = no such limit."),
  maxConcurrent: count(0).default(0).describe("Most requests under way at one time; 0 = no such limit."),
});

/** Where more keys are told of. */
export const keyAccess = {
  apiKeyFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      "YAML file with more such entries, a list as `apiKeys`. It holds no keys, but what they are recognised by. While it names nobody, here nor elsewhere, nobody may call.",
    ),
  apiKeyReloadIntervalMs: milliseconds(0)
    .default(10_000)
    .describe(
      "How often `apiKeyFile` is looked at for a change, in ms; 0 = never again after the start. A key that stays keeps its account.",
    ),
  apiKeyHashes: checkedText((text) =>
    /^[0-9a-f]{64}(,[0-9a-f]{64})*$/.test(text)
      ? undefined
      : "expected SHA-256 hashes in hexadecimal, with commas between",
  )
    .optional()
    .describe(
      "SHA-256 hashes of more keys (`printf %s KEY | sha256sum`), without limits, with commas between: for the environment.",
    ),
};

/** How long a client may take. */
export const clientTimeouts = {
  headersTimeoutMs: milliseconds(1).default(10_000).describe("Longest time for the headers of a request, in ms."),
  requestTimeoutMs: milliseconds(1)
    .default(60_000)
    .describe("Longest time for a whole request to come in, in ms; then it is answered 408."),
  keepAliveTimeoutMs: milliseconds(1)
    .default(75_000)
    .describe("How long a client's connection without requests is kept, in ms."),
  clientStallTimeoutMs: milliseconds(0)
    .default(300_000)
    .describe(
      "How long a client may read nothing of an answer that waits for it, in ms; then it is cut. 0 = for ever.",
    ),
};

/** Calls from web pages of other origins. */
export const cors = z
  .strictObject({
    origins: z
      .array(z.string().min(1))
      .default([])
      .describe(
        "Origins whose pages may call, as `https://app.example.com`; `*` = all. Empty = none, no CORS headers.",
      ),
    maxAgeSeconds: count(0).default(600).describe("How long browsers may remember the answer to a preflight request."),
  })
  .prefault({})
  .describe("Calls from web pages of other origins.");
