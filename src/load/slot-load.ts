import { PrefixRuns } from "./prefix-runs.ts";
import type { Reservation } from "./reservation.ts";

/** What the running requests of one rank hold and have yet to do. */
export class SlotLoad {
  readonly blocks = new PrefixRuns();
  readonly reservations = new Set<Reservation>();
  prefillTokens = 0;
  /** Ever, running ones included. */
  bookedRequests = 0;
  /** Output blocks, weighted. */
  outputBlocks = 0;

  get decodeBlocks(): number {
    return Math.round(this.blocks.weightedBlocks + this.outputBlocks);
  }
}
