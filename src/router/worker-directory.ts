import { RoutingError } from "../errors/index.ts";
import type {
  Catalogue,
  RegisteredWorker,
  RegisteredWorkers,
  Worker,
  WorkerId,
  WorkerPatch,
  WorkerRank,
  WorkerRegistration,
} from "../fleet/index.ts";
import { defaultGroup, type Partition, type Partitions } from "./partitions.ts";

/** Tokens of prefill that a rank takes at once when nobody says. Source: dynamo@1.6.1 scheduling. */
const defaultBatchedTokens = 10_000_000;

/** The workers as callers see them: those that they registered, and the configured ones. */
export class WorkerDirectory {
  readonly #registered: RegisteredWorkers<Partition>;
  readonly #catalogue: Catalogue;
  readonly #partitions: Partitions;

  constructor(registered: RegisteredWorkers<Partition>, catalogue: Catalogue, partitions: Partitions) {
    this.#registered = registered;
    this.#catalogue = catalogue;
    this.#partitions = partitions;
  }

  /** @throws RoutingError as `RegisteredWorkers.put` */
  put(registration: WorkerRegistration): RegisteredWorker {
    return this.#registered.put(registration);
  }

  /**
   * Of a configured worker only `isDraining` can be changed: all else is in the settings.
   * @returns undefined when there is no such worker
   * @throws RoutingError worker_conflict, and as `RegisteredWorkers.patch`
   */
  patch(id: bigint, patch: WorkerPatch): RegisteredWorker | undefined {
    return this.#registered.patch(id as WorkerId, patch) ?? this.#patchConfigured(id as WorkerId, patch);
  }

  /** @returns the last record; undefined when no such worker is registered */
  remove(id: bigint): RegisteredWorker | undefined {
    return this.#registered.remove(id as WorkerId);
  }

  /** Every worker by model, group and id; a configured one once for each model that it serves. */
  records(): readonly RegisteredWorker[] {
    const configured = [...this.#catalogue.workers()]
      .filter(({ id }) => this.#registered.get(id) === undefined)
      .flatMap((worker) => this.#recordsOf(worker));
    return configured.length === 0 ? this.#registered.values() : [...configured, ...this.#registered.values()];
  }

  /** The ranks of a worker that can be picked; none for another. */
  ranksOf(id: bigint): readonly WorkerRank[] {
    return this.#catalogue.get(id as WorkerId)?.ranks ?? [];
  }

  /** The endpoint of a worker as it was registered. */
  endpointOf({ id, endpoint }: Worker): string {
    return this.#registered.get(id)?.endpoint ?? endpoint;
  }

  /** Tokens of prefill that a rank of the worker takes at once. */
  batchedTokensOf({ id }: Worker): bigint {
    return this.#registered.get(id)?.maxNumBatchedTokens ?? BigInt(defaultBatchedTokens);
  }

  #patchConfigured(id: WorkerId, { isDraining, ...rest }: WorkerPatch): RegisteredWorker | undefined {
    const worker = this.#catalogue.get(id);
    if (worker === undefined) return undefined;
    if (Object.keys(rest).length > 0) {
      const message = `worker ${id} is a configured one: only \`draining\` can be changed`;
      throw new RoutingError(message, { code: "worker_conflict", field: "worker_id" });
    }
    if (isDraining !== undefined) this.#catalogue.setDraining(worker, isDraining);
    return this.#recordsOf(worker)[0];
  }

  #recordsOf(worker: Worker): readonly RegisteredWorker[] {
    return this.#partitionsOf(worker).map((partition) => recordOf(worker, partition));
  }

  #partitionsOf(worker: Worker): readonly Partition[] {
    return this.#partitions.values().filter(({ group, served }) => {
      return group === defaultGroup && (worker.models.length === 0 || worker.models.includes(served.name));
    });
  }
}

function recordOf(worker: Worker, { model, group, blockSize }: Partition): RegisteredWorker {
  const [first] = worker.kvEvents;
  const isSingle = worker.dpSize === 1;
  const sources = worker.ranks.flatMap(({ dpRank, kvEvents }): [number, string][] =>
    kvEvents === undefined ? [] : [[dpRank, kvEvents.endpoint]],
  );
  return {
    workerId: worker.id,
    modelName: model,
    routingGroup: group,
    endpoint: worker.endpoint,
    kvEventsEndpoint: isSingle ? first?.endpoint : undefined,
    kvEventsEndpoints: new Map(isSingle ? [] : sources),
    replayEndpoint: isSingle ? first?.replayEndpoint : undefined,
    replayEndpoints: new Map(),
    blockSize,
    dataParallelStartRank: worker.dpRankStart,
    dataParallelSize: worker.dpSize,
    maxNumBatchedTokens: undefined,
    totalKvBlocks: worker.totalKvBlocks === undefined ? undefined : BigInt(worker.totalKvBlocks),
    stableRoutingId: undefined,
    isEagle: undefined,
    taints: [...worker.taints],
    topologyDomains: worker.labels,
    kvTransferDomain: undefined,
    kvTransferEnforcement: undefined,
    kvTransferPreferredWeight: undefined,
    routerHintWorkerType: undefined,
    routerHintSourceControlEndpoints: new Map(),
    name: worker.name,
    role: worker.role,
    isDraining: worker.isDraining,
    lifecycle: worker.isDraining ? "draining" : "schedulable",
    notSchedulableReasons: [],
  };
}
