import type { FuzzTarget } from "../framework/fuzz-target.ts";
import { answerStreams } from "./answer-streams.ts";
import { chatTemplates } from "./chat-templates.ts";
import { extProcOrders } from "./ext-proc-orders.ts";
import { jsonTexts } from "./json-texts.ts";
import { kvDumps } from "./kv-dumps.ts";
import { kvEvents } from "./kv-events.ts";
import { kvStreams } from "./kv-streams.ts";
import { outsideTexts } from "./outside-texts.ts";
import { proxyHttp } from "./proxy-http.ts";
import { routeHttp } from "./route-http.ts";

/** Everything that is fuzzed. */
export const fuzzTargets: readonly FuzzTarget[] = [
  extProcOrders,
  jsonTexts,
  kvEvents,
  kvStreams,
  kvDumps,
  answerStreams,
  outsideTexts,
  proxyHttp,
  routeHttp,
  chatTemplates,
];
