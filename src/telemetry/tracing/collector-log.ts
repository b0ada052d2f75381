import type { LineLog } from "../rare-log.ts";
import type { SpanQueueObserver } from "./span-queue.ts";

/** Says when the collector of traces does not take spans, and when it does again. */
export class CollectorLog implements SpanQueueObserver {
  readonly #endpoint: string;
  readonly #log: LineLog;
  #isFailing = false;
  #failedSpans = 0;

  /** @param log lets equal messages through once in a while only */
  constructor(endpoint: string, log: LineLog) {
    this.#endpoint = withoutQuery(endpoint);
    this.#log = log;
  }

  failed(spans: number, err: Error): void {
    this.#isFailing = true;
    this.#failedSpans += spans;
    const fields = { endpoint: this.#endpoint, failedSpans: this.#failedSpans, err };
    this.#log.warn(fields, "the collector of traces does not take spans, which are lost");
  }

  sent(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    const fields = { endpoint: this.#endpoint, failedSpans: this.#failedSpans };
    this.#failedSpans = 0;
    this.#log.info(fields, "the collector of traces takes spans again");
  }
}

/** A query may hold a key. */
function withoutQuery(endpoint: string): string {
  return endpoint.replace(/[?#].*$/s, "");
}
