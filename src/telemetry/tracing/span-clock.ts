import { performance } from "node:perf_hooks";
import type { HrTime } from "@opentelemetry/api";

/** Less than this the monotonic clock is not set right, in ms: the wall clock tells whole ms only. */
const toleratedMs = 5;

/**
 * Times of one trace: to the microsecond, and in the order of what happened. (The SDK's own are off by up to 1 ms from span to span, since it
 * reads the wall clock, which counts whole ms, for each.)
 */
export class SpanClock {
  /** What the wall clock has moved since the process started, beside the time that passed. */
  readonly #offsetMs: number;

  constructor() {
    const offsetMs = Date.now() - (performance.timeOrigin + performance.now());
    this.#offsetMs = Math.abs(offsetMs) < toleratedMs ? 0 : offsetMs;
  }

  /** Seconds and nanoseconds since 1970. */
  now(): HrTime {
    const originMs = performance.timeOrigin + this.#offsetMs;
    const wholeMs = Math.floor(originMs);
    // Apart: the sum would not have the nanoseconds.
    const sinceMs = originMs - wholeMs + performance.now();
    const sinceWholeMs = Math.floor(sinceMs);
    const ms = wholeMs + sinceWholeMs;
    const seconds = Math.floor(ms / 1_000);
    return [seconds, (ms - seconds * 1_000) * 1_000_000 + Math.floor((sinceMs - sinceWholeMs) * 1_000_000)];
  }
}
