import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";

/** What a busy machine may take to come to what is waited for, in ms. */
const patienceMs = 20_000;

/** Resolves when something holds; rejects when it does not in a long time. @param what it would be told as then */
export async function untilHolds(holds: () => boolean, what: () => string): Promise<void> {
  const endMs = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > endMs) assert.fail(what());
    await turn();
  }
}
