import { z } from "zod";
import { checkedText, count, milliseconds } from "../setting-types.ts";

/** Traces of requests. */
export const tracing = z
  .strictObject({
    endpoint: checkedText(describeFault)
      .transform(withTracesPath)
      .optional()
      .describe(
        "Where traces are sent, by OTLP over HTTP in JSON: a collector's address, as `http://127.0.0.1:4318/v1/traces`. One without a path, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it, gets `/v1/traces`. Absent = there are none.",
      ),
    headersFile: z
      .string()
      .min(1)
      .optional()
      .describe("File with headers for the collector, a line `name: value` each, as `authorization: Bearer ...`."),
    caFile: z
      .string()
      .min(1)
      .optional()
      .describe("File with the certificates (PEM) that vouch for an `https` collector. Absent = those of the system."),
    serviceName: z.string().min(1).max(255).default("pointsman").describe("The resource's `service.name`."),
    sampleRatio: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe(
        "Share of the requests that belong to no trace yet, of which one is begun, 0 to 1. Those that belong to one are recorded when its header says so.",
      ),
    maxTracesPerSecond: count(1)
      .max(100_000)
      .default(100)
      .describe("Most requests that are recorded a second, whoever asks for it."),
    maxQueuedSpans: count(1)
      .max(1_048_576)
      .default(8_192)
      .describe("Most spans that wait to be sent, about 2 KiB each; further ones are dropped and counted."),
    maxBatchSpans: count(1).max(65_536).default(512).describe("Most spans in one message."),
    flushMs: milliseconds(1).default(2_000).describe("Longest time that a span waits for others, in ms."),
    timeoutMs: milliseconds(1)
      .default(5_000)
      .describe("Longest time for a message to be taken, tries again included, in ms; then its spans are lost."),
  })
  .prefault({})
  .describe("Traces of requests, for an OpenTelemetry collector.");

function withTracesPath(text: string): string {
  const url = new URL(text);
  if (url.pathname !== "/") return text;
  url.pathname = "/v1/traces";
  return url.href;
}

function describeFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "expected http://host:port/path or https://host:port/path";
  }
  return url.username === "" && url.password === "" ? undefined : "expected no user in it: set tracing.headersFile";
}
