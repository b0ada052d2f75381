import type { Catalogue, ScoringCapability, Worker, WorkerId } from "../fleet/index.ts";
import { hashBlocks, oneShotRandomBytes, oneShotSalt } from "../kv/index.ts";
import type { Reservation } from "../load/index.ts";
import type { ScoringPrompts } from "../model/index.ts";
import type { PrepareWait } from "./elsewhere.ts";
import type { ModelRegistry, ServedModel } from "./model-registry.ts";
import { keptRequestId, type Placeable, type RouteDemands } from "./placeable.ts";
import type { RouteDecision } from "./route-decision.ts";
import type { RequestHeaders, RouteRequest } from "./route-request.ts";
import type { Router } from "./router.ts";

/** A model whose prompts can be scored, and the workers that do it. */
export interface ScoringModel {
  readonly model: ServedModel;
  readonly prompts: ScoringPrompts;
  readonly workers: readonly (Worker & { readonly scoring: ScoringCapability })[];
}

/** Why there is none. */
export type NoScoring = "unknown_model" | "not_scorable" | "no_worker";

/** Prompts of one request. They share a part of the cache that is theirs alone. */
export interface ScoringDemand {
  readonly model: ServedModel;
  /** Namespace of the request in the worker's cache, made by `newNamespace`: nobody holds anything in it. */
  readonly cacheSalt: string;
  readonly requestId: string;
  readonly headers: RequestHeaders;
  /** Workers that may get it. */
  readonly workers: readonly Worker[];
}

/**
 * A namespace for one request: what workers tell of blocks in it is not kept.
 * @param randomBytes makes bytes that nobody can guess
 */
export function newNamespace(randomBytes: (count: number) => Uint8Array): string {
  return oneShotSalt(randomBytes(oneShotRandomBytes));
}

/** Who picks and books for scored prompts. */
export type ScoringRouter = Pick<Router, "admit" | "bookBeside">;

/** Places prompts that are scored. */
export class ScoringPicks {
  readonly #router: ScoringRouter;
  readonly #models: ModelRegistry;
  readonly #catalogue: Catalogue;

  constructor(router: ScoringRouter, models: ModelRegistry, catalogue: Catalogue) {
    this.#router = router;
    this.#models = models;
    this.#catalogue = catalogue;
  }

  /** The model of a name or alias; a LoRA adapter is none. */
  find(name: string): ScoringModel | NoScoring {
    const model = this.#models.find(name);
    if (model === undefined) return "unknown_model";
    const prompts = model.pipeline?.scoring;
    if (prompts === undefined) return "not_scorable";
    const found = this.workersOf(name);
    return typeof found === "string" ? found : { ...found, prompts };
  }

  /** As `find`, whether or not the model's prompts can be made here. */
  workersOf(name: string): Omit<ScoringModel, "prompts"> | NoScoring {
    const model = this.#models.find(name);
    if (model === undefined) return "unknown_model";
    if (model.adapters?.includes(name) === true) return "not_scorable";
    const serving = this.#catalogue.ranksFor(model.name).map(({ worker }) => worker);
    if (serving.length === 0) return "no_worker";
    const workers = [...new Set(serving)].filter(isScoring);
    if (workers.length === 0) return "not_scorable";
    return workers.some(isUp) ? { model, workers } : "no_worker";
  }

  /**
   * Picks a worker, by load, for a request that it answers itself, and books it there.
   * @throws RoutingError as `Router.admit`, or rejects with it
   */
  pickWhole(
    { model, workers }: Omit<ScoringModel, "prompts">,
    request: RouteRequest,
    wait: PrepareWait,
  ): RouteDecision | Promise<RouteDecision> {
    const subject: Placeable = {
      ...noPrompt,
      model,
      demands: demandsOn(workers),
      requestId: keptRequestId(request.headers.get("x-request-id")),
    };
    return this.#router.admit(subject, request, wait);
  }

  /**
   * Picks a worker for the first prompt and books it there.
   * @throws RoutingError as `Router.admit`, or rejects with it
   */
  pick(demand: ScoringDemand, tokenIds: Uint32Array, wait: PrepareWait): RouteDecision | Promise<RouteDecision> {
    const anywhere = { subset: undefined, requestedEndpoints: undefined };
    const request = { path: undefined, headers: demand.headers, body: noBody, trustClient: false, ...anywhere };
    return this.#router.admit(subjectOf(demand, tokenIds), request, wait);
  }

  /**
   * Books a further prompt of the same request where the first one is.
   * @param sharedTokens tokens that it begins with as the first one does
   * @throws RoutingError no_endpoints when the worker is gone
   */
  join(first: RouteDecision, demand: ScoringDemand, tokenIds: Uint32Array, sharedTokens: number): Reservation {
    const { blockSize } = demand.model.index;
    const cachedTokens = Math.floor(sharedTokens / blockSize) * blockSize;
    return this.#router.bookBeside(first.selection, subjectOf(demand, tokenIds), tokenIds.length - cachedTokens);
  }
}

const noBody = Buffer.alloc(0);

function isScoring(worker: Worker): worker is ScoringModel["workers"][number] {
  return worker.role === "aggregated" && worker.scoring !== undefined;
}

function isUp({ health, isDraining }: Worker): boolean {
  return health !== "unhealthy" && !isDraining;
}

/**
 * A prompt in a namespace of its own: nobody holds any of it, so nothing is looked up, and nothing that was sent is remembered. Its blocks
 * count as load, once for all prompts of the request.
 */
function subjectOf({ model, cacheSalt, requestId, workers }: ScoringDemand, tokenIds: Uint32Array): Placeable {
  const { blockSize } = model.index;
  return {
    api: "given",
    model,
    promptTokens: tokenIds.length,
    hashes: undefined,
    loadSequence: hashBlocks(tokenIds, { blockSize, cacheSalt, isEagle: model.isEagle }).sequence,
    bodyEdit: undefined,
    loadOnlyReason: "a namespace of its own",
    demands: demandsOn(workers),
    requestId: keptRequestId(requestId),
  };
}

/** A request whose tokens are not looked at. */
const noPrompt = {
  api: "given",
  promptTokens: undefined,
  hashes: undefined,
  bodyEdit: undefined,
  loadOnlyReason: "a typed decision",
} as const;

function demandsOn(workers: readonly Worker[]): RouteDemands {
  const allowed = new Set<WorkerId>(workers.map(({ id }) => id));
  return { constraints: { allowed }, overrides: undefined, isAggregated: true };
}
