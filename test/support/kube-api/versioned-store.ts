import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { KubeInput, KubeObject } from "./kube-object.ts";
import { apiVersionOf, type ResourceKind } from "./resource-kinds.ts";
import { notFound, StatusError } from "./statuses.ts";

/** What happened to one object. */
export interface Change {
  /** Of the whole store after the change; the object bears it as `resourceVersion`. */
  readonly version: number;
  readonly kind: ResourceKind;
  /** Before; undefined = it was created. */
  readonly before: KubeObject | undefined;
  /** After; undefined = it was deleted. */
  readonly after: KubeObject | undefined;
}

/** Objects of all kinds under one growing version, with the latest changes. */
export class VersionedStore {
  readonly #objects = new Map<ResourceKind, Map<string, KubeObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #keptChanges: number;
  #changes: Change[] = [];
  #version: number;
  #oldest: number;

  /**
   * @param keptChanges latest changes that a watch can start from
   * @param version of the empty store: a cluster is never at 0
   */
  constructor(keptChanges = 1_000, version = 1_000) {
    this.#keptChanges = keptChanges;
    this.#version = version;
    this.#oldest = version;
  }

  get version(): number {
    return this.#version;
  }

  /** Every change after this version is known. */
  get oldest(): number {
    return this.#oldest;
  }

  /** By namespace, then name. */
  list(kind: ResourceKind): readonly KubeObject[] {
    return [...(this.#objects.get(kind) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  get(kind: ResourceKind, namespace: string, name: string): KubeObject {
    const object = this.#objects.get(kind)?.get(`${namespace}/${name}`);
    if (object === undefined) throw notFound(`${kind.plural} "${name}"`);
    return object;
  }

  create(kind: ResourceKind, namespace: string, input: KubeInput): KubeObject {
    const { name } = input.metadata;
    if (this.#objects.get(kind)?.has(`${namespace}/${name}`)) {
      throw new StatusError(`${kind.plural} "${name}" already exists`, { code: 409, reason: "AlreadyExists" });
    }
    const object: KubeObject = {
      ...input,
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: {
        ...input.metadata,
        namespace,
        uid: randomUUID(),
        generation: 1,
        creationTimestamp: secondsStamp(),
        resourceVersion: "",
      },
    };
    return this.#keep(kind, undefined, object);
  }

  /** @param change of the object as it is; a change to what it was already is none, and no event */
  update(kind: ResourceKind, namespace: string, name: string, change: (object: KubeObject) => KubeObject): KubeObject {
    const before = this.get(kind, namespace, name);
    const after = change(before);
    if (isDeepStrictEqual(before, after)) return before;
    const isSpecChanged = !isDeepStrictEqual(before.spec, after.spec);
    const generation = before.metadata.generation + (isSpecChanged ? 1 : 0);
    const kept = this.#keep(kind, before, { ...after, metadata: { ...after.metadata, generation } });
    const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = kept.metadata;
    const isOver = deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0 && finalizers.length === 0;
    if (isOver) this.#drop(kind, kept);
    return kept;
  }

  /**
   * Stamps it, and drops it when it has neither a grace period nor finalizers; else it goes with a second call of 0, or with its last
   * finalizer. Objects that know no grace period are dropped without a stamp.
   */
  delete(kind: ResourceKind, namespace: string, name: string, graceSeconds = 0): KubeObject {
    const object = this.get(kind, namespace, name);
    const { finalizers = [] } = object.metadata;
    if (kind.isCustom && finalizers.length === 0) return this.#drop(kind, object);
    const deletionTimestamp = object.metadata.deletionTimestamp ?? secondsStamp();
    return this.update(kind, namespace, name, (each) => ({
      ...each,
      metadata: {
        ...each.metadata,
        deletionTimestamp,
        deletionGracePeriodSeconds: kind.isCustom ? 0 : graceSeconds,
      },
    }));
  }

  /** The changes after `version`, oldest first. @returns undefined when some of them are forgotten */
  since(version: number): readonly Change[] | undefined {
    if (version < this.#oldest) return undefined;
    return this.#changes.filter((change) => change.version > version);
  }

  /** Forgets all changes, as etcd does in time: a watch can start from the present state only. */
  compact(): void {
    this.#version++;
    this.#oldest = this.#version;
    this.#changes = [];
  }

  /** @returns unsubscribes */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #keep(kind: ResourceKind, before: KubeObject | undefined, object: KubeObject): KubeObject {
    const after = versioned(object, ++this.#version);
    const { namespace, name } = after.metadata;
    const objects = this.#objects.get(kind) ?? new Map<string, KubeObject>();
    this.#objects.set(kind, objects.set(`${namespace}/${name}`, after));
    this.#tell({ version: this.#version, kind, before, after });
    return after;
  }

  #drop(kind: ResourceKind, object: KubeObject): KubeObject {
    const { namespace, name } = object.metadata;
    this.#objects.get(kind)?.delete(`${namespace}/${name}`);
    this.#tell({ version: ++this.#version, kind, before: object, after: undefined });
    return object;
  }

  #tell(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length > this.#keptChanges) this.#oldest = this.#changes.shift()?.version ?? this.#oldest;
    for (const listener of this.#listeners) listener(change);
  }
}

/** The same object at another version. */
export function versioned(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
}

function secondsStamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, "Z");
}
