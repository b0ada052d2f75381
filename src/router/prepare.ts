import { type ParsedRequest, parseRequest, tokenDataEdit } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import type { JsonReader } from "../json/index.ts";
import { hashBlocks } from "../kv/index.ts";
import type { TokenizedPrompt } from "../model/index.ts";
import { refuseClientPins, trustedDemandsOf } from "./client-pins.ts";
import type { ModelRegistry, ServedModel } from "./model-registry.ts";
import { noDemands, type Placeable } from "./placeable.ts";
import type { RouteRequest } from "./route-request.ts";
import { sessionOf } from "./session.ts";

export interface PrepareOptions {
  /** What happens to a model name that is not configured: 404, or a choice by load among all workers. */
  readonly unknownModel: "refuse" | "load";
  /** Refuses bodies of unknown paths that have neither `messages` nor `prompt`, instead of routing them by load. */
  readonly refuseUnknownShapes: boolean;
  /** Deepest nesting of a JSON body. */
  readonly maxJsonDepth: number;
  /** Reads the bodies; undefined = the one that all share. */
  readonly jsonReader?: JsonReader;
}

/** A request whose tokens are known as far as they can be: everything a choice needs but the state of the workers. */
export interface PreparedRequest extends Placeable {
  /** Undefined when the request is routed by load; `loadOnlyReason` says why. */
  readonly prompt: TokenizedPrompt | undefined;
}

/**
 * Parses, renders, tokenizes and hashes a request. Pure but for the model's caches: nothing is booked.
 * @throws RoutingError what a client did wrong, by field
 */
export async function prepareRequest(
  request: RouteRequest,
  models: ModelRegistry,
  options: PrepareOptions,
): Promise<PreparedRequest> {
  const parsed = parse(request, models, options);
  if (!request.trustClient) refuseClientPins(parsed);
  const model = servedModel(parsed.model, models, options);
  const base = {
    api: parsed.api,
    model,
    demands: request.trustClient ? trustedDemandsOf(parsed) : noDemands,
    session: sessionOf(request.headers),
  };
  if (parsed.api === "promptless") return loadOnly(base, parsed.reason);
  if (model?.pipeline === undefined) return loadOnly(base, model === undefined ? "unknown model" : "load-only model");
  const prompt = await model.pipeline.tokenize(parsed);
  const injects = prompt.injectable && model.pipeline.profile.injectsTokens;
  return {
    ...base,
    prompt,
    promptTokens: prompt.tokenIds.length,
    hashes: hashBlocks(prompt.tokenIds, {
      blockSize: model.pipeline.blockSize,
      cacheSalt: cacheNamespace(request) ?? parsed.extensions.cacheSalt,
    }),
    bodyEdit: injects
      ? tokenDataEdit(request.body, parsed.root, { ids: prompt.tokenIds, decimals: prompt.decimals })
      : undefined,
    loadOnlyReason: prompt.inexactReason,
  };
}

/** The dialect depends on the model, which only the body names: a second parse is paid by models of the rarer dialect. */
function parse(request: RouteRequest, models: ModelRegistry, options: PrepareOptions): ParsedRequest {
  return parseRequest(request.path, request.body, {
    dialect: models.only?.pipeline?.profile.dialect ?? "dynamo",
    dialectOf: (name) => models.find(name)?.pipeline?.profile.dialect,
    engineOf: (name) => engineOf(models.find(name)),
    checkModel: (name) => {
      servedModel(name, models, options);
    },
    hasReasoningParser: (name) => models.find(name)?.hasReasoningParser === true,
    ...(options.jsonReader === undefined ? {} : { reader: options.jsonReader }),
    refuseUnknownShapes: options.refuseUnknownShapes,
    maxDepth: options.maxJsonDepth,
  });
}

function engineOf(model: ServedModel | undefined): "vllm" | "sglang" | undefined {
  const name = model?.pipeline?.profile.name;
  return name === "dynamo" ? undefined : name;
}

function loadOnly(
  base: Pick<PreparedRequest, "api" | "model" | "demands" | "session">,
  reason: string,
): PreparedRequest {
  return {
    ...base,
    prompt: undefined,
    promptTokens: undefined,
    hashes: undefined,
    bodyEdit: undefined,
    loadOnlyReason: reason,
  };
}

function servedModel(
  name: string | undefined,
  models: ModelRegistry,
  options: PrepareOptions,
): ServedModel | undefined {
  if (name === undefined || name === "") return models.only;
  const found = models.find(name);
  if (found === undefined && options.unknownModel === "refuse" && models.values().length > 0) {
    throw new RoutingError("the model is not served here", { code: "unknown_model", field: "model" });
  }
  return found;
}

/** The last non-empty `x-tenant-id`; it wins over the body's cache salt (dynamo@1.6.1 picker.rs resolve_cache_namespace). */
function cacheNamespace(request: RouteRequest): string | undefined {
  return request.headers
    .getAll("x-tenant-id")
    .map((value) => value.trim())
    .findLast((value) => value !== "");
}
