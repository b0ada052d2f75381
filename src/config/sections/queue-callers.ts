import { z } from "zod";
import { apiKeyEntry, cors, keyAccess } from "./front.ts";

function word() {
  return z.string().regex(/^[!-9;-~]{1,256}$/, "expected 1 to 256 printable characters without spaces and colons");
}

/** The name of a header, as HTTP has them, in lower case. */
export function headerName() {
  return z.string().regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/, "expected the name of a header, in lower case");
}

const apiKey = apiKeyEntry.extend({
  tenant: word()
    .optional()
    .describe("Whose key it is: stands for the header of this trait, whatever the client sends."),
  team: word().optional().describe("As `tenant`, for this trait."),
  tier: word().optional().describe("As `tenant`, for this trait."),
  priority: word().optional().describe("As `tenant`, for this trait."),
  queue: z.string().min(1).optional().describe("Queue of all requests with this key; absent = by `queue.routes`."),
});

/** The entries of a key file of the queue's front. */
export const queueApiKeyList = z.array(apiKey);

/** Who may call. */
export const access = {
  apiKeys: queueApiKeyList
    .default([])
    .describe(
      "Who may call, each key by its SHA-256 (`printf %s KEY | sha256sum`). Without any, and without `apiKeyFile` and `apiKeyHashes`, everybody may.",
    ),
  ...keyAccess,
  cors,
};

const traitHeaders = z
  .strictObject({
    tenant: headerName().default("x-tenant-id").describe("Header with the tenant."),
    team: headerName().default("x-team").describe("Header with the team."),
    tier: headerName().default("x-tier").describe("Header with the tier."),
    priority: headerName().default("x-priority").describe("Header with the priority."),
  })
  .prefault({})
  .describe("Headers that say who calls, where `queue.trustHeaders` is on and the key does not say it.");

const traits = z
  .strictObject({
    tenant: word().optional().describe("Assumed tenant."),
    team: word().optional().describe("Assumed team."),
    tier: word().optional().describe("Assumed tier."),
    priority: word().optional().describe("Assumed priority."),
  })
  .prefault({})
  .describe("What is assumed of callers of whom neither key nor header says it.");

const route = z.strictObject({
  models: z.array(z.string().min(1)).optional().describe("Models of requests; absent = any."),
  tenants: z.array(word()).optional().describe("Tenants of callers; absent = any."),
  teams: z.array(word()).optional().describe("Teams of callers; absent = any."),
  tiers: z.array(word()).optional().describe("Tiers of callers; absent = any."),
  priorities: z.array(word()).optional().describe("Priorities of callers; absent = any."),
  queue: z.string().min(1).describe("Sorted set of the requests that match all of these."),
});

/** Who calls, and what that means for a request. */
export const callers = {
  trustHeaders: z
    .boolean()
    .default(false)
    .describe(
      "Whether headers say who calls. Only where every client is trusted, or a gateway sets them: whoever chooses his tenant chooses his share.",
    ),
  traitHeaders,
  traits,
  metadata: z
    .record(z.string().min(1).max(128), z.enum(["tenant", "team", "tier", "priority", "key", "model"]))
    .default({ userid: "tenant", team: "team" })
    .describe(
      "Metadata of requests: which trait of the caller stands in each attribute. `userid` is what the processor's quotas and fairness go by unless it is told otherwise.",
    ),
  routes: z
    .array(route)
    .default([])
    .describe(
      "Which queue a request goes to: the first entry that matches counts, else `queue.requestQueue`. Tier and priority act by this alone: a processor takes both from the queue.",
    ),
  forwardHeaders: z
    .array(
      headerName().refine(
        (header) => !isReserved(header),
        "this header is the processor's, the connection's or the router's own, and may not come from clients",
      ),
    )
    .default(["x-request-id", "anthropic-version", "anthropic-beta"])
    .describe(
      "Headers of clients that go along in the request. Others do not, nor can `content-type` and those by which requests are ranked or routed be listed; `authorization` can, and is stored in Redis then.",
    ),
};

/** Headers that override the processor's own, or by which requests are ranked or routed. */
function isReserved(header: string): boolean {
  return (
    /^(x-gateway-|x-llm-d-|x-dynamo-)/.test(header) ||
    /^(content-(type|length|encoding)|host|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive)$/.test(
      header,
    )
  );
}
