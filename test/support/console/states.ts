import { readFileSync } from "node:fs";
import type { ConsoleState, PickSummary, StateReading } from "../../../src/surface/admin/index.ts";

const example = JSON.parse(
  readFileSync(new URL("../../fixtures/admin/state.json", import.meta.url), "utf8"),
) as ConsoleState;

/** The example, with changes. */
export function stateOf(changes: Partial<ConsoleState> = {}): ConsoleState {
  return { ...structuredClone(example), ...changes };
}

/** A decision of which only the id matters. */
export function pickOf(id: string, changes: Partial<PickSummary> = {}): PickSummary {
  return {
    id,
    atMs: 1_000,
    requestId: undefined,
    outcome: "picked",
    api: "chat",
    model: "m",
    promptTokens: 40,
    promptBlocks: 2,
    heldBlocks: 1,
    picked: undefined,
    prefill: undefined,
    ...changes,
  };
}

/** A state that is there as a whole, to be read. */
export function readingOf({ workers, ...frame }: ConsoleState): StateReading {
  return {
    workers: () => workers,
    *frame() {
      yield undefined;
      return frame;
    },
  };
}

/** All of a reading. */
export function readState(reading: StateReading): ConsoleState {
  const workers = [];
  for (const worker of reading.workers())
    if (worker !== undefined) workers.push({ ...worker, ranks: [...worker.ranks] });
  const steps = reading.frame();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return { ...value, workers };
  }
}
