import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { Config } from "../config/index.ts";
import { httpStatusByCode, RoutingError } from "../errors/index.ts";
import { JsonReader } from "../json/index.ts";
import { explainSelection, type RouteRequest } from "../router/index.ts";
import { createLogger } from "../telemetry/index.ts";
import { assembleCore } from "./assemble.ts";
import { explanationText, refusalText } from "./explanation-text.ts";
import { KvFollower } from "./kv-follower.ts";
import { loadModels } from "./load-models.ts";
import { servedModels } from "./served-models.ts";

export interface ExplainRequestOptions {
  readonly path: string;
  readonly body: Buffer;
  /** How long the workers' KV events are gathered before choosing; 0 = caches count as empty. */
  readonly waitMs: number;
}

/** Prints for people what would happen to a request; books nothing. @returns the exit code: 1 when it is refused */
export async function explainRequest(
  config: Config,
  options: ExplainRequestOptions,
  output: Writable,
): Promise<number> {
  const models = servedModels(config);
  await loadModels(config, models);
  const jsonReader = new JsonReader({ internedBytes: 0 });
  const core = assembleCore(config, { models: models.registry, random: Math.random, jsonReader });
  const follower = new KvFollower(core, config.kvEvents, createLogger({ level: "silent" }));
  const knowledge = {
    hasPrefillWorkers: config.workers.some(({ role }) => role === "prefill"),
    followedRanks: follower.size,
    waitMs: options.waitMs,
  };
  try {
    if (options.waitMs > 0 && follower.size > 0) await delay(options.waitMs);
    const request = requestOf(options, config);
    const prepared = await core.router.prepare(request);
    output.write(explanationText(prepared, explainSelection(core.router.select(prepared, request)), knowledge));
    return 0;
  } catch (error) {
    if (!(error instanceof RoutingError)) throw error;
    const [latest] = core.decisions.recent(1);
    const refusal = latest && core.decisions.find(latest.number);
    if (refusal !== undefined) output.write(refusalText(refusal.explanation, knowledge));
    const field = error.field === undefined ? "" : ` (${error.field})`;
    output.write(`refused: ${httpStatusByCode[error.code]} ${error.code}${field}: ${error.message}\n`);
    return 1;
  } finally {
    await follower.close();
  }
}

function requestOf({ path, body }: ExplainRequestOptions, config: Config): RouteRequest {
  return {
    path,
    headers: { get: () => undefined, getAll: () => [] },
    body,
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient: config.extProc.trustClientPins,
  };
}
