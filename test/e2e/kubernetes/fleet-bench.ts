import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inferencePools, KubeClient, kubeconfig, pods } from "../../support/kube-api/index.ts";
import { ask } from "../support/client.ts";
import { envoyBinary } from "../support/envoy-binary.ts";
import { freePorts } from "../support/free-ports.ts";
import { Gateway } from "../support/gateway.ts";
import type { PickerSettings } from "../support/picker.ts";
import { engineModel, mergeSettings } from "../support/picker-settings.ts";
import { opening } from "../support/prompts.ts";
import { until } from "../support/until.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";
import { SimPod, type SimPodOptions } from "./sim-pod.ts";

export const poolName = "pool";

/** Labels of the pods that the pool selects at first. */
export const poolLabels = { app: "engine" };

/** A picker that follows an InferencePool, a real Envoy before it, and pods that a test deploys. */
export class FleetBench {
  readonly cluster: ClusterUnderTest;
  readonly client: KubeClient;
  readonly gateway: Gateway;
  /** On which pods listen, the same at each: the pool's first target port, another one, and two for KV events. */
  readonly ports: readonly [http: number, second: number, events: number, replay: number];
  /** The picker's, which may be written anew. */
  readonly kubeconfigFile: string;
  readonly #folder: string;
  readonly #pods: SimPod[] = [];
  #prompts = 1_000;

  private constructor(parts: Pick<FleetBench, "cluster" | "client" | "gateway" | "ports">, folder: string) {
    this.cluster = parts.cluster;
    this.client = parts.client;
    this.gateway = parts.gateway;
    this.ports = parts.ports;
    this.#folder = folder;
    this.kubeconfigFile = kubeconfigIn(folder);
  }

  /** Creates the pool and starts a gateway that follows it. @param picker changes to the picker's settings */
  static async start(cluster: ClusterUnderTest, picker: PickerSettings = {}): Promise<FleetBench> {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-fleet-"));
    const file = kubeconfigIn(folder);
    await writeFile(file, kubeconfig(cluster.picker, cluster.namespace));
    const [http = 0, second = 0, events = 0, replay = 0] = await freePorts(4);
    const client = new KubeClient(cluster.admin, cluster.namespace);
    await client.create(inferencePools, poolOn([http]));
    const kubernetes = { poolName, kubeconfig: file, reconnectMinMs: 20, reconnectMaxMs: 200, missingRetryMs: 200 };
    const gateway = await Gateway.start({
      // Goes to any address that the picker names.
      kind: { bodies: "full-duplex", hosts: "original-dst" },
      launcher: envoyBinary,
      workers: 0,
      picker: mergeSettings({ kubernetes }, picker),
    });
    return new FleetBench({ cluster, client, gateway, ports: [http, second, events, replay] }, folder);
  }

  /** Deploys a pod of the pool, on its own address. @param number of the address, 1..254 */
  async deploy(name: string, number: number, options: Partial<SimPodOptions> = {}): Promise<SimPod> {
    const pod = await SimPod.deploy(this.client, {
      name,
      ip: `127.0.21.${number}`,
      ports: [this.ports[0]],
      labels: poolLabels,
      ...options,
    });
    this.#pods.push(pod);
    return pod;
  }

  /** Sends requests until they have reached these endpoints and, for a whole round of requests, no other. */
  async servedBy(endpoints: readonly string[]): Promise<void> {
    const expected = endpoints.toSorted().join(" ");
    let seen = "";
    const look = async () => {
      seen = (await this.reached(8)).join(" ");
      if (seen !== expected) throw new Error(`reached: ${seen}`);
      return true;
    };
    await until(look, { what: `requests to reach ${expected}` });
  }

  /** Endpoints that `count` requests reach, each once, sorted. Throws when one is not answered 200. */
  async reached(count: number): Promise<readonly string[]> {
    const answers = await Promise.all(
      Array.from({ length: count }, () =>
        ask(this.gateway, opening(this.#prompts++, 20), { model: engineModel, outputTokens: 1 }),
      ),
    );
    const failed = answers.find(({ status }) => status !== 200);
    if (failed !== undefined) throw new Error(`answered ${failed.status}: ${failed.body}`);
    return [...new Set(answers.map(({ worker = "nobody" }) => worker))].sort();
  }

  /** Status of one request. */
  async status(): Promise<number> {
    return (await ask(this.gateway, opening(this.#prompts++, 20), { model: engineModel })).status;
  }

  /** Deletes what a test deployed, and makes the pool what it was. */
  async reset(): Promise<void> {
    for (const pod of this.#pods.splice(0)) {
      await this.client.delete(pods, pod.name).catch(() => undefined);
      await pod.endWorkers();
    }
    await this.client.delete(inferencePools, poolName).catch(() => undefined);
    await this.client.create(inferencePools, poolOn([this.ports[0]]));
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await Promise.all(this.#pods.map((pod) => pod.endWorkers()));
    await this.client.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function kubeconfigIn(folder: string): string {
  return join(folder, "kubeconfig");
}

/** The pool of the tests, with other ports or labels. */
export function poolOn(ports: readonly number[], matchLabels: Readonly<Record<string, string>> = poolLabels) {
  return {
    metadata: { name: poolName },
    spec: {
      selector: { matchLabels },
      targetPorts: ports.map((number) => ({ number })),
      endpointPickerRef: { name: "picker", port: { number: 9_002 } },
    },
  };
}
