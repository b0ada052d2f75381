import type { ModelRegistry, ServedModel } from "./model-registry.ts";
import type { PickStages } from "./pick-stages.ts";
import {
  type PreparedRequest,
  type PrepareInput,
  type PrepareOptions,
  prepareByLoad,
  prepareRequest,
} from "./prepare.ts";

/** Prepares requests that would hold this thread for too long, in the same way, in other threads. */
export interface Elsewhere {
  /** Whether a body is not to be read here. Cheap. */
  takes(body: Buffer): boolean;
  /** A request was prepared here. Cheap. */
  preparedHere(request: PrepareInput, prepared: PreparedRequest): void;
  /**
   * As `prepareRequest`. Rejects with its errors, or with the signal's reason.
   * @param deferringModel the model that defers the prompt; undefined when the body was not read
   */
  prepare(
    request: PrepareInput,
    deferringModel: ServedModel | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PreparedRequest | Unprepared>;
}

/** The request could not be prepared: it is placed by load. */
export interface Unprepared {
  /** One of few fixed texts. */
  readonly failure: string;
}

/** What one that waits is told by. */
export interface PrepareWait {
  /** Aborted when nobody waits any more; asked for only where there is something to wait for. */
  readonly signal: AbortSignal;
  /** Follows the parts of the work; absent = nobody does. */
  readonly stages?: PickStages | undefined;
}

/**
 * Prepares a request here, or elsewhere when it would take too long here. At once where nothing has to be waited for.
 * @throws RoutingError, or rejects with it
 */
export function prepareAnywhere(
  request: PrepareInput,
  models: ModelRegistry,
  options: PrepareOptions & { readonly elsewhere?: Elsewhere | undefined },
  wait: PrepareWait | undefined,
): PreparedRequest | Promise<PreparedRequest> {
  const { elsewhere } = options;
  if (elsewhere === undefined) return prepareRequest(request, models, options, wait?.stages);
  if (elsewhere.takes(request.body)) {
    return followed(wait, () => prepareElsewhere(request, models, { ...options, elsewhere }, wait?.signal));
  }
  const finish = (prepared: PreparedRequest) => {
    if (prepared.prompt?.isDeferred === true) {
      return followed(wait, () => prepareDeferred(request, prepared, elsewhere, wait?.signal));
    }
    elsewhere.preparedHere(request, prepared);
    return prepared;
  };
  const prepared = prepareRequest(request, models, options, wait?.stages);
  return prepared instanceof Promise ? prepared.then(finish) : finish(prepared);
}

function followed<T>(wait: PrepareWait | undefined, work: () => T): T {
  return wait?.stages === undefined ? work() : wait.stages.during("prompt_thread", work);
}

async function prepareElsewhere(
  request: PrepareInput,
  models: ModelRegistry,
  options: PrepareOptions & { readonly elsewhere: Elsewhere },
  signal: AbortSignal | undefined,
): Promise<PreparedRequest> {
  const prepared = await options.elsewhere.prepare(request, undefined, signal);
  return "failure" in prepared ? prepareByLoad(request, models, options, prepared.failure) : prepared;
}

async function prepareDeferred(
  request: PrepareInput,
  deferred: PreparedRequest,
  elsewhere: Elsewhere,
  signal: AbortSignal | undefined,
): Promise<PreparedRequest> {
  const prepared = await elsewhere.prepare(request, deferred.model, signal);
  return "failure" in prepared ? { ...deferred, loadOnlyReason: prepared.failure } : prepared;
}
