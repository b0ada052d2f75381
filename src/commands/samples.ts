import type { Catalogue, Worker, WorkerRank } from "../fleet/index.ts";
import type { LoadTable, LoadView } from "../load/index.ts";
import type { ModelRegistry } from "../router/index.ts";
import type { ForeignSample, KvEventSample, ModelSample, RankSample, SampleSource } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";

/** What is known of the workers beside their place in the core. */
export interface WorkerSigns {
  kvEventsOf(rank: WorkerRank): KvEventSample | undefined;
  /** What is wrong with how a worker is set up. */
  problemsOf(worker: Worker): readonly { readonly kind: string }[];
  /** Whether other replicas tell what they have booked. Default false. */
  readonly isLoadShared?: boolean;
}

/** What the metrics show of a running core. */
export class CoreSamples implements SampleSource {
  readonly #catalogue: Catalogue;
  readonly #loads: LoadTable;
  readonly #view: LoadView;
  readonly #models: ModelRegistry;
  readonly #counts: () => { readonly leases: number; readonly queued: number };
  readonly #signs: WorkerSigns;

  constructor(core: Pick<Core, "catalogue" | "loads" | "view" | "models" | "leases" | "queue">, signs: WorkerSigns) {
    this.#catalogue = core.catalogue;
    this.#loads = core.loads;
    this.#view = core.view;
    this.#models = core.models;
    this.#counts = () => ({ leases: core.leases.size, queued: core.queue?.size ?? 0 });
    this.#signs = signs;
  }

  *ranks(): Generator<RankSample> {
    for (const worker of this.#catalogue.workers()) {
      for (const rank of worker.ranks) {
        yield {
          worker: worker.name,
          dpRank: rank.dpRank,
          isEligible: worker.health !== "unhealthy" && !worker.isDraining,
          activeRequests: this.#loads.activeRequests(rank.slot),
          activePrefillTokens: this.#loads.activePrefillTokens(rank.slot),
          activeDecodeBlocks: this.#loads.activeDecodeBlocks(rank.slot),
          foreign: this.#foreignOf(rank),
          siblings: this.#signs.isLoadShared === true ? this.#view.siblingLoad(rank.slot) : undefined,
          problems: this.#signs.problemsOf(worker),
          kvEvents: this.#signs.kvEventsOf(rank),
        };
      }
    }
  }

  #foreignOf({ slot }: WorkerRank): ForeignSample | undefined {
    const foreign = this.#view.foreignLoad(slot);
    return foreign && { ...foreign, ageMs: this.#view.reportAgeMs(foreign) };
  }

  counts(): { readonly leases: number; readonly queued: number } {
    return this.#counts();
  }

  *models(): Generator<ModelSample> {
    for (const { name, index } of this.#models.values()) {
      const { blocks, usedBytes, evictedBlocks } = index.stats;
      yield { model: name, indexBlocks: blocks, indexBytes: usedBytes, evictedBlocks };
    }
  }
}
