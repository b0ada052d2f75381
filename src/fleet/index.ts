export type { CatalogueListener } from "./catalogue.ts";
export { Catalogue } from "./catalogue.ts";
export type {
  KvEventSource,
  Worker,
  WorkerHeaderSettings,
  WorkerHealth,
  WorkerId,
  WorkerRank,
  WorkerRole,
  WorkerSpec,
} from "./worker.ts";
