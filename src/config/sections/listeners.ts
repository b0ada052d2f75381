import { z } from "zod";
import { count, listenAddress, milliseconds } from "../setting-types.ts";

/** The gRPC health service. */
export const health = z
  .strictObject({
    listen: listenAddress(true)
      .default("0.0.0.0:9003")
      .describe("Where the gRPC health service listens, plain text; `off` = only on the ext_proc listener."),
  })
  .prefault({})
  .describe("The gRPC health service on a port of its own.");

/** Metrics by llm-d's names. */
const llmd = z
  .strictObject({
    names: z
      .enum(["off", "current", "deprecated", "both"])
      .default("off")
      .describe(
        "Which of llm-d's names are served beside ours, for dashboards that have them: `current` those that start with `llm_d_epp_`, `deprecated` the earlier `inference_objective_`, `inference_pool_` and `inference_extension_` ones.",
      ),
    pool: z
      .string()
      .min(1)
      .max(253)
      .default("pointsman")
      .describe("Name of the pool, the label `name` of its metrics: that of the InferencePool in Kubernetes."),
    maxFairnessIds: count(0)
      .max(10_000)
      .default(100)
      .describe(
        "Most values of the label `fairness_id`, which clients choose; later ones are `other`. 0 = all of them are. Each has some 120 series, for each of its models and priorities.",
      ),
  })
  .prefault({})
  .describe("Metrics by the names of llm-d's endpoint picker.");

/** The Prometheus listener. */
export const metrics = z
  .strictObject({
    listen: listenAddress(true)
      .default("0.0.0.0:9090")
      .describe("Where `/metrics` is served over HTTP; `off` = nowhere."),
    llmd,
  })
  .prefault({})
  .describe("Prometheus metrics.");

/** Structured logs. */
export const log = z
  .strictObject({
    level: z
      .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
      .default("info")
      .describe("Least severe level that is written. No level writes prompt text or secrets."),
  })
  .prefault({})
  .describe("Logs: one JSON object a line on standard output.");

/** The end of the process. */
export const shutdown = z
  .strictObject({
    readinessDelayMs: milliseconds(0)
      .default(0)
      .describe(
        "Time between turning not ready and refusing new streams, or new connections of the HTTP listeners, after SIGTERM, in ms; 0 = at once.",
      ),
    drainTimeoutMs: milliseconds(0)
      .default(30_000)
      .describe("Longest time that running streams may take to end after SIGTERM, in ms; 0 = they are cut at once."),
  })
  .prefault({})
  .describe("What happens on SIGTERM.");
