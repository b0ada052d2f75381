import {
  type Dialect,
  type EngineTraits,
  loadOnlyModelReason,
  modelLoadingReason,
  outlineRequest,
  type ParsedRequest,
  parseRequest,
  tokenDataEdit,
  unknownModelReason,
  type WithoutEngine,
} from "../api/index.ts";
import type { JsonObject, JsonReader } from "../json/index.ts";
import { type BlockHashes, type ChainHasher, type HashOptions, hashBlocks } from "../kv/index.ts";
import type { TokenizedPrompt } from "../model/index.ts";
import { refuseClientPins, trustedDemandsOf } from "./client-pins.ts";
import type { ModelRegistry, ServedModel } from "./model-registry.ts";
import type { PickStages } from "./pick-stages.ts";
import { noDemands, type Placeable, type RouteDemands } from "./placeable.ts";
import type { RouteRequest } from "./route-request.ts";
import { unknownModel } from "./unknown-model.ts";

export interface PrepareOptions {
  /** What happens to a model name that is not configured: 404, or a choice by load among all workers. */
  readonly unknownModel: "refuse" | "load";
  /** How requests are read that name no model that is served. Default: as the Dynamo frontend reads them. */
  readonly dialect?: Dialect;
  /** Refuses bodies of unknown paths that have neither `messages` nor `prompt`, instead of routing them by load. */
  readonly refuseUnknownShapes: boolean;
  /** Deepest nesting of a JSON body. */
  readonly maxJsonDepth: number;
  /** Reads the bodies; undefined = the one that all share. */
  readonly jsonReader?: JsonReader;
  /** Keeps the hashes of what prompts have in common; undefined = each is hashed anew. */
  readonly chainHasher?: ChainHasher;
}

/** A request whose tokens are known as far as they can be: everything a choice needs but the state of the workers. */
export interface PreparedRequest extends Placeable {
  /** Undefined when the request is routed by load; `loadOnlyReason` says why. */
  readonly prompt: TokenizedPrompt | undefined;
}

/** What a request's preparation depends on. */
export interface PrepareInput {
  readonly path: string | undefined;
  readonly body: Buffer;
  /** Values of the header `x-tenant-id`. */
  readonly tenantIds: readonly string[];
  /** Whether body fields that choose a worker are honoured; otherwise they are refused. */
  readonly trustClient: boolean;
}

export function prepareInputOf({ path, body, headers, trustClient }: RouteRequest): PrepareInput {
  return { path, body, tenantIds: headers.getAll("x-tenant-id"), trustClient };
}

/**
 * Parses, renders, tokenizes and hashes a request. Pure but for the model's caches: nothing is booked. At once where the text is known
 * or short.
 * @param stages follows the parts of the work; undefined = nobody does
 * @throws RoutingError, or rejects with it: what a client did wrong, by field
 */
export function prepareRequest(
  request: PrepareInput,
  models: ModelRegistry,
  options: PrepareOptions,
  stages?: PickStages,
): PreparedRequest | Promise<PreparedRequest> {
  const parsed =
    stages === undefined
      ? parse(request, models, options)
      : stages.during("parse", () => parse(request, models, options));
  if (!request.trustClient) refuseClientPins(parsed);
  const model = servedModel(parsed.model, models, options);
  const adapter = adapterOf(parsed.model, model);
  const base = { api: parsed.api, model, demands: demandsOf(parsed, request, adapter) };
  if (parsed.api === "promptless") return loadOnly({ ...base, api: parsed.awaitedApi ?? parsed.api }, parsed.reason);
  const pipeline = model?.pipeline;
  if (pipeline === undefined) return loadOnly(base, model === undefined ? unknownModelReason : loadOnlyModelReason);
  const { blockSize, profile } = pipeline;
  const hashOptions = {
    blockSize,
    cacheSalt: cacheNamespace(request) ?? parsed.extensions.cacheSalt,
    loraName: adapter,
    isEagle: model?.isEagle,
  };
  const hash = (prompt: TokenizedPrompt) => hashesOf(prompt, options.chainHasher, hashOptions);
  const finish = (prompt: TokenizedPrompt): PreparedRequest => ({
    ...base,
    prompt,
    promptTokens: prompt.chain?.length ?? prompt.tokenIds.length,
    hashes: stages === undefined ? hash(prompt) : stages.during("hash", () => hash(prompt)),
    bodyEdit:
      prompt.injectable && profile.injectsTokens
        ? tokenDataEdit(request.body, parsed.root, { ids: () => prompt.tokenIds, decimals: prompt.decimals })
        : undefined,
    loadOnlyReason: prompt.inexactReason,
  });
  const prompt = pipeline.tokenize(parsed, stages);
  return prompt instanceof Promise ? prompt.then(finish) : finish(prompt);
}

/** Whether the request's tokens are not known only because its model was still being loaded. */
export function isModelLoading({ loadOnlyReason }: Pick<PreparedRequest, "loadOnlyReason">): boolean {
  return loadOnlyReason === modelLoadingReason;
}

/**
 * A request whose prompt is not looked at, whatever its size: placed by load. Waits for other work every tenth of a millisecond.
 * @throws RoutingError for a model that is not served, or fields that choose a worker
 */
export async function prepareByLoad(
  request: PrepareInput,
  models: ModelRegistry,
  options: PrepareOptions,
  reason: string,
): Promise<PreparedRequest> {
  const steps = outlineRequest(request.path, request.body);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await new Promise((resolve) => setImmediate(resolve));
  const outline = step.value;
  if (!request.trustClient) refuseClientPins(outline);
  const model = servedModel(outline.model, models, options);
  return loadOnly(
    { api: outline.api, model, demands: demandsOf(outline, request, adapterOf(outline.model, model)) },
    reason,
  );
}

function demandsOf(
  body: { readonly root?: JsonObject | undefined },
  { trustClient }: PrepareInput,
  adapter: string | undefined,
): RouteDemands {
  const demands = trustClient ? trustedDemandsOf(body) : noDemands;
  return adapter === undefined ? demands : { ...demands, constraints: { ...demands.constraints, adapter } };
}

/** The adapter that a request's model name is; undefined = none of the model's. */
function adapterOf(name: string | undefined, model: ServedModel | undefined): string | undefined {
  return model?.adapters?.find((adapter) => adapter === name);
}

function hashesOf(
  prompt: TokenizedPrompt,
  hasher: ChainHasher | undefined,
  options: Omit<HashOptions, "blockMmInfos">,
): BlockHashes {
  // Windows of pairs reach over the ends of what prompts have in common.
  if (prompt.chain === undefined || hasher === undefined || options.isEagle === true) {
    return hashBlocks(prompt.tokenIds, options);
  }
  return hasher.hash(prompt.chain, options);
}

/** The dialect depends on the model, which only the body names: a second parse is paid by models of the rarer dialect. */
function parse(request: PrepareInput, models: ModelRegistry, options: PrepareOptions): ParsedRequest {
  return parseRequest(request.path, request.body, {
    dialect: dialectOf(models.only) ?? options.dialect ?? "dynamo",
    dialectOf: (name) => dialectOf(models.find(name)),
    engineOf: (name) => engineOf(models.find(name) ?? models.only),
    checkModel: (name) => {
      servedModel(name, models, options);
    },
    hasReasoningParser: (name) => models.find(name)?.hasReasoningParser === true,
    ...(options.jsonReader === undefined ? {} : { reader: options.jsonReader }),
    refuseUnknownShapes: options.refuseUnknownShapes,
    maxDepth: options.maxJsonDepth,
  });
}

function engineOf(model: ServedModel | undefined): EngineTraits | WithoutEngine | undefined {
  if (model === undefined) return "unknown";
  return model.pipeline === undefined ? "load-only" : model.pipeline.engine;
}

function dialectOf(model: ServedModel | undefined): Dialect | undefined {
  return model?.pipeline?.profile.dialect ?? model?.dialect;
}

function loadOnly(base: Pick<PreparedRequest, "api" | "model" | "demands">, reason: string): PreparedRequest {
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
    throw unknownModel(name, models.values());
  }
  return found;
}

/** The last non-empty `x-tenant-id`; it wins over the body's cache salt (dynamo@1.6.1 picker.rs resolve_cache_namespace). */
function cacheNamespace({ tenantIds }: PrepareInput): string | undefined {
  return tenantIds.map((value) => value.trim()).findLast((value) => value !== "");
}
