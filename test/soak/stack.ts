import { randomInt } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { request } from "undici";
import { stringify } from "yaml";
import { serverBinary } from "../e2e/support/envoy-binary.ts";
import { onFreePorts } from "../e2e/support/free-ports.ts";
import { parseMetrics, type Sample, sumOf } from "../e2e/support/metrics.ts";
import { inferencePools, KubeApiServer, KubeClient, kubeconfig } from "../support/kube-api/index.ts";
import { Collector } from "./support/collector.ts";
import { Component, nodeCommand } from "./support/component.ts";
import { gatewayConfig } from "./support/gateway-config.ts";
import { onSignals } from "./support/on-signals.ts";
import { PodAddresses } from "./support/pod-addresses.ts";
import { processorComponent } from "./support/processor-component.ts";
import { redisComponent } from "./support/redis-component.ts";
import { engineModel, injectedModel, soakSettings } from "./support/settings.ts";
import { type SoakPorts, soakPorts } from "./support/soak-ports.ts";
import { type PodPorts, podLabels, WorkerPod } from "./support/worker-pod.ts";

/** How large the stack of a soak is. */
export interface StackOptions {
  /** Workers that stay. Default 3. */
  readonly workers?: number;
  /** Blocks in the cache of each. Default 8,192. */
  readonly gpuBlocks?: number;
  /** Whether the model with injected tokens is served beside the engine's; each costs seconds of CPU at the start of a picker. Default true. */
  readonly hasInjected?: boolean;
}

/** A picker in any of its modes, and where it answers. */
export interface PickerProcess {
  readonly component: Component;
  readonly metrics: number;
  /** Its route API; undefined = it has none. */
  readonly route: number | undefined;
  /** Processes that pick: its shards, or itself. */
  readonly pickers: number;
}

const poolName = "pool";
/** Addresses that pods may ever have: Envoy lists them all. */
const maxPods = 24;

/**
 * Everything at once, on this machine: Envoy before two pickers (the second has two shards), two proxies, a route API, all with Redis between them; a
 * queue on Valkey with its front and its processor, which calls Envoy; simulated workers as pods of an API server; a collector of traces.
 */
export class Stack {
  readonly kube: KubeApiServer;
  readonly client: KubeClient;
  readonly collector: Collector;
  readonly envoy: Component;
  readonly replicasRedis: Component;
  readonly queueRedis: Component;
  readonly front: Component;
  readonly processor: Component;
  readonly pickers: Readonly<Record<"picker-a" | "picker-b" | "proxy-a" | "proxy-b" | "route", PickerProcess>>;
  readonly workers = new Map<string, WorkerPod>();
  readonly ports: SoakPorts;
  /** Names of the models. */
  readonly models: readonly string[];
  readonly gatewayUrl: string;
  readonly proxyUrls: readonly string[];
  readonly routeUrl: string;
  readonly queueUrl: string;
  readonly #folder: string;
  readonly #podPorts: PodPorts;
  readonly #addresses: PodAddresses;
  readonly #gpuBlocks: number;
  #pods = 0;
  #forgetSignals: () => void = () => undefined;

  private constructor(
    folder: string,
    ports: SoakPorts,
    parts: Pick<Stack, "kube" | "client">,
    sizes: Pick<Required<StackOptions>, "gpuBlocks" | "hasInjected">,
  ) {
    this.#folder = folder;
    this.ports = ports;
    this.#gpuBlocks = sizes.gpuBlocks;
    this.models = sizes.hasInjected ? [injectedModel, engineModel] : [engineModel];
    this.#addresses = new PodAddresses(randomInt(40, 250), maxPods);
    this.#podPorts = {
      http: ports.podHttp,
      events: ports.podEvents,
      eventsRelay: ports.podRelay,
      replay: ports.podReplay,
    };
    this.kube = parts.kube;
    this.client = parts.client;
    this.collector = new Collector(ports.collector);
    this.gatewayUrl = urlOf(ports.gateway);
    this.proxyUrls = [urlOf(ports.proxyA), urlOf(ports.proxyB)];
    this.routeUrl = urlOf(ports.routeRoute);
    this.queueUrl = urlOf(ports.queue);
    this.replicasRedis = redisComponent("redis-server", ports.replicasRedis, folder);
    this.queueRedis = redisComponent("valkey-server", ports.queueRedis, folder);
    this.envoy = this.#envoyComponent();
    this.pickers = this.#pickers();
    this.front = this.#serve("front", () => isOk(`${this.queueUrl}/health`));
    this.processor = processorComponent(ports.queueRedis, this.gatewayUrl);
  }

  /** Starts all of it, and returns when everything is ready. */
  static async start(options: StackOptions = {}): Promise<Stack> {
    return await onFreePorts(() => Stack.#startOnce(options));
  }

  static async #startOnce(options: StackOptions): Promise<Stack> {
    const { workers = 3, gpuBlocks = 8_192, hasInjected = true } = options;
    const folder = await mkdtemp(join(tmpdir(), "pointsman-soak-"));
    const kube = await KubeApiServer.start();
    const client = new KubeClient(kube, "serving");
    const stack = new Stack(folder, await soakPorts(), { kube, client }, { gpuBlocks, hasInjected });
    stack.#forgetSignals = onSignals(() => stack.stop());
    try {
      await stack.#start(workers);
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  /** Every program, in the order of the start. */
  get components(): readonly Component[] {
    const workers = [...this.workers.values()].map((pod) => pod.process);
    const pickers = Object.values(this.pickers).map(({ component }) => component);
    return [this.replicasRedis, this.queueRedis, ...workers, ...pickers, this.envoy, this.processor, this.front];
  }

  /** Starts one worker more, and its pod. */
  async addWorker(): Promise<WorkerPod> {
    const ip = this.#addresses.next(new Set([...this.workers.values()].map((pod) => pod.ip)));
    const pod = new WorkerPod(this.client, `worker-${++this.#pods}`, ip, this.#podPorts, this.#gpuBlocks);
    this.workers.set(pod.name, pod);
    await pod.deploy();
    return pod;
  }

  async retireWorker(pod: WorkerPod): Promise<void> {
    await pod.retire();
    this.workers.delete(pod.name);
  }

  /** Its process has ended already. */
  async loseWorker(pod: WorkerPod): Promise<void> {
    await pod.lose();
    this.workers.delete(pod.name);
  }

  /** The metrics of a program of ours. */
  async metricsOf(name: keyof Stack["pickers"] | "front"): Promise<readonly Sample[]> {
    const port = name === "front" ? this.ports.queueMetrics : this.pickers[name].metrics;
    const response = await request(`${urlOf(port)}/metrics`);
    return parseMetrics(await response.body.text());
  }

  /** How many pickers Envoy holds for healthy. */
  async healthyPickers(): Promise<number> {
    const response = await request(`${urlOf(this.ports.admin)}/stats?filter=^cluster\\.picker\\.membership_healthy$`);
    return Number((await response.body.text()).split(": ")[1]);
  }

  /** Keys of requests that the queue's server has. */
  async queuedKeys(): Promise<number> {
    const redis = new Redis(this.ports.queueRedis, "127.0.0.1");
    try {
      const keys = await redis.keys("request-active*");
      return keys.length + (await redis.zcard("request-sortedset"));
    } finally {
      redis.disconnect();
    }
  }

  assertAllRun(): void {
    for (const component of this.components) component.assertRunning();
  }

  async stop(): Promise<void> {
    this.#forgetSignals();
    await this.front.end();
    await this.processor.end();
    await Promise.all(Object.values(this.pickers).map(({ component }) => component.end()));
    await this.envoy.end();
    await Promise.all([...this.workers.values()].map((pod) => pod.stop()));
    await Promise.all([this.replicasRedis.end(), this.queueRedis.end()]);
    await this.collector.close();
    await this.client.close();
    await this.kube.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(workers: number): Promise<void> {
    await writeFile(this.#kubeconfig, kubeconfig(this.kube, "serving"));
    await this.client.create(inferencePools, {
      metadata: { name: poolName },
      spec: {
        selector: { matchLabels: podLabels },
        targetPorts: [{ number: this.ports.podHttp }],
        endpointPickerRef: { name: "picker", port: { number: 9_002 } },
      },
    });
    await this.#writeFiles();
    await Promise.all([this.collector.open(), this.replicasRedis.start(), this.queueRedis.start()]);
    const pickers = Object.values(this.pickers).map(({ component }) => component);
    const components = [...pickers, this.envoy, this.processor, this.front];
    await Promise.all(components.map((component) => component.spawn()));
    const pods = Array.from({ length: workers }, () => this.addWorker());
    await Promise.all([...pods, ...components.map((component) => component.up())]);
  }

  async #writeFiles(): Promise<void> {
    const ports = this.ports;
    const endpoints = this.#addresses.all.map((ip) => `${ip}:${ports.podHttp}`);
    await writeFile(join(this.#folder, "envoy.yaml"), gatewayConfig(ports, endpoints));
    const shared = {
      kubeconfig: this.#kubeconfig,
      poolName,
      replicasRedis: `redis://127.0.0.1:${ports.replicasRedis}`,
      collectorPort: ports.collector,
      hasInjected: this.models.includes(injectedModel),
    };
    for (const [name, settings] of Object.entries(soakSettings(ports, shared))) {
      await writeFile(join(this.#folder, `${name}.yaml`), stringify(settings));
    }
  }

  #pickers(): Stack["pickers"] {
    const { ports } = this;
    const of = (name: string, metrics: number, route: number, isUp: () => Promise<boolean>): PickerProcess => ({
      component: this.#serve(name, isUp),
      metrics,
      route,
      pickers: 1,
    });
    const health = (port: number, path: string) => () => isOk(`${urlOf(port)}${path}`);
    const shards = () => this.#shardsReady(2);
    return {
      "picker-a": of("picker-a", ports.metricsA, ports.routeA, health(ports.routeA, "/ready")),
      "picker-b": { component: this.#serve("picker-b", shards), metrics: ports.metricsB, route: undefined, pickers: 2 },
      "proxy-a": of("proxy-a", ports.metricsProxyA, ports.routeProxyA, health(ports.proxyA, "/health")),
      "proxy-b": of("proxy-b", ports.metricsProxyB, ports.routeProxyB, health(ports.proxyB, "/health")),
      route: of("route", ports.metricsRoute, ports.routeRoute, health(ports.routeRoute, "/ready")),
    };
  }

  #serve(name: string, isUp: () => Promise<boolean>): Component {
    const args = [join("dist", "main.js"), "serve", "--config", join(this.#folder, `${name}.yaml`)];
    return new Component(nodeCommand(name, args), isUp);
  }

  #envoyComponent(): Component {
    const args = ["-c", join(this.#folder, "envoy.yaml"), "--use-dynamic-base-id", "--concurrency", "1"];
    const command = {
      name: "envoy",
      file: serverBinary("envoy"),
      args: [...args, "--log-level", "warning", "--file-flush-interval-msec", "200"],
    };
    return new Component(command, async () => {
      const response = await request(`${urlOf(this.ports.admin)}/ready`);
      return (await response.body.text()).trim() === "LIVE" && (await this.healthyPickers()) === 2;
    });
  }

  async #shardsReady(count: number): Promise<boolean> {
    return sumOf(await this.metricsOf("picker-b"), "pointsman_shard_ready") === count;
  }

  get #kubeconfig(): string {
    return join(this.#folder, "kubeconfig");
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

async function isOk(url: string): Promise<boolean> {
  const response = await request(url);
  await response.body.dump();
  return response.statusCode === 200;
}
