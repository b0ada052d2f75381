import type { HandoverSettings } from "./handover.ts";
import type {
  KvEventSource,
  ScoringCapability,
  Worker,
  WorkerHeaderSettings,
  WorkerHealth,
  WorkerId,
  WorkerRank,
  WorkerRole,
  WorkerSpec,
} from "./worker.ts";

/** The catalogue's own, writable view of a rank. */
export interface CatalogueRank extends WorkerRank {
  kvEvents: KvEventSource | undefined;
}

/** The catalogue's own, writable view of a worker. */
export class CatalogueWorker implements Worker {
  readonly id: WorkerId;
  readonly incarnation: string;
  readonly isCallerAddressed: boolean;
  readonly dpRankStart: number;
  readonly dpSize: number;
  readonly ranks: readonly CatalogueRank[];
  endpoint: string;
  kvEvents: readonly (KvEventSource | undefined)[];
  name: string;
  role: WorkerRole;
  models: readonly string[];
  adapters: ReadonlySet<string> | undefined;
  totalKvBlocks: number | undefined;
  taints: ReadonlySet<string>;
  labels: ReadonlyMap<string, string>;
  headers: WorkerHeaderSettings;
  metricsEndpoint: string | undefined;
  handover: HandoverSettings | undefined;
  scoring: ScoringCapability | undefined;
  healthPath: string | undefined;
  health: WorkerHealth = "unknown";
  isDraining = false;

  constructor(spec: WorkerSpec, endpoint: string, takeSlot: () => number) {
    this.id = spec.id;
    this.incarnation = spec.incarnation;
    this.isCallerAddressed = spec.isCallerAddressed ?? false;
    this.endpoint = endpoint;
    this.dpRankStart = spec.dpRankStart;
    this.dpSize = spec.dpSize;
    this.kvEvents = spec.kvEvents;
    this.name = spec.name;
    this.role = spec.role;
    this.models = spec.models;
    this.adapters = spec.adapters;
    this.totalKvBlocks = spec.totalKvBlocks;
    this.taints = spec.taints;
    this.labels = spec.labels;
    this.headers = spec.headers;
    this.metricsEndpoint = spec.metricsEndpoint;
    this.handover = spec.handover;
    this.scoring = spec.scoring;
    this.healthPath = spec.healthPath;
    this.ranks = Array.from({ length: spec.dpSize }, (_, i) => ({
      worker: this,
      dpRank: spec.dpRankStart + i,
      slot: takeSlot(),
      kvEvents: spec.kvEvents[i],
    }));
  }

  /** Whether what KV and load state hang on is as in `spec`; else it describes another worker. */
  isSameAs(spec: WorkerSpec, endpoint: string): boolean {
    return (
      this.incarnation === spec.incarnation &&
      this.isCallerAddressed === (spec.isCallerAddressed ?? false) &&
      this.dpRankStart === spec.dpRankStart &&
      this.dpSize === spec.dpSize &&
      (this.isCallerAddressed || (this.endpoint === endpoint && this.movedRanks(spec).length === 0))
    );
  }

  /** Ranks whose event source is another one in `spec`. */
  movedRanks(spec: WorkerSpec): readonly CatalogueRank[] {
    return this.ranks.filter((rank, i) => !isSameSource(rank.kvEvents, spec.kvEvents[i]));
  }

  /** Takes over what may change during an incarnation. */
  update(spec: WorkerSpec, endpoint: string): void {
    this.endpoint = endpoint;
    this.kvEvents = spec.kvEvents;
    for (const [i, rank] of this.ranks.entries()) rank.kvEvents = spec.kvEvents[i];
    this.name = spec.name;
    this.role = spec.role;
    this.models = spec.models;
    this.adapters = spec.adapters;
    this.totalKvBlocks = spec.totalKvBlocks;
    this.taints = spec.taints;
    this.labels = spec.labels;
    this.headers = spec.headers;
    this.metricsEndpoint = spec.metricsEndpoint;
    this.handover = spec.handover;
    this.scoring = spec.scoring;
    this.healthPath = spec.healthPath;
  }

  serves(model: string | undefined): boolean {
    return model === undefined || this.models.length === 0 || this.models.includes(model);
  }
}

function isSameSource(a: KvEventSource | undefined, b: KvEventSource | undefined): boolean {
  return a?.endpoint === b?.endpoint && a?.replayEndpoint === b?.replayEndpoint;
}
