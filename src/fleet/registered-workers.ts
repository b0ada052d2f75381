import { RoutingError } from "../errors/index.ts";
import type { Catalogue } from "./catalogue.ts";
import type { WorkerId } from "./worker.ts";
import {
  addressOf,
  badSocketOf,
  missingOf,
  type RegistrationDemands,
  specOfRegistration,
  type WorkerPatch,
  type WorkerRegistration,
} from "./worker-registration.ts";

/** `incomplete`: something is missing; `draining`: keeps what it has, gets nothing new; `unschedulable`: it is gone. */
export type WorkerLifecycle = "incomplete" | "schedulable" | "draining" | "unschedulable";

/** A registered worker and where it stands. */
export interface RegisteredWorker extends WorkerRegistration {
  readonly lifecycle: WorkerLifecycle;
  /** Empty when it is schedulable. */
  readonly notSchedulableReasons: readonly string[];
}

/** The partitions, as far as workers need them. */
export interface PartitionDirectory<P> {
  /** The partition of a worker, made when it is new. @throws RoutingError with the reason when the worker does not fit */
  claim(worker: WorkerRegistration & { readonly blockSize: number }): P;
  /** What the catalogue calls the partition. */
  nameOf(partition: P): string;
  /** No worker is in the partition any more. */
  release(partition: P): void;
}

export interface RegisteredWorkersOptions extends RegistrationDemands {
  /** Most registered workers, incomplete ones included. */
  readonly maxWorkers: number;
  /** Most ranks of all registered workers together. */
  readonly maxRanks: number;
}

interface Entry<P> {
  readonly record: RegisteredWorker;
  /** Of a worker that is in the catalogue. */
  readonly partition: P | undefined;
}

/** Most ranks of one worker. Source: dynamo@1.6.1 selection service. */
const maxRanksPerWorker = 4_096;

/** Workers that callers register and take away while the process runs. Those that can be picked are in the catalogue. */
export class RegisteredWorkers<P> {
  readonly #catalogue: Catalogue;
  readonly #partitions: PartitionDirectory<P>;
  readonly #options: RegisteredWorkersOptions;
  readonly #entries = new Map<WorkerId, Entry<P>>();

  constructor(catalogue: Catalogue, partitions: PartitionDirectory<P>, options: RegisteredWorkersOptions) {
    this.#catalogue = catalogue;
    this.#partitions = partitions;
    this.#options = options;
  }

  /**
   * Registers a worker, or all of one anew: what its load and its caches hang on stays when it is the same.
   * @throws RoutingError worker_conflict for the id or the address of a configured worker, saturated, invalid_request for too many ranks
   */
  put(registration: WorkerRegistration): RegisteredWorker {
    const { workerId } = registration;
    const known = this.#entries.get(workerId);
    if (known === undefined) this.#admit(workerId);
    this.#checkAddress(registration);
    this.#checkRanks(registration);
    return this.#commit(registration, known);
  }

  /** Changes a worker. @returns undefined when no such worker is registered. @throws RoutingError as `put` */
  patch(id: WorkerId, patch: WorkerPatch): RegisteredWorker | undefined {
    const known = this.#entries.get(id);
    if (known === undefined) return undefined;
    const { lifecycle: _, notSchedulableReasons: __, ...before } = known.record;
    const registration: WorkerRegistration = { ...before, ...patch };
    this.#checkAddress(registration);
    this.#checkRanks(registration);
    return this.#commit(registration, known);
  }

  /** Takes a worker away. @returns its last record; undefined when no such worker is registered */
  remove(id: WorkerId): RegisteredWorker | undefined {
    const known = this.#entries.get(id);
    if (known === undefined) return undefined;
    this.#entries.delete(id);
    this.#withdraw(known);
    return { ...known.record, lifecycle: "unschedulable", notSchedulableReasons: [] };
  }

  get(id: WorkerId): RegisteredWorker | undefined {
    return this.#entries.get(id)?.record;
  }

  /** Every record, by model, group and id. */
  values(): readonly RegisteredWorker[] {
    const records = [...this.#entries.values()].map(({ record }) => record);
    return records.sort(byPlace);
  }

  #admit(id: WorkerId): void {
    if (this.#catalogue.get(id) !== undefined) {
      throw new RoutingError(`worker ${id} is a configured one`, { code: "worker_conflict", field: "worker_id" });
    }
    const { maxWorkers } = this.#options;
    if (this.#entries.size >= maxWorkers) {
      throw new RoutingError(`${maxWorkers} workers are registered, no more are taken`, { code: "saturated" });
    }
  }

  /** One process that is there twice would get twice its share, and each half would know of half its load. */
  #checkAddress({ endpoint = "" }: WorkerRegistration): void {
    const worker = this.#catalogue.byEndpoint(addressOf(endpoint) ?? endpoint);
    if (worker === undefined || this.#entries.has(worker.id)) return;
    const message = `the endpoint is that of worker ${worker.id}, which is a configured one`;
    throw new RoutingError(message, { code: "worker_conflict", field: "endpoint" });
  }

  #checkRanks({ workerId, dataParallelSize = 1, dataParallelStartRank = 0 }: WorkerRegistration): void {
    if (dataParallelSize > maxRanksPerWorker) {
      const message = `data_parallel_size ${dataParallelSize} exceeds the maximum ${maxRanksPerWorker}`;
      throw new RoutingError(message, { code: "invalid_request", field: "data_parallel_size" });
    }
    if (dataParallelStartRank + dataParallelSize > maxRankNumber) {
      const message = `data_parallel_start_rank ${dataParallelStartRank} exceeds the maximum`;
      throw new RoutingError(message, { code: "invalid_request", field: "data_parallel_start_rank" });
    }
    let ranks = dataParallelSize;
    for (const [id, { record }] of this.#entries) if (id !== workerId) ranks += record.dataParallelSize ?? 1;
    if (ranks > this.#options.maxRanks) {
      throw new RoutingError(`more than ${this.#options.maxRanks} ranks are registered`, { code: "saturated" });
    }
  }

  #commit(registration: WorkerRegistration, known: Entry<P> | undefined): RegisteredWorker {
    const reasons = missingOf(registration, this.#options);
    const claimed = reasons.length > 0 ? undefined : this.#claim(registration, reasons);
    const before = known?.partition;
    if (known !== undefined && before !== undefined && before !== claimed) this.#withdraw(known, claimed);
    const { isDraining = false } = registration;
    if (claimed !== undefined) {
      const spec = specOfRegistration(registration, this.#partitions.nameOf(claimed), this.#options);
      this.#catalogue.setDraining(this.#catalogue.put(spec), isDraining);
    }
    const lifecycle = isDraining ? "draining" : "schedulable";
    const record: RegisteredWorker = {
      ...registration,
      lifecycle: reasons.length > 0 ? "incomplete" : lifecycle,
      notSchedulableReasons: reasons,
    };
    this.#entries.set(registration.workerId, { record, partition: claimed });
    return record;
  }

  /** @param reasons receives why the worker cannot be in its partition */
  #claim(registration: WorkerRegistration, reasons: string[]): P | undefined {
    const { blockSize } = registration;
    const badSocket = badSocketOf(registration);
    if (blockSize === undefined || badSocket !== undefined) {
      reasons.push(`reconciliation failed: ${badSocket ?? "block_size is required"}`);
      return undefined;
    }
    try {
      return this.#partitions.claim({ ...registration, blockSize });
    } catch (error) {
      if (!(error instanceof RoutingError)) throw error;
      reasons.push(`reconciliation failed: ${error.message}`);
      return undefined;
    }
  }

  /** Takes a worker out of the catalogue; its partition goes with the last one. */
  #withdraw({ record, partition }: Entry<P>, next?: P): void {
    if (partition === undefined) return;
    this.#catalogue.remove(record.workerId);
    if (partition === next) return;
    const isLast = ![...this.#entries].some(([id, other]) => id !== record.workerId && other.partition === partition);
    if (isLast) this.#partitions.release(partition);
  }
}

/** dp ranks are u32 on the wire. */
const maxRankNumber = 0xffff_ffff;

function byPlace(a: WorkerRegistration, b: WorkerRegistration): number {
  return (
    compare(a.modelName, b.modelName) || compare(a.routingGroup, b.routingGroup) || compare(a.workerId, b.workerId)
  );
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
