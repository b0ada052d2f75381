import { CatalogueWorker } from "./catalogue-worker.ts";
import { canonicalEndpoint } from "./endpoint.ts";
import { EndpointIndex } from "./endpoint-index.ts";
import { Slots } from "./slots.ts";
import type { Worker, WorkerHealth, WorkerId, WorkerRank, WorkerRole, WorkerSpec } from "./worker.ts";

/** Told synchronously, in order, of what changes in a catalogue. A listener must not change the catalogue. */
export interface CatalogueListener {
  onAdded?(rank: WorkerRank): void;
  /** Drop everything kept under `rank.slot`: the slot may go to another rank once the last listener returned. */
  onRemoved?(rank: WorkerRank): void;
  /** Models, labels, endpoint, health or draining of a worker changed; its slots did not. */
  onUpdated?(worker: Worker): void;
  /** A request was sent to a worker; the listener may change the worker's health. @param isReached false: nobody answered there */
  onTried?(worker: Worker, isReached: boolean): void;
  /** A rank publishes its events elsewhere from here on: what was learned from the old source may be wrong. */
  onSourceChanged?(rank: WorkerRank): void;
}

/** Who exists: workers by id and by endpoint, the slots of their ranks, their health and draining state. */
export class Catalogue {
  readonly #workers = new Map<WorkerId, CatalogueWorker>();
  readonly #endpoints = new EndpointIndex<CatalogueWorker>();
  readonly #slots = new Slots();
  readonly #ranks: (WorkerRank | undefined)[] = [];
  readonly #ranksByModel = new Map<string | undefined, readonly WorkerRank[]>();
  #roles: ReadonlySet<WorkerRole> | undefined;
  readonly #listeners = new Set<CatalogueListener>();

  get size(): number {
    return this.#workers.size;
  }

  /** No slot in use is >= this: the length that per-slot arrays need. */
  get slotLimit(): number {
    return this.#slots.limit;
  }

  /**
   * Adds a worker, or updates the one of this id; another incarnation, rank layout or (unless it is addressed by callers)
   * endpoint or event source makes it another worker, which takes the place of the first.
   * @throws RangeError for an endpoint that is not `host:port`, or a rank layout out of range
   */
  put(spec: WorkerSpec): Worker {
    const endpoint = checkedEndpoint(spec);
    const known = this.#workers.get(spec.id);
    if (known === undefined) return this.#add(spec, endpoint);
    if (!known.isSameAs(spec, endpoint)) {
      this.remove(spec.id);
      return this.#add(spec, endpoint);
    }
    const moved = known.movedRanks(spec);
    if (known.endpoint === endpoint) known.update(spec, endpoint);
    else this.#readdress(known, spec, endpoint);
    this.#membersChanged();
    this.#tell((listener) => listener.onUpdated?.(known));
    for (const rank of moved) this.#tell((listener) => listener.onSourceChanged?.(rank));
    return known;
  }

  /** @returns false when the id is not in the catalogue */
  remove(id: WorkerId): boolean {
    const worker = this.#workers.get(id);
    if (worker === undefined) return false;
    this.#workers.delete(id);
    this.#endpoints.remove(worker);
    this.#membersChanged();
    for (const rank of worker.ranks) this.#ranks[rank.slot] = undefined;
    for (const rank of worker.ranks) this.#tell((listener) => listener.onRemoved?.(rank));
    for (const rank of worker.ranks) this.#slots.give(rank.slot);
    return true;
  }

  /** Makes the catalogue hold exactly these workers. @throws RangeError as `put`, before anything changed */
  replaceAll(specs: readonly WorkerSpec[]): void {
    for (const spec of specs) checkedEndpoint(spec);
    const ids = new Set(specs.map(({ id }) => id));
    for (const id of [...this.#workers.keys()]) if (!ids.has(id)) this.remove(id);
    for (const spec of specs) this.put(spec);
  }

  get(id: WorkerId): Worker | undefined {
    return this.#workers.get(id);
  }

  /** The worker at `host:port`, compared in canonical form; the youngest one when several claim it. */
  byEndpoint(endpoint: string): Worker | undefined {
    return this.#endpoints.at(endpoint);
  }

  workers(): IterableIterator<Worker> {
    return this.#workers.values();
  }

  rankAt(slot: number): WorkerRank | undefined {
    return this.#ranks[slot];
  }

  /**
   * Every rank that serves `model` (undefined = every rank), by worker id, then dp rank. The list is never changed: a
   * change of the catalogue makes another one.
   */
  ranksFor(model: string | undefined): readonly WorkerRank[] {
    const known = this.#ranksByModel.get(model);
    if (known !== undefined) return known;
    const serving = [...this.#workers.values()].filter((worker) => worker.serves(model));
    serving.sort((a, b) => (a.id < b.id ? -1 : 1));
    const ranks = serving.flatMap((worker) => worker.ranks);
    // Bounded, since clients choose these names and a worker may serve any model.
    if (this.#ranksByModel.size >= maxRememberedModels) this.#ranksByModel.clear();
    this.#ranksByModel.set(model, ranks);
    return ranks;
  }

  /** Whether any worker has this role. */
  hasRole(role: WorkerRole): boolean {
    this.#roles ??= new Set([...this.#workers.values()].map((worker) => worker.role));
    return this.#roles.has(role);
  }

  /**
   * Workers that a subset hint names. An entry is `ip:port`, `ip` (all its ports), `host[:port]`, or several of them in one
   * comma string; what names no worker is passed over.
   */
  matchSubset(entries: readonly string[]): ReadonlySet<Worker> {
    const workers = new Set<Worker>();
    for (const list of entries) {
      for (const entry of list.split(",")) {
        for (const worker of this.#endpoints.matching(entry.trim())) workers.add(worker);
      }
    }
    return workers;
  }

  /** A verdict on a worker that is gone is passed over. */
  setHealth(worker: Worker, health: WorkerHealth): void {
    const own = this.#workers.get(worker.id);
    if (own !== worker || own.health === health) return;
    own.health = health;
    this.#tell((listener) => listener.onUpdated?.(own));
  }

  /** Tells how sending a request to a worker went. */
  noteTry(worker: Worker, isReached: boolean): void {
    if (this.#workers.get(worker.id) === worker) this.#tell((listener) => listener.onTried?.(worker, isReached));
  }

  setDraining(worker: Worker, isDraining: boolean): void {
    const own = this.#workers.get(worker.id);
    if (own !== worker || own.isDraining === isDraining) return;
    own.isDraining = isDraining;
    this.#tell((listener) => listener.onUpdated?.(own));
  }

  /** @returns unsubscribes */
  subscribe(listener: CatalogueListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops what was derived from the members. */
  #membersChanged(): void {
    this.#ranksByModel.clear();
    this.#roles = undefined;
  }

  #add(spec: WorkerSpec, endpoint: string): Worker {
    const worker = new CatalogueWorker(spec, endpoint, () => this.#slots.take());
    this.#workers.set(worker.id, worker);
    this.#endpoints.add(worker);
    this.#membersChanged();
    for (const rank of worker.ranks) this.#ranks[rank.slot] = rank;
    for (const rank of worker.ranks) this.#tell((listener) => listener.onAdded?.(rank));
    return worker;
  }

  #readdress(worker: CatalogueWorker, spec: WorkerSpec, endpoint: string): void {
    this.#endpoints.remove(worker);
    worker.update(spec, endpoint);
    this.#endpoints.add(worker);
  }

  #tell(event: (listener: CatalogueListener) => void): void {
    for (const listener of this.#listeners) event(listener);
  }
}

const maxRememberedModels = 1_024;

/** Most ranks of one worker: a layout beyond it is a typing error, and would take as many slots. */
const maxDpSize = 4_096;

function checkedEndpoint(spec: WorkerSpec): string {
  const endpoint = canonicalEndpoint(spec.endpoint) ?? (spec.isCallerAddressed === true ? spec.endpoint : undefined);
  if (endpoint === undefined)
    throw new RangeError(`worker ${spec.name}: endpoint must be host:port, got ${spec.endpoint}`);
  if (!(Number.isInteger(spec.dpSize) && spec.dpSize >= 1 && spec.dpSize <= maxDpSize)) {
    throw new RangeError(`worker ${spec.name}: dpSize must be a whole number in [1, ${maxDpSize}], got ${spec.dpSize}`);
  }
  if (!(Number.isInteger(spec.dpRankStart) && spec.dpRankStart >= 0)) {
    throw new RangeError(`worker ${spec.name}: dpRankStart must be a whole number >= 0, got ${spec.dpRankStart}`);
  }
  return endpoint;
}
