import type { ExplainedPick, PickSummary } from "./console-picks.ts";
import type { ConsoleState } from "./console-state.ts";

/** Where the console gets what it shows. */
export interface ConsoleSource {
  /** The state as it is. Takes turns with other work of the event loop where it is long. */
  state(): Promise<ConsoleState>;
  /**
   * The latest decisions, the newest first.
   * @param limit most of them, >= 1
   * @param requestId only those on the request of this id; undefined = all
   */
  picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]>;
  /** The decision of this id; undefined when it is not kept, or no longer. */
  explain(id: string): Promise<ExplainedPick | undefined>;
}
