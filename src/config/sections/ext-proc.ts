import { z } from "zod";
import { count, listenAddress, milliseconds } from "../setting-types.ts";
import { tlsSection } from "./tls.ts";

const mebibyte = 1_048_576;

const tls = tlsSection("self-signed", "ext_proc");

const limits = {
  maxReceiveMessageBytes: count(65_536)
    .default(64 * mebibyte)
    .describe("Longest single gRPC message taken from Envoy, in bytes. In buffered mode a message holds a whole body."),
  maxBodyBytes: count(1)
    .default(32 * mebibyte)
    .describe("Longest request body, in bytes; a longer one is answered 413."),
  maxInFlightRequests: count(1)
    .default(1024)
    .describe("Requests between their headers and their pick at one time; one more is answered 429, unparsed."),
  maxInFlightBodyBytes: count(1)
    .default(1024 * mebibyte)
    .describe("Sum of the request bodies held at one time, in bytes; a request that would pass it is answered 429."),
  maxUsageBytes: count(64)
    .default(16_384)
    .describe(
      "Longest object with token counts (`usage`) that is read of a response, in bytes; a longer one is counted in `pointsman_usage_unread_total`.",
    ),
  maxUnsentBytes: count(1_024)
    .default(mebibyte)
    .describe(
      "Bytes of answers that an Envoy which reads slowly may leave waiting on one stream before no more of that stream is read.",
    ),
  maxReusedBufferBytes: count(0)
    .default(64 * mebibyte)
    .describe(
      "Memory kept between requests for bodies and answers, in bytes; 0 keeps none, and costs time at 64 KB and more.",
    ),
  maxStreamsPerConnection: count(0)
    .default(0)
    .describe("HTTP/2 streams that one connection of Envoy's may have open; 0 = no limit."),
  bodyDeadlineMs: milliseconds(0)
    .default(60_000)
    .describe(
      "Longest time that the body of a request may take to come in, in ms; a slower one is answered 408. Until then it is one of `maxInFlightRequests`. Keep it below Envoy's `request_timeout`. 0 = no limit.",
    ),
  pickDeadlineMs: milliseconds(1)
    .default(5000)
    .describe("Longest time from the end of the request body to the answer, in ms; a later pick is answered 504."),
  retryAfterSeconds: count(0)
    .default(1)
    .describe("`Retry-After` of 429 and 503 answers, in seconds; 0 = the header says 0, retry at once."),
};

/** The ext_proc listener: how Envoy reaches the picker. */
export const extProc = z
  .strictObject({
    listen: listenAddress()
      .default("0.0.0.0:9002")
      .describe("Where the gRPC server listens, `host:port` or `[v6]:port`; port 0 = one that the system chooses."),
    tls,
    bodyMode: z
      .enum(["auto", "full-duplex", "buffered"])
      .default("auto")
      .describe("How Envoy sends bodies; `auto` reads it from the first message of each stream."),
    ...limits,
    trustClientPins: z
      .boolean()
      .default(false)
      .describe(
        "Whether body fields that choose a worker, or properties of one (`nvext.routing_constraints`), are honoured; otherwise they are refused with 400.",
      ),
    conformanceHeaders: z
      .boolean()
      .default(false)
      .describe("Whether the headers of the endpoint-picker conformance tests are honoured. Not for production."),
    forwardGeneratedRequestId: z
      .boolean()
      .default(true)
      .describe("Whether an `x-request-id` made for a request that came without one is passed on to the worker."),
  })
  .prefault({})
  .describe("The ext_proc listener: how Envoy reaches the picker.");
