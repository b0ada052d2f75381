import { type HttpAnswer, HttpError, inTurns, jsonAnswer, type Operation } from "../../http/index.ts";
import type { RouteApiOptions } from "./options.ts";
import { type RecoveryState, recoveryText } from "./recovery-state.ts";

export interface DumpDependencies {
  /** The whole answer, in parts that are made as they are asked for: each is a bounded piece of work. */
  readonly dump: () => Iterable<string>;
  readonly options: RouteApiOptions;
  /** Undefined when there is nothing to recover. */
  readonly recovery: () => RecoveryState | undefined;
}

/** `GET /dump`: what every worker holds, as the events that give it again. The wire of dynamo@1.6.1, hashes as u64. */
export function dumpOperation({ dump, options, recovery }: DumpDependencies): Operation {
  return {
    method: "GET",
    path: "/dump",
    id: "dump",
    tag: "dynamo",
    summary: "Tells what every worker holds, for another replica or indexer to start with",
    description: "Hashes are unsigned 64-bit integers: read them with a reader that keeps them exact.",
    access: "token",
    answers: {
      200: { description: "KV events by partition (`model:group`).", schema: { type: "object" } },
      403: { description: "No token is configured, and the listener is not on the loopback address." },
      503: { description: "This replica is starting, and fetches the index itself; `recovery` tells how far that is." },
    },
    handle: () => {
      if (!options.isDumpOpen) {
        throw new HttpError(403, "forbidden", "/dump needs a token on this address: set routeApi.tokenFile");
      }
      const state = recovery();
      return state === undefined || state.isCaughtUp ? jsonAnswer(200, inTurns(dump())) : starting(state);
    },
  };
}

/** Half an index would look like a whole one. Another replica that starts reads from this whether to wait. */
function starting(state: RecoveryState): HttpAnswer {
  const recovery = state.state === "idle" ? "seeking" : state.state;
  const error = "this replica is starting, and has no index yet";
  const members = { error, code: "starting", recovery, progress: JSON.parse(recoveryText(state, false)) };
  return jsonAnswer(503, JSON.stringify(members), { "retry-after": "1" });
}
