import { TraceFlags } from "@opentelemetry/api";
import { ExportResultCode } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";

/** How many spans wait, and for how long. */
export interface SpanQueueOptions {
  /** Most spans that wait to be sent; further ones are dropped. */
  readonly maxSpans: number;
  /** Most spans in one message. */
  readonly maxBatchSpans: number;
  /** Longest time that a span waits for others, ms. */
  readonly flushMs: number;
}

/** What became of spans since the start. */
export interface SpanCounts {
  readonly sent: number;
  /** Lost because the collector could not be reached, or refused them. */
  readonly failed: number;
  /** Lost because too many waited. */
  readonly dropped: number;
}

/** Told what the collector does with spans. */
export interface SpanQueueObserver {
  sent(): void;
  failed(spans: number, error: Error): void;
}

/** Ended spans on their way to the collector: one message under way, a bounded number of spans behind it, and the rest dropped. */
export class SpanQueue implements SpanProcessor {
  readonly #exporter: SpanExporter;
  readonly #options: SpanQueueOptions;
  readonly #observer: SpanQueueObserver;
  #waiting: ReadableSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #counts = { sent: 0, failed: 0, dropped: 0 };

  constructor(exporter: SpanExporter, options: SpanQueueOptions, observer: SpanQueueObserver) {
    this.#exporter = exporter;
    this.#options = options;
    this.#observer = observer;
  }

  get counts(): SpanCounts {
    return this.#counts;
  }

  onStart(): void {
    // Only ended spans are sent.
  }

  onEnd(span: ReadableSpan): void {
    if (this.#isClosed || (span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
    if (this.#waiting.length >= this.#options.maxSpans) {
      this.#counts.dropped += 1;
      return;
    }
    this.#waiting.push(span);
    this.#plan(this.#waiting.length >= this.#options.maxBatchSpans ? 0 : this.#options.flushMs);
  }

  /** Sends what waits. Never rejects. */
  async forceFlush(): Promise<void> {
    await this.#sending;
    while (this.#waiting.length > 0) await this.#send();
  }

  /** Sends what waits, once, and takes no more. Never rejects. */
  async shutdown(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    if (this.#waiting.length > 0) await this.#send();
    await this.#exporter.shutdown().catch(() => undefined);
  }

  #plan(delayMs: number): void {
    if (this.#sending !== undefined || this.#isClosed) return;
    if (this.#timer !== undefined && delayMs > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#send(), delayMs).unref();
  }

  #send(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, this.#options.maxBatchSpans);
    const sending = this.#exported(batch).then((failure) => {
      this.#count(batch.length, failure);
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#plan(this.#options.flushMs);
    });
    this.#sending = sending;
    return sending;
  }

  #count(spans: number, failure: Error | undefined): void {
    if (failure === undefined) {
      this.#counts.sent += spans;
      this.#observer.sent();
    } else {
      this.#counts.failed += spans;
      this.#observer.failed(spans, failure);
    }
  }

  /** @returns why they were not taken; undefined = they were */
  #exported(batch: ReadableSpan[]): Promise<Error | undefined> {
    return new Promise((resolve) => {
      try {
        this.#exporter.export(batch, ({ code, error }) =>
          resolve(code === ExportResultCode.SUCCESS ? undefined : (error ?? new Error("no reason was given"))),
        );
      } catch (error) {
        resolve(error instanceof Error ? error : new Error("the message could not be made"));
      }
    });
  }
}
