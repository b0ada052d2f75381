import type { Catalogue } from "../catalogue.ts";
import type { Worker, WorkerId, WorkerSpec } from "../worker.ts";
import type { Pod } from "./pod.ts";
import { type PodWorkersContext, workersOfPod } from "./pod-workers.ts";
import type { ReflectorSink } from "./reflector.ts";

/** Told of what keeps a pod from being used as it says. */
export interface PodObserver {
  /** Told once for each pod, setting and value. */
  refusedSetting(pod: string, key: string, value: string, expected: string): void;
  /** Another worker has the id of one of the pod's. */
  refusedId(pod: string, id: WorkerId): void;
}

interface KnownPod {
  pod: Pod;
  /** As its workers were told last. */
  wasReady: boolean;
  /** Ids of its workers that are in the catalogue. */
  ids: ReadonlySet<WorkerId>;
  /** Settings that were told to be unusable. */
  readonly refused: Set<string>;
  /** Ids of its workers that were left out, since others have them. */
  missing: readonly WorkerId[];
}

/** Most settings of a pod that are remembered as told. */
const maxRefused = 64;

/**
 * Keeps the workers of a catalogue that are pods. A pod comes in once it is ready; one that is not ready any more, or is being deleted,
 * gets nothing new and keeps what it has, until it is gone.
 */
export class PodFleet implements ReflectorSink<Pod> {
  readonly #catalogue: Catalogue;
  readonly #observer: PodObserver;
  readonly #pods = new Map<string, KnownPod>();
  readonly #owners = new Map<WorkerId, KnownPod>();
  #context: PodWorkersContext;

  constructor(catalogue: Catalogue, context: PodWorkersContext, observer: PodObserver) {
    this.#catalogue = catalogue;
    this.#context = context;
    this.#observer = observer;
  }

  /** Pods that are workers. */
  get size(): number {
    return this.#pods.size;
  }

  replaced(pods: ReadonlyMap<string, Pod>): void {
    const gone = [...this.#pods.keys()].filter((name) => !pods.has(name));
    const areDropped = gone.map((name) => this.#forget(name));
    if (areDropped.includes(true)) this.#placeIncomplete();
    for (const [name, pod] of pods) this.put(name, pod);
  }

  put(name: string, pod: Pod): void {
    const before = this.#pods.get(name);
    const isSamePod = before?.pod.uid === pod.uid;
    if (before !== undefined && !isSamePod) this.removed(name);
    if (pod.isOver || pod.ip === undefined) {
      this.removed(name);
      return;
    }
    if (!pod.isReady && !isSamePod) return;
    // A list tells of every pod, and nearly all of them are as they were.
    if (before !== undefined && isSettled(before, pod)) return;
    const known = isSamePod && before !== undefined ? before : newPod(pod);
    known.pod = pod;
    this.#pods.set(name, known);
    this.#place(known);
  }

  removed(name: string): void {
    if (this.#forget(name)) this.#placeIncomplete();
  }

  /** The pool has other ports from here on. */
  reshape(context: PodWorkersContext): void {
    this.#context = context;
    for (const known of this.#pods.values()) this.#place(known);
  }

  clear(): void {
    for (const name of [...this.#pods.keys()]) this.#forget(name);
  }

  /** @returns whether ids have become free */
  #forget(name: string): boolean {
    const known = this.#pods.get(name);
    if (known === undefined) return false;
    this.#pods.delete(name);
    for (const id of known.ids) this.#drop(id);
    return known.ids.size > 0;
  }

  #place(known: KnownPod): void {
    const specs = workersOfPod(known.pod, this.#context, (key, value, expected) =>
      this.#refuse(known, key, value, expected),
    );
    const kept = specs.filter(({ id }) => this.#isFree(id, known));
    const missing = specs.filter((spec) => !kept.includes(spec)).map(({ id }) => id);
    if (known.missing.length === 0) for (const id of missing) this.#observer.refusedId(known.pod.name, id);
    known.missing = missing;
    const ids = new Set(kept.map(({ id }) => id));
    for (const id of known.ids) if (!ids.has(id)) this.#drop(id);
    known.ids = ids;
    for (const spec of kept) this.#put(known, spec);
    known.wasReady = known.pod.isReady;
  }

  #put(known: KnownPod, spec: WorkerSpec): void {
    const before = this.#catalogue.get(spec.id);
    this.#owners.set(spec.id, known);
    const worker = before !== undefined && isAsBefore(before, spec) ? before : this.#catalogue.put(spec);
    // Only a change of the pod's: whoever drains a worker for another reason is not overruled by each event.
    const { isReady } = known.pod;
    if (worker !== before || isReady !== known.wasReady) this.#catalogue.setDraining(worker, !isReady);
  }

  #drop(id: WorkerId): void {
    this.#owners.delete(id);
    this.#catalogue.remove(id);
  }

  /** Whether no other pod, and nobody else, has the id. */
  #isFree(id: WorkerId, known: KnownPod): boolean {
    const owner = this.#owners.get(id);
    return owner === known || (owner === undefined && this.#catalogue.get(id) === undefined);
  }

  /** Ids have become free. Of many pods that want the same one only the first is looked at in full. */
  #placeIncomplete(): void {
    for (const known of this.#pods.values())
      if (known.missing.some((id) => this.#isFree(id, known))) this.#place(known);
  }

  #refuse(known: KnownPod, key: string, value: string, expected: string): void {
    const told = `${key}=${value}`;
    if (known.refused.has(told) || known.refused.size >= maxRefused) return;
    known.refused.add(told);
    this.#observer.refusedSetting(known.pod.name, key, value, expected);
  }
}

/** Whether a pod is as it was, and all its workers have their places. */
function isSettled({ pod, missing }: KnownPod, { uid, version }: Pod): boolean {
  return missing.length === 0 && pod.uid === uid && version !== undefined && pod.version === version;
}

function newPod(pod: Pod): KnownPod {
  return { pod, wasReady: pod.isReady, ids: new Set(), refused: new Set(), missing: [] };
}

/** Status updates of pods are frequent and say nothing new as a rule. */
function isAsBefore(worker: Worker, spec: WorkerSpec): boolean {
  return keyOf(worker) === keyOf(spec);
}

function keyOf(spec: WorkerSpec): string {
  const { labels, taints, kvEvents, handover, headers, adapters } = spec;
  return JSON.stringify([
    [spec.incarnation, spec.name, spec.endpoint, spec.role, spec.models, spec.dpRankStart, spec.dpSize],
    [spec.totalKvBlocks, spec.metricsEndpoint, spec.healthPath],
    [[...labels], [...taints], kvEvents, headers, adapters && [...adapters]],
    handover === undefined ? undefined : { ...handover, ignoredOn: [...handover.ignoredOn] },
  ]);
}
