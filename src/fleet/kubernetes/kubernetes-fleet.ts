import type { Catalogue } from "../catalogue.ts";
import type { KubeApi } from "./kube-api.ts";
import { type Pod, readPod } from "./pod.ts";
import { PodFleet, type PodObserver } from "./pod-fleet.ts";
import type { PodDefaults } from "./pod-settings.ts";
import type { FleetModels } from "./pod-workers.ts";
import {
  experimentalGroup,
  isSamePool,
  isSameSelector,
  labelSelectorOf,
  type PoolReading,
  type PoolSpec,
  readPool,
} from "./pool.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorEnvironment, ReflectorObserver, ReflectorOptions } from "./reflector-options.ts";

/** Where the endpoints are described: by an InferencePool, or by the settings. */
export type EndpointSource = { readonly poolName: string; readonly poolGroup: string } | { readonly pool: PoolSpec };

export interface KubernetesFleetOptions extends ReflectorOptions {
  readonly namespace: string;
  readonly source: EndpointSource;
  readonly defaults: PodDefaults;
  /** Path of the health check; undefined = pods are not probed. */
  readonly healthPath: string | undefined;
  readonly models: FleetModels;
}

/** Told of what happens to the fleet as a whole. */
export interface KubernetesObserver extends ReflectorObserver, PodObserver {
  /** The pool is there, or is another one. */
  poolFound(pool: PoolSpec): void;
  /** There is none (any more): nothing can be picked. */
  poolGone(name: string): void;
  /** It cannot be used as it is, which counts as none. */
  poolRefused(name: string, fault: string): void;
}

export interface KubernetesFleetEnvironment extends Omit<ReflectorEnvironment, "observer"> {
  readonly observer: KubernetesObserver;
}

/**
 * Keeps the workers of a catalogue that are the pods of an InferencePool, or of a selector. Pods are looked at once the pool is known,
 * and again from the start when its selector changes. Works from `start` to `close`.
 */
export class KubernetesFleet {
  readonly #api: KubeApi;
  readonly #options: KubernetesFleetOptions;
  readonly #environment: KubernetesFleetEnvironment;
  readonly #fleet: PodFleet;
  readonly #poolWatch: Reflector<PoolReading> | undefined;
  readonly #closing = new Set<Promise<void>>();
  readonly #synced = Promise.withResolvers<void>();
  #podWatch: Reflector<Pod> | undefined;
  #pool: PoolSpec | undefined;
  /** Why there is no pool, as it was told last; empty = there is none, undefined = there is one, or nobody knows. */
  #lastFault: string | undefined;
  #isReady = false;
  #isClosed = false;
  /** Called whenever `isReady` has changed. */
  onReadiness: () => void = () => undefined;

  constructor(
    api: KubeApi,
    catalogue: Catalogue,
    options: KubernetesFleetOptions,
    environment: KubernetesFleetEnvironment,
  ) {
    this.#api = api;
    this.#options = options;
    this.#environment = environment;
    this.#fleet = new PodFleet(catalogue, this.#contextOf(noPool), environment.observer);
    this.#poolWatch = "pool" in options.source ? undefined : this.#watchOfPool(options.source);
  }

  /** Whether the pool and its pods are known. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when the fleet is ready for the first time. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  start(): void {
    const { source } = this.#options;
    if ("pool" in source) this.#usePool(source.pool);
    else this.#poolWatch?.start();
  }

  /** Ends the watches; the workers stay in the catalogue. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#poolWatch?.close(), this.#podWatch?.close(), ...this.#closing]);
  }

  #watchOfPool({ poolName, poolGroup }: Exclude<EndpointSource, { pool: unknown }>): Reflector<PoolReading> {
    const version = poolGroup === experimentalGroup ? "v1alpha2" : "v1";
    const path = `/apis/${poolGroup}/${version}/namespaces/${this.#options.namespace}/inferencepools`;
    const sink = {
      replaced: (pools: ReadonlyMap<string, PoolReading>) => this.#setPool(poolName, pools.get(poolName)),
      put: (name: string, pool: PoolReading) => this.#setPool(poolName, name === poolName ? pool : undefined),
      removed: () => this.#setPool(poolName, undefined),
    };
    const query = { fieldSelector: `metadata.name=${poolName}` };
    const watched = { resource: "inferencepools", path, query, read: readPool };
    return new Reflector(this.#api, watched, sink, this.#options, this.#environment);
  }

  #setPool(name: string, pool: PoolReading | undefined): void {
    if (pool !== undefined && pool !== "deleted" && !("fault" in pool)) {
      this.#lastFault = undefined;
      this.#usePool(pool);
      return;
    }
    this.#tellFault(name, typeof pool === "object" ? pool.fault : "");
    this.#dropPool();
  }

  /** Told once: lists say it again and again. @param fault empty = there is no pool */
  #tellFault(name: string, fault: string): void {
    if (fault === this.#lastFault) return;
    this.#lastFault = fault;
    const { observer } = this.#environment;
    if (fault === "") observer.poolGone(name);
    else observer.poolRefused(name, fault);
  }

  #usePool(pool: PoolSpec): void {
    const before = this.#pool;
    if (isSamePool(before, pool)) return;
    this.#pool = pool;
    this.#environment.observer.poolFound(pool);
    if (before !== undefined && isSameSelector(before, pool)) {
      this.#fleet.reshape(this.#contextOf(pool));
      return;
    }
    this.#endPodWatch();
    this.#fleet.reshape(this.#contextOf(pool));
    this.#watchPods(pool);
  }

  #dropPool(): void {
    this.#pool = undefined;
    this.#endPodWatch();
    this.#fleet.clear();
    this.#setReady(false);
  }

  /** The workers stay until the pods of the new selector are known. */
  #watchPods(pool: PoolSpec): void {
    const watch: Reflector<Pod> = new Reflector<Pod>(
      this.#api,
      {
        resource: "pods",
        path: `/api/v1/namespaces/${this.#options.namespace}/pods`,
        query: { labelSelector: labelSelectorOf(pool.selector) },
        read: readPod,
      },
      {
        replaced: (pods) => {
          this.#fleet.replaced(pods);
          this.#setReady(true);
        },
        put: (name, pod) => this.#fleet.put(name, pod),
        removed: (name) => this.#fleet.removed(name),
      },
      this.#options,
      this.#environment,
    );
    this.#podWatch = watch;
    watch.start();
  }

  #endPodWatch(): void {
    const closed = this.#podWatch?.close().finally(() => this.#closing.delete(closed ?? Promise.resolve()));
    if (closed !== undefined) this.#closing.add(closed);
    this.#podWatch = undefined;
  }

  #setReady(isReady: boolean): void {
    if (this.#isReady === isReady || this.#isClosed) return;
    this.#isReady = isReady;
    if (isReady) this.#synced.resolve();
    this.onReadiness();
  }

  #contextOf(pool: PoolSpec) {
    const { defaults, healthPath, models } = this.#options;
    return { pool, defaults, healthPath, models };
  }
}

const noPool: PoolSpec = { selector: new Map(), targetPorts: [], isH2c: false };
