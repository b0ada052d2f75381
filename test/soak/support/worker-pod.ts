import { join } from "node:path";
import { request } from "undici";
import type { SimWorkerStats } from "../../../src/sim-worker/index.ts";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import { until } from "../../e2e/support/until.ts";
import { type KubeClient, pods } from "../../support/kube-api/index.ts";
import { Component, nodeCommand } from "./component.ts";
import { Relay } from "./relay.ts";

/** Where pods listen, the same at each: requests, KV events (behind a relay), and their replay. */
export interface PodPorts {
  readonly http: number;
  readonly events: number;
  readonly eventsRelay: number;
  readonly replay: number;
}

/** Labels of the pods of the pool. */
export const podLabels = { app: "engine" };

/** A simulated worker in a process of its own, its pod in the API, and the way to its KV events. */
export class WorkerPod {
  readonly name: string;
  readonly ip: string;
  readonly endpoint: string;
  readonly process: Component;
  readonly relay: Relay;
  readonly #ports: PodPorts;
  readonly #client: KubeClient;
  #restarts = 0;

  constructor(client: KubeClient, name: string, ip: string, ports: PodPorts, gpuBlocks: number) {
    this.name = name;
    this.endpoint = `${ip}:${ports.http}`;
    this.relay = new Relay(ip, ports.eventsRelay, ports.events);
    this.ip = ip;
    this.#ports = ports;
    this.#client = client;
    const flags = {
      name,
      host: ip,
      port: ports.http,
      "kv-events-port": ports.events,
      "kv-replay-port": ports.replay,
      models: "qwen3-engine",
      "model-dir": testModelFolder(),
      "gpu-blocks": gpuBlocks,
      // Small, so that they are full before the memory is watched.
      "model-cache-bytes": 1_048_576,
      "kv-replay-batches": 400,
      "recorded-requests": 8,
      "prefill-time-per-token-us": 1,
      "ttft-base-ms": 2,
      "inter-token-ms": 4,
    };
    const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, `${value}`]);
    this.process = new Component(nodeCommand(name, [join("dist", "main.js"), "sim-worker", ...args]), async () => {
      const response = await request(`http://${this.endpoint}/health`);
      await response.body.dump();
      return response.statusCode === 200;
    });
  }

  /** Starts the worker, then writes the pod and says, as a kubelet does, that it runs. */
  async deploy(): Promise<void> {
    await this.relay.open();
    await this.process.start();
    const { http, eventsRelay, replay } = this.#ports;
    await this.#client.create(pods, {
      metadata: {
        name: this.name,
        labels: podLabels,
        annotations: { "pointsman.dev/kv-events-port": `${eventsRelay}`, "pointsman.dev/kv-replay-port": `${replay}` },
      },
      spec: {
        nodeName: "node",
        containers: [{ name: "engine", image: "engine:1", ports: [{ name: "http", containerPort: http }] }],
      },
    });
    await this.#setReady(true);
  }

  /** Its container, which has died, is started again on the same port, with an empty cache, as a kubelet does it. */
  async comeBack(): Promise<void> {
    await this.#setReady(false);
    this.#restarts++;
    await this.process.start();
    await this.#setReady(true);
  }

  /** As a deployment goes: nothing new, what runs may end, then it is gone. */
  async retire(): Promise<void> {
    await this.#client.delete(pods, this.name, 30);
    let quiet = 0;
    const check = () => this.process.assertRunning();
    const isQuiet = async () => {
      const { running, waiting } = await this.stats();
      quiet = running + waiting === 0 ? quiet + 1 : 0;
      return quiet === 3;
    };
    await until(isQuiet, { what: `${this.name} to have answered`, timeoutMs: 400_000, intervalMs: 200, check });
    await this.process.end();
    await this.#client.delete(pods, this.name, 0);
    await this.relay.close();
  }

  /** Its pod is gone with its machine. */
  async lose(): Promise<void> {
    await this.#client.delete(pods, this.name, 0);
    await this.relay.close();
  }

  async stats(): Promise<SimWorkerStats> {
    const response = await request(`http://${this.endpoint}/sim/stats`);
    return (await response.body.json()) as SimWorkerStats;
  }

  async stop(): Promise<void> {
    await this.process.end();
    await this.relay.close();
  }

  async #setReady(isReady: boolean): Promise<void> {
    const ip = this.ip;
    await this.#client.patchStatus(pods, this.name, {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
      containerStatuses: [
        {
          name: "engine",
          ready: isReady,
          restartCount: this.#restarts,
          image: "engine:1",
          imageID: "engine:1",
          state: {},
        },
      ],
    });
  }
}
