import { RoutingError } from "../errors/index.ts";
import type { PrefixIndex } from "../kv/index.ts";
import type { ModelRegistry, ServedModel } from "./model-registry.ts";

/** The routing group of workers that name none, and of the configured workers. */
export const defaultGroup = "default";

/** The model of workers and requests that name none. Source: dynamo@1.6.1 selection service. */
const defaultModel = "default";

/** Workers that share a model and a routing group, and with them one prefix index. Requests never leave their partition. */
export interface Partition {
  /** As callers name it. */
  readonly model: string;
  readonly group: string;
  readonly blockSize: number;
  /** Its prompts are hashed as for Eagle models. */
  readonly isEagle: boolean;
  /** What the partition's workers serve in the catalogue. */
  readonly served: ServedModel;
}

export interface PartitionsOptions {
  /** Most partitions beside those of the configured models. >= 0. */
  readonly maxPartitions: number;
  /** The index of a partition that workers bring. */
  readonly makeIndex: (blockSize: number) => PrefixIndex;
}

/** What a worker asks of its partition. */
export interface PartitionClaim {
  readonly model: string;
  readonly group: string;
  readonly blockSize: number;
  readonly isEagle: boolean;
}

/** The partitions: one for each configured model, and those that registered workers bring with them. */
export class Partitions {
  readonly #models: ModelRegistry;
  readonly #options: PartitionsOptions;
  readonly #configured: ReadonlyMap<ServedModel, Partition>;
  readonly #brought = new Map<string, Partition>();

  /** @param models as configured: nothing was added yet */
  constructor(models: ModelRegistry, options: PartitionsOptions) {
    this.#models = models;
    this.#options = options;
    this.#configured = new Map(models.values().map((served) => [served, configured(served)]));
  }

  /**
   * The partition of a request: where nobody serves `default`, what requests without a model's name mean, and only one model is configured,
   * they mean that one.
   */
  of(model: string, group: string): Partition | undefined {
    const found = this.find(model, group);
    if (found !== undefined || model !== defaultModel || group !== defaultGroup) return found;
    const [only, ...others] = this.#configured.values();
    return others.length === 0 ? only : undefined;
  }

  find(model: string, group: string): Partition | undefined {
    const brought = this.#brought.get(nameOf(model, group));
    if (brought !== undefined || group !== defaultGroup) return brought;
    const served = this.#models.find(model);
    return served === undefined ? undefined : this.#configured.get(served);
  }

  /** Every partition, configured ones first. */
  values(): readonly Partition[] {
    return [...this.#configured.values(), ...this.#brought.values()];
  }

  /**
   * The partition of a worker, made when it is new.
   * @throws RoutingError worker_conflict when it is there with another block size or kind of hashes, saturated when there are too many
   */
  claim({ model, group, blockSize, isEagle }: PartitionClaim): Partition {
    const known = this.find(model, group);
    if (known !== undefined) {
      refuseMismatch(known, { model, group, blockSize, isEagle });
      return known;
    }
    const { maxPartitions, makeIndex } = this.#options;
    if (this.#brought.size >= maxPartitions) {
      throw new RoutingError(`${maxPartitions} partitions are served, no more are taken`, { code: "saturated" });
    }
    const pipeline = this.#models.find(model)?.pipeline;
    const fits = pipeline?.blockSize === blockSize;
    const served: ServedModel = {
      name: nameOf(model, group),
      aliases: [],
      pipeline: fits ? pipeline : undefined,
      index: makeIndex(blockSize),
    };
    if (!this.#models.add(served)) throw conflict(`the name ${served.name} is another model's`);
    const partition: Partition = { model, group, blockSize, isEagle, served };
    this.#brought.set(served.name, partition);
    return partition;
  }

  /** Its last worker is gone: what workers brought goes with them, so that they can come again with another block size. */
  release(partition: Partition): void {
    if (this.#brought.get(partition.served.name) !== partition) return;
    this.#brought.delete(partition.served.name);
    this.#models.remove(partition.served);
  }
}

function configured(served: ServedModel): Partition {
  return {
    model: served.name,
    group: defaultGroup,
    blockSize: served.index.blockSize,
    isEagle: false,
    served,
  };
}

/** Clients' bodies name models: the default group is found by the model's own name. */
function nameOf(model: string, group: string): string {
  return group === defaultGroup ? model : `${model}:${group}`;
}

function refuseMismatch(known: Partition, { model, group, blockSize, isEagle }: PartitionClaim): void {
  const place = `for model=${model} routing_group=${group}`;
  if (known.blockSize !== blockSize) {
    throw conflict(`block_size mismatch ${place}: existing=${known.blockSize} requested=${blockSize}`);
  }
  if (known.isEagle !== isEagle) {
    throw conflict(`is_eagle mismatch ${place}: existing=${known.isEagle} requested=${isEagle}`);
  }
}

function conflict(message: string): RoutingError {
  return new RoutingError(message, { code: "worker_conflict" });
}
