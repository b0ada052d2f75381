import type { KubeApi } from "./kube-api.ts";
import { type RewriteRule, readModelRewrite, rulesByAge } from "./model-rewrites.ts";
import { prioritiesOf, readObjective } from "./objectives.ts";
import type { Policy } from "./policy.ts";
import { Reflector, type Watched } from "./reflector.ts";
import type { ReflectorEnvironment, ReflectorOptions } from "./reflector-options.ts";

/** Groups in which the kinds exist, the newer one first: of one name in both, the newer one's counts. */
const groups = ["llm-d.ai", "inference.networking.x-k8s.io"] as const;

export interface PoolPoliciesOptions extends ReflectorOptions {
  readonly namespace: string;
  readonly poolName: string;
  readonly poolGroup: string;
}

/** Told of what holds for requests to the pool, whole, whenever it changes. */
export interface PoliciesSink {
  /** Priority by the name of an InferenceObjective. */
  prioritiesChanged(priorities: ReadonlyMap<string, number>): void;
  /** Rules of the InferenceModelRewrites, those that go first first. */
  rewritesChanged(rules: readonly RewriteRule[]): void;
}

/** Watches the InferenceObjectives and InferenceModelRewrites of one pool. Kinds that are not installed are asked for again now and then. */
export class PoolPolicies {
  readonly #watches: readonly Pick<Reflector<unknown>, "start" | "close" | "settled">[];

  constructor(api: KubeApi, options: PoolPoliciesOptions, sink: PoliciesSink, environment: ReflectorEnvironment) {
    const watchAll = <T extends Policy>(
      plural: string,
      read: Watched<T>["read"],
      changed: (policies: readonly T[]) => void,
    ): readonly Reflector<T>[] => {
      const known = groups.map(() => new Map<string, T>());
      const tell = () =>
        changed(known.flatMap((policies) => [...policies.values()].filter((policy) => isOf(policy, options))));
      return groups.map((group, i) => {
        const path = `/apis/${group}/v1alpha2/namespaces/${options.namespace}/${plural}`;
        const watched = { resource: `${plural}.${group}`, path, query: {}, read };
        return new Reflector(api, watched, new Kept(known[i] ?? new Map(), tell), options, environment);
      });
    };
    this.#watches = [
      ...watchAll("inferenceobjectives", readObjective, (all) => sink.prioritiesChanged(prioritiesOf(all))),
      ...watchAll("inferencemodelrewrites", readModelRewrite, (all) => sink.rewritesChanged(rulesByAge(all))),
    ];
  }

  start(): void {
    for (const watch of this.#watches) watch.start();
  }

  /** Resolves once they are known, or it is known that they cannot be. */
  async settled(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.settled));
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches.map((watch) => watch.close()));
  }
}

function isOf(policy: Policy, { poolName, poolGroup }: PoolPoliciesOptions): boolean {
  return policy.poolName === poolName && policy.poolGroup === poolGroup;
}

/** Keeps the objects of one group. */
class Kept<T> {
  readonly #objects: Map<string, T>;
  readonly #changed: () => void;

  constructor(objects: Map<string, T>, changed: () => void) {
    this.#objects = objects;
    this.#changed = changed;
  }

  replaced(objects: ReadonlyMap<string, T>): void {
    const hadNone = this.#objects.size === 0;
    this.#objects.clear();
    for (const [name, object] of objects) this.#objects.set(name, object);
    if (!hadNone || objects.size > 0) this.#changed();
  }

  put(name: string, object: T): void {
    this.#objects.set(name, object);
    this.#changed();
  }

  removed(name: string): void {
    this.#objects.delete(name);
    this.#changed();
  }
}
