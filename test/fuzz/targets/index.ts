import type { FuzzTarget } from "../framework/fuzz-target.ts";
import { extProcOrders } from "./ext-proc-orders.ts";

/** Everything that is fuzzed. */
export const fuzzTargets: readonly FuzzTarget[] = [extProcOrders];
