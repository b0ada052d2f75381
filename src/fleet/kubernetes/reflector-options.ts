import type { Timers } from "../timers.ts";

/** Told of how the watching fares. */
export interface ReflectorObserver {
  /** Told once for failures in a row; what was known is kept. @param pauseMs until the next attempt */
  lost(resource: string, cause: unknown, pauseMs: number): void;
  recovered(resource: string): void;
  /** The server knows no such kind. Told once until it is there. */
  missing(resource: string): void;
  /** There are more objects than are kept. Told once until there are fewer. */
  overflowed(resource: string, maxObjects: number): void;
}

export interface ReflectorOptions {
  /** Objects in a page of a list. >= 1. */
  readonly pageSize: number;
  /** Most objects that are kept; further ones are passed over. >= 1. */
  readonly maxObjects: number;
  /** First and longest pause after failures, ms. */
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** Pause before a kind that the server does not know is asked for again, ms. */
  readonly missingRetryMs: number;
  /** After how long the server is asked to end a watch, ms. >= 1 000. */
  readonly watchTimeoutMs: number;
}

export interface ReflectorEnvironment {
  readonly timers: Timers;
  /** Uniform in [0,1). */
  readonly random: () => number;
  /** Ms on a monotonic scale. */
  readonly now: () => number;
  readonly observer: ReflectorObserver;
}
