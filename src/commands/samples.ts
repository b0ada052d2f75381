import type { Catalogue, WorkerRank } from "../fleet/index.ts";
import type { LoadTable, LoadView } from "../load/index.ts";
import type { ModelRegistry } from "../router/index.ts";
import type { ForeignSample, KvEventSample, ModelSample, RankSample, SampleSource } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";

/** What the metrics show of a running core. */
export class CoreSamples implements SampleSource {
  readonly #catalogue: Catalogue;
  readonly #loads: LoadTable;
  readonly #view: LoadView;
  readonly #models: ModelRegistry;
  readonly #counts: () => { readonly leases: number; readonly queued: number };
  readonly #kvEventsOf: (rank: WorkerRank) => KvEventSample | undefined;

  constructor(
    core: Pick<Core, "catalogue" | "loads" | "view" | "models" | "leases" | "queue">,
    kvEventsOf: (rank: WorkerRank) => KvEventSample | undefined,
  ) {
    this.#catalogue = core.catalogue;
    this.#loads = core.loads;
    this.#view = core.view;
    this.#models = core.models;
    this.#counts = () => ({ leases: core.leases.size, queued: core.queue?.size ?? 0 });
    this.#kvEventsOf = kvEventsOf;
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
          kvEvents: this.#kvEventsOf(rank),
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
