import type { FuzzTarget } from "../framework/fuzz-target.ts";
import { extProcOrders } from "./ext-proc-orders.ts";
import { proxyHttp } from "./proxy-http.ts";

/** Everything that is fuzzed. */
export const fuzzTargets: readonly FuzzTarget[] = [extProcOrders, proxyHttp];
