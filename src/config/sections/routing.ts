import { z } from "zod";
import { count, milliseconds, name, weight } from "../setting-types.ts";

/** The cost of a placement and the choice. Defaults are Dynamo's (dynamo@1.6.1 kv-router) but for `prefillLoadScale` and `tieBreak`. */
export const routing = z
  .strictObject({
    overlapScoreCredit: weight()
      .default(1)
      .describe("Blocks of prefill saved by one cached block; 0 = caches are ignored."),
    overlapScoreCreditDecay: weight()
      .default(0)
      .describe("How fast that credit falls on a worker with more prefill to do than the idlest; 0 = not at all."),
    prefillLoadScale: weight()
      .default(8)
      .describe(
        "Weight of a prefill block against a decode block. Dynamo's is 1; see decision 0038 for what 8 gains, and 0191 for traffic that gains by 16.",
      ),
    decodeActiveRequestWeight: weight().default(0).describe("Blocks of cost for each running request; 0 = none."),
    hostCacheHitWeight: weight().default(0.75).describe("Credit of a block in host memory, in device blocks."),
    diskCacheHitWeight: weight().default(0.25).describe("Credit of a block on disk, in device blocks."),
    temperature: weight()
      .default(0)
      .describe("0 = always the cheapest worker; above, dearer ones too, more often the higher it is."),
    crowdingRatio: weight()
      .default(1.25)
      .describe(
        "A worker with more than this many times the running requests of the idlest one, and `crowdingSlack` more, is passed over whatever it holds: one prompt that all share must not pin them to one worker.",
      ),
    crowdingSlack: count(0)
      .default(4)
      .describe("Running requests that a worker may always have beyond that; 0 = nobody is passed over."),
    tieBreak: z
      .enum(["fewest-requests", "random"])
      .default("fewest-requests")
      .describe("Among equally cheap workers: the one with the fewest running requests, or any, as Dynamo does."),
    maxFallbacks: count(0)
      .max(32)
      .default(0)
      .describe(
        "Endpoints listed after the picked one, for the gateway's retries. 0 = none: an ORIGINAL_DST cluster refuses a list with 503. The `dynamo` profile lists none.",
      ),
    refuseUnknownShapes: z
      .boolean()
      .default(false)
      .describe("Whether a body without a prompt on an unknown path is answered 400; otherwise it is placed by load."),
    maxJsonDepth: count(1)
      .max(1024)
      .default(128)
      .describe("Deepest nesting of a JSON body; a deeper one is answered 400."),
  })
  .prefault({})
  .describe("The cost of each worker and the choice.");

/** Keeping a conversation on its worker. */
export const affinity = z
  .strictObject({
    mode: z
      .enum(["off", "soft", "hard"])
      .default("soft")
      .describe(
        "Whether requests that name a session (docs/how-the-pick-works.md lists the headers) stay on its worker: `soft` while it is not much dearer than the cheapest, `hard` as long as it may be picked at all.",
      ),
    ttlMs: milliseconds(1)
      .default(600_000)
      .describe("How long a session without a running request is remembered, in ms."),
    maxSessions: count(1)
      .default(65_536)
      .describe("Most sessions remembered; the least recently used one is forgotten first."),
    softRatio: weight()
      .default(0.5)
      .describe("Part of the least cost that the session's worker may cost more, with `soft`."),
    softBlocks: weight().default(64).describe("Blocks of cost that it may cost more beyond that, with `soft`."),
  })
  .prefault({})
  .describe("Session affinity: keeping a conversation on its worker.");

/** The split of a request between two workers. */
export const disaggregation = z
  .strictObject({
    maxLocalPrefillTokens: count(0)
      .default(0)
      .describe(
        "Prompts with fewer tokens to prefill than this, cached ones not counted, stay on one worker; 0 = every prompt is split. 2048 is what Dynamo's conditional disaggregation uses.",
      ),
    maxLocalPrefillRatio: weight()
      .default(0)
      .describe("Of those, only the ones whose uncached share of the prompt is below this; 0 = all. Dynamo's is 0.7."),
    topologyLabel: name()
      .optional()
      .describe(
        "Label of the workers whose value names a domain (zone, rack) within which blocks move fast. Absent = all workers are near each other.",
      ),
    topology: z
      .enum(["prefer", "require"])
      .default("prefer")
      .describe("Whether the two workers of a pair should be, or must be, of one domain."),
    crossDomainWeight: weight()
      .default(1)
      .describe("Blocks of cost for each prompt block that would move between domains, with `prefer`."),
  })
  .prefault({})
  .describe("The split of a request between a prefill worker and a decode worker, where there are prefill workers.");

const objective = z.strictObject({
  name: name().describe("Value of the header `x-llm-d-inference-objective` or `x-gateway-inference-objective`."),
  priority: z.int().default(0).describe("Higher goes first. Below 0 = it does not wait: it is refused at once."),
});

/** Keeping requests back while all workers are too busy. */
export const admission = z
  .strictObject({
    maxPrefillTokens: count(0)
      .default(0)
      .describe("A worker's rank with more prompt tokens to prefill gets nothing more; 0 = no such limit."),
    maxKvUsage: weight()
      .default(0)
      .describe(
        "Likewise one whose running requests hold more than this part of its `totalKvBlocks`, 0.9 for instance; 0 = no such limit.",
      ),
    maxRequests: count(0).default(0).describe("Likewise one with so many running requests; 0 = no such limit."),
    maxQueued: count(0)
      .default(512)
      .describe(
        "Most requests that wait while all workers that could take them are over a limit; 0 = none waits. One more is answered 429, or the least important one in its place.",
      ),
    maxWaitMs: milliseconds(1)
      .default(2_000)
      .describe("Longest wait, in ms; then 429. It counts into `extProc.pickDeadlineMs`."),
    objectives: z.array(objective).default([]).describe("Priorities; a request that names none of them has 0."),
  })
  .prefault({})
  .describe("Keeping requests back while all workers are too busy. Off until one of the three limits is set.");

/** The log of decisions. */
export const decisions = z
  .strictObject({
    maxDecisions: count(0)
      .max(65_536)
      .default(256)
      .describe("Latest decisions whose explanation can be asked for; 0 = none are kept."),
    maxCandidates: count(0)
      .default(65_536)
      .describe(
        "Candidates kept with them, summed over all decisions (some 200 bytes each): beyond it the oldest decisions go.",
      ),
    maxRefusals: count(0)
      .max(65_536)
      .default(256)
      .describe(
        "Latest refused requests that are remembered with their code and reason (some 300 bytes each), those refused before a choice among them; 0 = none are. The console shows 50.",
      ),
  })
  .prefault({})
  .describe("What is remembered of the latest decisions: workers, overlaps, costs, no prompts.");

/** The load booked for running requests. */
export const reservations = z
  .strictObject({
    maxReservations: count(1)
      .default(65_536)
      .describe("Most bookings at one time, one for each worker of a request; a request beyond them is answered 429."),
    leaseMs: milliseconds(1)
      .default(60_000)
      .describe(
        "Idle lease of a reservation that a caller of the route API owns, in ms: any call on its id renews it, and without one its load is freed.",
      ),
    maxLeases: count(1)
      .default(32_768)
      .describe("Most reservations that callers of the route API hold at one time; one more is answered 429."),
  })
  .prefault({})
  .describe("The load booked for running requests.");

/** Reading the bodies. */
export const json = z
  .strictObject({
    internedBytes: count(0)
      .max(1_073_741_824)
      .default(64 * 1_048_576)
      .describe(
        "Memory for strings of bodies met lately, so that a conversation's history is decoded once, in bytes; 0 = none is kept. Texts within them, such as the arguments of tool calls, have 4 MiB of their own in each thread.",
      ),
  })
  .prefault({})
  .describe("Reading the bodies.");
