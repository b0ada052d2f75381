import type { ConsoleState } from "./console-state.ts";
import type { ConsoleRank, ConsoleWorker } from "./console-workers.ts";

/** A state but for its workers. */
export type ConsoleFrame = Omit<ConsoleState, "workers">;

/** A worker whose ranks are read one by one, before the next worker is. */
export interface ReadWorker extends Omit<ConsoleWorker, "ranks"> {
  readonly ranks: Iterable<ConsoleRank>;
}

/**
 * A state that is read while it is written, so that nobody has to hold all of it, nor the thread for as long as that takes. Each step of
 * its parts takes a fraction of a millisecond; between two of them the event loop may have a turn. What a worker's rank shows is of one
 * moment, and of two ranks it may be of two.
 */
export interface StateReading {
  /** By name. Undefined = a step that has none to show. */
  workers(): Iterable<ReadWorker | undefined>;
  /** Everything else, as it is after all workers have been read. */
  frame(): Generator<undefined, ConsoleFrame>;
}
