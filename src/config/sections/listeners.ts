import { z } from "zod";
import { listenAddress, milliseconds } from "../setting-types.ts";

/** The gRPC health service. */
export const health = z
  .strictObject({
    listen: listenAddress(true)
      .default("0.0.0.0:9003")
      .describe("Where the gRPC health service listens, plain text; `off` = only on the ext_proc listener."),
  })
  .prefault({})
  .describe("The gRPC health service on a port of its own.");

/** The Prometheus listener. */
export const metrics = z
  .strictObject({
    listen: listenAddress(true)
      .default("0.0.0.0:9090")
      .describe("Where `/metrics` is served over HTTP; `off` = nowhere."),
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
      .describe("Time between turning not ready and refusing new streams after SIGTERM, in ms; 0 = at once."),
    drainTimeoutMs: milliseconds(0)
      .default(30_000)
      .describe("Longest time that running streams may take to end after SIGTERM, in ms; 0 = they are cut at once."),
  })
  .prefault({})
  .describe("What happens on SIGTERM.");
