import type { Catalogue, Worker, WorkerRank } from "../fleet/index.ts";
import type { LeaseTable, LoadTable, LoadView } from "../load/index.ts";
import type { ModelRegistry } from "../router/index.ts";
import type {
  ForeignSample,
  KvEventSample,
  ModelSample,
  RankSample,
  ReservationSample,
  SampleSource,
} from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";

/** What is known of the workers beside their place in the core. */
export interface WorkerSigns {
  kvEventsOf(rank: WorkerRank): KvEventSample | undefined;
  /** What is wrong with how a worker is set up. */
  problemsOf(worker: Worker): readonly { readonly kind: string }[];
  /** Whether other replicas tell what they have booked. Default false. */
  readonly isLoadShared?: boolean;
}

type SampledCore = Pick<Core, "catalogue" | "loads" | "view" | "models" | "leases" | "queue" | "sessions">;

/** What the metrics show of a running core. */
export class CoreSamples implements SampleSource {
  readonly #catalogue: Catalogue;
  readonly #loads: LoadTable;
  readonly #view: LoadView;
  readonly #models: ModelRegistry;
  readonly #leases: LeaseTable;
  readonly #queue: Core["queue"];
  readonly #sessions: Core["sessions"];
  readonly #signs: WorkerSigns;

  constructor(core: SampledCore, signs: WorkerSigns) {
    this.#catalogue = core.catalogue;
    this.#loads = core.loads;
    this.#view = core.view;
    this.#models = core.models;
    this.#leases = core.leases;
    this.#queue = core.queue;
    this.#sessions = core.sessions;
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
          engine: this.#view.reportOf(rank.slot),
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

  reservations(): ReservationSample {
    const { size, endCounts } = this.#leases;
    return { booked: this.#loads.reservationCount, leases: size, leaseEnds: { ...endCounts } };
  }

  get queued(): number {
    return this.#queue?.size ?? 0;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  *models(): Generator<ModelSample> {
    for (const { name, index } of this.#models.values()) {
      const { blocks, maxBlocks, orphans, usedBytes, evictedBlocks, refusedBlocks } = index.stats;
      yield {
        model: name,
        indexBlocks: blocks,
        maxIndexBlocks: maxBlocks,
        waitingBlocks: orphans,
        indexBytes: usedBytes,
        evictedBlocks,
        refusedBlocks,
      };
    }
  }
}
