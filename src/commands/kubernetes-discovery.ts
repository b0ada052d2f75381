import { performance } from "node:perf_hooks";
import { type Config, ConfigError, isInKubernetes } from "../config/index.ts";
import {
  ClusterClient,
  type EndpointSource,
  type FleetModels,
  KubernetesFleet,
  type KubernetesFleetOptions,
  type PodDefaults,
  PoolPolicies,
  parseLabelSelector,
  type RewriteRule,
  systemTimers,
} from "../fleet/index.ts";
import type { Logger } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";
import { kubernetesLog } from "./kubernetes-log.ts";
import { handoverOf, scoringOf } from "./worker-entries.ts";

/** Workers found through the Kubernetes API, from `start` to `close`. */
export class KubernetesDiscovery {
  readonly #fleet: KubernetesFleet;
  readonly #client: ClusterClient;
  readonly #policies: PoolPolicies | undefined;

  private constructor(fleet: KubernetesFleet, policies: PoolPolicies | undefined, client: ClusterClient) {
    this.#fleet = fleet;
    this.#policies = policies;
    this.#client = client;
  }

  /** @returns undefined where the settings name neither a pool nor a selector. Rejects when the credentials cannot be read */
  static async start(
    config: Config,
    core: Pick<Core, "catalogue" | "objectives" | "rewrites">,
    log: Logger,
  ): Promise<KubernetesDiscovery | undefined> {
    if (!isInKubernetes(config)) return undefined;
    const client = await open(config);
    const namespace = config.kubernetes.namespace ?? client.namespace ?? "default";
    const environment = {
      timers: systemTimers,
      random: Math.random,
      now: () => performance.now(),
      observer: kubernetesLog(log.child({ namespace })),
    };
    const fleet = new KubernetesFleet(client, core.catalogue, fleetOptions(config, namespace), environment);
    const policies = policiesOf(config, namespace, core, client, environment);
    policies?.start();
    fleet.start();
    return new KubernetesDiscovery(fleet, policies, client);
  }

  /** Resolves when pool, pods and policies are known for the first time. */
  async synced(): Promise<void> {
    await Promise.all([this.#fleet.synced, this.#policies?.settled()]);
  }

  /** Calls back now, and whenever it changes, with whether pool and pods are known. */
  onReadiness(changed: (isReady: boolean) => void): void {
    this.#fleet.onReadiness = () => changed(this.#fleet.isReady);
    changed(this.#fleet.isReady);
  }

  async close(): Promise<void> {
    await Promise.all([this.#fleet.close(), this.#policies?.close()]);
    await this.#client.close();
  }
}

async function open({ kubernetes }: Config): Promise<ClusterClient> {
  try {
    const { kubeconfig, context, ...limits } = kubernetes;
    return await ClusterClient.open({ ...limits, kubeconfig, context });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError([`kubernetes.kubeconfig: ${reason}`], { cause });
  }
}

function fleetOptions(config: Config, namespace: string): KubernetesFleetOptions {
  const { kubernetes, fleet } = config;
  return {
    ...kubernetes,
    maxObjects: kubernetes.maxPods,
    namespace,
    source: sourceOf(kubernetes),
    defaults: podDefaults(kubernetes),
    healthPath: fleet.healthCheck.enabled ? fleet.healthCheck.path : undefined,
    models: fleetModels(config),
  };
}

/** Objectives and rewrites refer to a pool by its name. */
function policiesOf(
  { kubernetes }: Config,
  namespace: string,
  { objectives, rewrites }: Pick<Core, "objectives" | "rewrites">,
  client: ClusterClient,
  environment: ConstructorParameters<typeof PoolPolicies>[3],
): PoolPolicies | undefined {
  const { poolName } = kubernetes;
  if (poolName === undefined) return undefined;
  const sink = {
    prioritiesChanged: (priorities: ReadonlyMap<string, number>) => objectives.discovered(priorities),
    rewritesChanged: (rules: readonly RewriteRule[]) => rewrites.discovered(rules),
  };
  return new PoolPolicies(client, { ...kubernetes, poolName, namespace }, sink, environment);
}

function sourceOf({ poolName, poolGroup, endpointSelector = "", targetPorts }: Config["kubernetes"]): EndpointSource {
  if (poolName !== undefined) return { poolName, poolGroup };
  return { pool: { selector: parseLabelSelector(endpointSelector), targetPorts, isH2c: false } };
}

function podDefaults({ workers, handovers }: Config["kubernetes"]): PodDefaults {
  const { role, dpSize, ports, totalKvBlocks, headers, scoring } = workers;
  return {
    role,
    dpSize,
    kvEventsPort: ports.kvEvents,
    kvReplayPort: ports.kvReplay,
    metricsPort: ports.metrics,
    totalKvBlocks,
    headers: { sendsDataParallelRank: headers.dataParallelRank, sendsPrefillHost: headers.prefillHost },
    handovers: new Map(handovers.map(({ role: of, ...handover }) => [of, handoverOf(handover)])),
    scoring: scoring && scoringOf(scoring),
  };
}

function fleetModels({ models }: Config): FleetModels {
  const byName = new Map(
    models.flatMap((model) => [model.name, ...model.aliases].map((name) => [name, model] as const)),
  );
  return { all: models.map(({ name }) => name), named: (name) => byName.get(name) };
}
