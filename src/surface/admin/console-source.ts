import type { PickSummary } from "./console-picks.ts";
import type { StateReading } from "./state-reading.ts";

/** Where the console gets what it shows. */
export interface ConsoleSource {
  /** The state, to be read step by step. */
  state(): Promise<StateReading>;
  /**
   * The latest decisions, the newest first.
   * @param limit most of them, >= 1
   * @param requestId only those on the request of this id; undefined = all
   */
  picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]>;
  /**
   * JSON of the decision of this id (`ExplainedPick`), in parts; undefined when it is not kept, or no longer.
   * @param shownAs the id that it has there; absent = its own
   */
  explain(id: string, shownAs?: string): Promise<Iterable<string> | undefined>;
}
