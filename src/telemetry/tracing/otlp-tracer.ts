import { performance } from "node:perf_hooks";
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import type { LineLog } from "../rare-log.ts";
import { CollectorLog } from "./collector-log.ts";
import type { RequestTrace, RequestTracer, TraceAttributes, TraceCarrier, TraceSpan } from "./request-trace.ts";
import { SpanClock } from "./span-clock.ts";
import { type SpanCounts, SpanQueue, type SpanQueueOptions } from "./span-queue.ts";
import { receivedContext, traceparentOf } from "./trace-context.ts";
import { TraceRate } from "./trace-rate.ts";

/** Where traces go, and which ones. */
export interface OtlpTracerOptions extends SpanQueueOptions {
  /** Of the collector, as `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  /** Sent with each message. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM certificates that vouch for the collector; undefined = the system's. */
  readonly ca: string | undefined;
  /** Longest time for a message to be taken, tries again included, ms. */
  readonly timeoutMs: number;
  readonly serviceName: string;
  readonly serviceVersion: string;
  /** Tells processes of one service apart. */
  readonly instanceId: string;
  /** Share of the requests that belong to no trace yet, of which one is begun; 0 to 1. */
  readonly sampleRatio: number;
  /** Most requests that are recorded a second, whoever asks for it. */
  readonly maxTracesPerSecond: number;
}

/** Longest value of an attribute, in characters, and most attributes of a span. */
const maxValueLength = 256;
const maxAttributes = 32;

/** Traces over OTLP. This module loads OpenTelemetry's: import it only where traces are wanted. */
export class OtlpTracer implements RequestTracer {
  readonly #provider: TracerProvider;
  readonly #queue: SpanQueue;
  readonly #tracer: Tracer;
  readonly #rate: TraceRate;

  /** @param log lets equal messages through once in a while only */
  constructor(options: OtlpTracerOptions, log: LineLog) {
    this.#queue = new SpanQueue(exporterOf(options), options, new CollectorLog(options.endpoint, log));
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        "service.name": options.serviceName,
        "service.version": options.serviceVersion,
        "service.instance.id": options.instanceId,
      }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
      spanProcessors: [this.#queue],
      spanLimits: { attributeCountLimit: maxAttributes, attributeValueLengthLimit: maxValueLength },
    });
    this.#tracer = this.#provider.getTracer("pointsman", options.serviceVersion);
    this.#rate = new TraceRate(options.maxTracesPerSecond, () => performance.now());
  }

  get counts(): SpanCounts {
    return this.#queue.counts;
  }

  begin(name: string, carrier: TraceCarrier): RequestTrace | undefined {
    const { parent, hasState } = receivedContext(carrier);
    if (parent !== undefined) {
      const isRecorded = (parent.traceFlags & TraceFlags.SAMPLED) !== 0 && this.#rate.take();
      return isRecorded ? this.#recorded(name, trace.setSpanContext(ROOT_CONTEXT, parent), []) : undefined;
    }
    // A state without the trace that it belongs to must not go on.
    const state: [string, string][] = hasState ? [["tracestate", ""]] : [];
    return this.#recorded(name, ROOT_CONTEXT, state);
  }

  /** Sends what waits, as long as a message may take. Never rejects. */
  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }

  #recorded(name: string, context: Context, state: [string, string][]): RequestTrace {
    const clock = new SpanClock();
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, startTime: clock.now() }, context);
    const isRecorded = span.isRecording() && (context !== ROOT_CONTEXT || this.#rate.take());
    const told = span.spanContext();
    const flags = isRecorded ? told.traceFlags : TraceFlags.NONE;
    return {
      headers: [["traceparent", traceparentOf({ ...told, traceFlags: flags })], ...state],
      span: isRecorded ? new OtlpSpan(span, this.#tracer, clock) : undefined,
    };
  }
}

class OtlpSpan implements TraceSpan {
  readonly #span: Span;
  readonly #tracer: Tracer;
  readonly #clock: SpanClock;

  constructor(span: Span, tracer: Tracer, clock: SpanClock) {
    this.#span = span;
    this.#tracer = tracer;
    this.#clock = clock;
  }

  child(name: string): TraceSpan {
    const context = trace.setSpan(ROOT_CONTEXT, this.#span);
    const span = this.#tracer.startSpan(name, { startTime: this.#clock.now() }, context);
    return new OtlpSpan(span, this.#tracer, this.#clock);
  }

  during<T>(name: string, work: () => T): T {
    const part = this.child(name);
    let result: T;
    try {
      result = work();
    } catch (error) {
      part.end(codeOf(error));
      throw error;
    }
    if (result instanceof Promise) {
      result.then(
        () => part.end(),
        (error) => part.end(codeOf(error)),
      );
    } else part.end();
    return result;
  }

  set(attributes: TraceAttributes): void {
    this.#span.setAttributes(attributes as Attributes);
  }

  end(errorCode?: string): void {
    if (!this.#span.isRecording()) return;
    if (errorCode !== undefined) {
      this.#span.setAttributes({ "error.type": errorCode });
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end(this.#clock.now());
  }
}

/** Never the message: it may quote the request. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

function exporterOf({ endpoint, headers, timeoutMs, ca }: OtlpTracerOptions): OTLPTraceExporter {
  return new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    httpAgentOptions: { keepAlive: true, ...(ca === undefined ? {} : { ca }) },
  });
}
