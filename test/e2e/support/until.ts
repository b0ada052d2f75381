import { setTimeout as delay } from "node:timers/promises";

/** How long {@link until} waits, and what its error says. */
export interface UntilOptions {
  /** Named in the error: "waited 5000 ms for <what>". */
  readonly what: string;
  /** Default 60 000: what takes a moment takes a busy machine long. */
  readonly timeoutMs?: number;
  /** Between two looks. Default 20. */
  readonly intervalMs?: number;
  /** Called before each look; what it throws ends the wait at once. */
  readonly check?: () => void;
}

/**
 * Looks again and again until `look` gives something other than `undefined` or `false`, and returns it.
 * A look that throws counts as "not yet"; its error is the cause of the timeout's.
 */
export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
  options: UntilOptions,
): Promise<T> {
  const { what, timeoutMs = 60_000, intervalMs = 20, check } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    check?.();
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause });
    await delay(intervalMs);
  }
}
