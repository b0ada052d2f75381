import { type SimWorker, type SimWorkerOptions, startSimWorker } from "../../../src/sim-worker/index.ts";
import { type KubeClient, type KubeObject, pods } from "../../support/kube-api/index.ts";
import { blockSize } from "../support/picker-settings.ts";

/** A pod that the tests deploy. */
export interface SimPodOptions {
  readonly name: string;
  readonly ip: string;
  /** A simulated worker listens on each. */
  readonly ports: readonly number[];
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Ports of KV events and their replay; default: none. */
  readonly kvPorts?: readonly [events: number, replay: number];
  /** Default true. */
  readonly isReady?: boolean;
}

/** A pod in the API and the simulated workers that run in it, named by their endpoints. */
export class SimPod {
  readonly name: string;
  readonly workers: readonly SimWorker[];
  readonly #client: KubeClient;
  readonly #options: SimPodOptions;

  private constructor(client: KubeClient, options: SimPodOptions, workers: readonly SimWorker[]) {
    this.name = options.name;
    this.workers = workers;
    this.#client = client;
    this.#options = options;
  }

  /** Starts the workers, then writes the pod and says, as a kubelet does, that it runs. */
  static async deploy(client: KubeClient, options: SimPodOptions): Promise<SimPod> {
    const workers = await Promise.all(options.ports.map((port) => startWorker(options, port)));
    const pod = new SimPod(client, options, workers);
    await client.create(pods, pod.#manifest());
    await pod.setReady(options.isReady ?? true);
    return pod;
  }

  /** `host:port` of each worker. */
  get endpoints(): readonly string[] {
    return this.workers.map(({ endpoint }) => endpoint);
  }

  /** @param restarts times that its container was started again */
  async setReady(isReady: boolean, restarts = 0): Promise<void> {
    const { ip } = this.#options;
    const ready = { type: "Ready", status: isReady ? "True" : "False" };
    await this.#client.patchStatus(pods, this.name, {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [ready],
      containerStatuses: [
        { name: "engine", ready: isReady, restartCount: restarts, image: "engine:1", imageID: "engine:1", state: {} },
      ],
    });
  }

  async patch(metadata: Pick<Partial<KubeObject["metadata"]>, "labels" | "annotations">): Promise<void> {
    await this.#client.patch(pods, this.name, { metadata });
  }

  /** @param graceSeconds above 0: it is leaving, and gone with a second call of 0 */
  async delete(graceSeconds = 0): Promise<void> {
    await this.#client.delete(pods, this.name, graceSeconds);
  }

  /** Ends the workers; the pod stays in the API. */
  async endWorkers(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close(0)));
  }

  #manifest() {
    const { labels, kvPorts, annotations } = this.#options;
    const kv =
      kvPorts === undefined
        ? {}
        : { "pointsman.dev/kv-events-port": `${kvPorts[0]}`, "pointsman.dev/kv-replay-port": `${kvPorts[1]}` };
    const ports = this.#options.ports.map((containerPort, i) => ({ name: `http-${i}`, containerPort }));
    return {
      metadata: { name: this.name, labels, annotations: { ...kv, ...annotations } },
      spec: { nodeName: "node", containers: [{ name: "engine", image: "engine:1", ports }] },
    };
  }
}

async function startWorker({ ip, kvPorts }: SimPodOptions, port: number): Promise<SimWorker> {
  const quick: SimWorkerOptions = { blockSize, ttftBaseMs: 1, prefillTimePerTokenUs: 2, interTokenMs: 1 };
  const events = kvPorts === undefined ? {} : { kvEventsPort: kvPorts[0], kvReplayPort: kvPorts[1] };
  return await startSimWorker({ ...quick, ...events, host: ip, port, name: `${ip}:${port}` });
}
