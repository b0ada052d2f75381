import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  Catalogue,
  ClusterClient,
  type EndpointSource,
  KubernetesFleet,
  type KubernetesFleetOptions,
  type KubernetesObserver,
  systemTimers,
} from "../../../src/fleet/index.ts";
import {
  inferencePools,
  type KubeApiOptions,
  KubeApiServer,
  KubeClient,
  type KubeInput,
  type KubeObject,
  kubeconfig,
  pods,
} from "../../support/kube-api/index.ts";

export const namespace = "serving";

/** What the fleet told, a line each. */
class Told implements KubernetesObserver {
  readonly lines: string[] = [];

  poolFound = () => this.lines.push("pool found");
  poolGone = (name: string) => this.lines.push(`pool ${name} gone`);
  poolRefused = (name: string, fault: string) => this.lines.push(`pool ${name}: ${fault}`);
  lost = (resource: string) => this.lines.push(`${resource} lost`);
  recovered = (resource: string) => this.lines.push(`${resource} recovered`);
  missing = (resource: string) => this.lines.push(`${resource} missing`);
  overflowed = (resource: string) => this.lines.push(`${resource} overflowed`);
  refusedSetting = (pod: string, key: string, value: string) => this.lines.push(`${pod}: ${key}=${value}`);
  refusedId = (pod: string, id: bigint) => this.lines.push(`${pod}: id ${id}`);
}

/** A fleet that follows an API server. */
export class DiscoveredFleet {
  readonly api: KubeApiServer;
  readonly kube: KubeClient;
  readonly catalogue = new Catalogue();
  readonly told = new Told();
  readonly fleet: KubernetesFleet;
  readonly #client: ClusterClient;
  readonly #folder: string;

  private constructor(
    api: KubeApiServer,
    client: ClusterClient,
    folder: string,
    options: Partial<KubernetesFleetOptions>,
    token: string | undefined,
  ) {
    this.api = api;
    this.#client = client;
    this.#folder = folder;
    this.kube = new KubeClient({ url: api.url, ...(token === undefined ? {} : { token }) }, namespace);
    this.fleet = new KubernetesFleet(
      client,
      this.catalogue,
      { ...defaultOptions, ...options },
      { timers: systemTimers, random: () => 0, now: () => performance.now(), observer: this.told },
    );
  }

  static async start(
    options: Partial<KubernetesFleetOptions> = {},
    apiOptions: KubeApiOptions = {},
  ): Promise<DiscoveredFleet> {
    const api = await KubeApiServer.start(apiOptions);
    const folder = await mkdtemp(join(tmpdir(), "fleet-"));
    const file = join(folder, "kubeconfig");
    const { token } = apiOptions;
    await writeFile(file, kubeconfig({ url: api.url, ...(token === undefined ? {} : { token }) }, namespace));
    const client = await ClusterClient.open({
      kubeconfig: file,
      context: undefined,
      requestTimeoutMs: 5_000,
      watchIdleMs: 60_000,
      maxPageBytes: 1_048_576,
      maxEventBytes: 65_536,
    });
    return new DiscoveredFleet(api, client, folder, options, token);
  }

  /** `name endpoint`, sorted, with `draining` where it is. */
  get workers(): string[] {
    return [...this.catalogue.workers()]
      .map(({ name, endpoint, isDraining }) => `${name} ${endpoint}${isDraining ? " draining" : ""}`)
      .sort();
  }

  async createPool(name = "pool", spec: object = poolSpec): Promise<void> {
    await this.kube.create(inferencePools, { metadata: { name }, spec });
  }

  /** @param at last part of its address */
  async createPod(name: string, at: number, changes: Partial<KubeInput["metadata"]> = {}): Promise<KubeObject> {
    const metadata = { name, labels: { app: "vllm" }, ...changes };
    await this.kube.create(pods, { metadata, spec: { containers: [{ name: "engine" }] } });
    return this.setReady(name, at);
  }

  async setReady(name: string, at: number, isReady = true): Promise<KubeObject> {
    return this.kube.patchStatus(pods, name, {
      phase: "Running",
      podIP: `10.0.0.${at}`,
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
      containerStatuses: [{ name: "engine", restartCount: 0 }],
    });
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.#client.close();
    await this.kube.close();
    await this.api.stop();
    await rm(this.#folder, { recursive: true });
  }
}

const poolSpec = { selector: { matchLabels: { app: "vllm" } }, targetPorts: [{ number: 8000 }] };

const source: EndpointSource = { poolName: "pool", poolGroup: "inference.networking.k8s.io" };

const defaultOptions: KubernetesFleetOptions = {
  namespace,
  source,
  defaults: {
    role: "aggregated",
    dpSize: 1,
    kvEventsPort: undefined,
    kvReplayPort: undefined,
    metricsPort: undefined,
    totalKvBlocks: undefined,
    headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
    handovers: new Map(),
  },
  healthPath: "/health",
  models: { all: [], named: () => undefined },
  pageSize: 2,
  maxObjects: 100,
  reconnectMinMs: 5,
  reconnectMaxMs: 50,
  missingRetryMs: 10,
  watchTimeoutMs: 60_000,
};
