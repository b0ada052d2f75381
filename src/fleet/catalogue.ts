import type { Worker, WorkerHealth, WorkerId, WorkerRank, WorkerSpec } from "./worker.ts";

/** Told synchronously, in order, of what changes in a catalogue. A listener must not change the catalogue. */
export interface CatalogueListener {
  onAdded?(rank: WorkerRank): void;
  /** Drop everything kept under `rank.slot`: the slot is given to another rank after the last listener returns. */
  onRemoved?(rank: WorkerRank): void;
  /** Models, labels, health or draining of a worker changed; its slots did not. */
  onUpdated?(worker: Worker): void;
}

/** Who exists: workers by id and endpoint, their slots, health and draining state. */
export class Catalogue {
  /** Adds a worker, or updates the one of this id; another incarnation, endpoint, rank layout or event source replaces it. */
  put(_spec: WorkerSpec): Worker {
    throw new Error("todo");
  }
  /** @returns false when the id is not in the catalogue */
  remove(_id: WorkerId): boolean {
    throw new Error("todo");
  }
  /** Makes the catalogue hold exactly these workers. */
  replaceAll(_specs: readonly WorkerSpec[]): void {
    throw new Error("todo");
  }
  get(_id: WorkerId): Worker | undefined {
    throw new Error("todo");
  }
  /** The worker at `host:port`, compared in canonical form; the youngest one when several claim it. */
  byEndpoint(_endpoint: string): Worker | undefined {
    throw new Error("todo");
  }
  workers(): IterableIterator<Worker> {
    throw new Error("todo");
  }
  get size(): number {
    throw new Error("todo");
  }
  /** Every rank that serves `model` (undefined = every rank), ascending slot. The array is shared: hold it for one pick at most. */
  ranksFor(_model: string | undefined): readonly WorkerRank[] {
    throw new Error("todo");
  }
  rankAt(_slot: number): WorkerRank | undefined {
    throw new Error("todo");
  }
  /** One more than the greatest slot in use: the length that per-slot arrays need. */
  get slotLimit(): number {
    throw new Error("todo");
  }
  /** Workers that a subset hint names: entries `ip:port`, `ip` (all its ports) or `host[:port]`, or several in one comma string. */
  matchSubset(_entries: readonly string[]): ReadonlySet<Worker> {
    throw new Error("todo");
  }
  setHealth(_worker: Worker, _health: WorkerHealth): void {
    throw new Error("todo");
  }
  setDraining(_worker: Worker, _isDraining: boolean): void {
    throw new Error("todo");
  }
  /** @returns unsubscribes */
  subscribe(_listener: CatalogueListener): () => void {
    throw new Error("todo");
  }
}
