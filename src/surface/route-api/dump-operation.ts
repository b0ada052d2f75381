import { HttpError, jsonAnswer, type Operation } from "../../http/index.ts";
import type { RouteApiOptions } from "./options.ts";
import { inTurns } from "./turns.ts";

export interface DumpDependencies {
  /** The whole answer, in parts that are made as they are asked for: each is a bounded piece of work. */
  readonly dump: () => Iterable<string>;
  readonly options: RouteApiOptions;
}

/** `GET /dump`: what every worker holds, as the events that give it again. The wire of dynamo@1.6.1, hashes as u64. */
export function dumpOperation({ dump, options }: DumpDependencies): Operation {
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
    },
    handle: () => {
      if (!options.isDumpOpen) {
        throw new HttpError(403, "forbidden", "/dump needs a token on this address: set routeApi.tokenFile");
      }
      return jsonAnswer(200, inTurns(dump()));
    },
  };
}
