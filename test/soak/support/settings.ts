import { testModelFolder } from "../../e2e/support/model-folder.ts";
import type { PickerSettings } from "../../e2e/support/picker.ts";
import { mergeSettings } from "../../e2e/support/picker-settings.ts";
import type { SoakPorts } from "./soak-ports.ts";

/** The model whose tokens are injected, as in front of a Dynamo frontend. */
export const injectedModel = "qwen3";
/** The same in front of a plain engine: fallbacks are listed, and retries find another worker. */
export const engineModel = "qwen3-engine";
/** LoRA adapters of the engine's model. */
export const adapters: readonly string[] = ["lora-a", "lora-b"];

/** What all pickers of a soak have in common. */
export interface SharedPlaces {
  readonly kubeconfig: string;
  readonly poolName: string;
  readonly replicasRedis: string;
  readonly collectorPort: number;
  /** Whether the model with injected tokens is served as well. */
  readonly hasInjected: boolean;
}

const MiB = 1_048_576;
/** A busy machine may stop a process for seconds: that is no fault of what is under test. */
const patientMs = 60_000;

/** Settings of each program, by its name. */
export function soakSettings(ports: SoakPorts, shared: SharedPlaces): Readonly<Record<string, PickerSettings>> {
  const common = commonSettings(shared);
  const routes = [ports.routeA, ports.routeRoute, ports.routeProxyA];
  const of = (id: string, metrics: number, route: number | undefined, more: PickerSettings): PickerSettings => {
    const urls = routes.filter((port) => port !== route).map((port) => `http://127.0.0.1:${port}`);
    const peers = { urls, deadlineMs: 5 * patientMs, answerTimeoutMs: patientMs, catchUpMs: patientMs };
    const own = {
      metrics: at(metrics),
      replicas: { id, peers },
      ...(route === undefined ? {} : { routeApi: at(route) }),
    };
    return mergeSettings(mergeSettings(common, own), more);
  };
  const extProc = (port: number, health: number): PickerSettings => ({
    extProc: { ...at(port), maxReusedBufferBytes: 8 * MiB, pickDeadlineMs: patientMs },
    routing: { maxFallbacks: 2 },
    health: at(health),
  });
  const proxy = (port: number): PickerSettings => ({
    mode: "proxy",
    mixedModes: ["query"],
    proxy: { ...at(port), maxStoredResponses: 100, warmUpMs: 500, pickDeadlineMs: patientMs },
  });
  const shards = { count: 2, restartMinMs: 100 };
  return {
    "picker-a": of("picker-a", ports.metricsA, ports.routeA, {
      mixedModes: ["query"],
      ...extProc(ports.pickerA, ports.healthA),
    }),
    "picker-b": of("picker-b", ports.metricsB, undefined, { shards, ...extProc(ports.pickerB, ports.healthB) }),
    "proxy-a": of("proxy-a", ports.metricsProxyA, ports.routeProxyA, proxy(ports.proxyA)),
    "proxy-b": of("proxy-b", ports.metricsProxyB, ports.routeProxyB, proxy(ports.proxyB)),
    route: of("route", ports.metricsRoute, ports.routeRoute, { mode: "reserve" }),
    front: frontSettings(ports),
  };
}

function at(port: number): { readonly listen: string } {
  return { listen: `127.0.0.1:${port}` };
}

/** All caches are small, so that they are full long before the memory is watched: one that is still filling looks like a leak. */
function commonSettings(shared: SharedPlaces): PickerSettings {
  const model = { folder: testModelFolder(), blockSize: 16, maxIndexBytes: 32 * MiB };
  return {
    models: [
      ...(shared.hasInjected ? [{ name: injectedModel, profile: "dynamo", ...model }] : []),
      { name: engineModel, profile: "vllm", adapters, ...model },
    ],
    kubernetes: {
      poolName: shared.poolName,
      kubeconfig: shared.kubeconfig,
      reconnectMinMs: 50,
      reconnectMaxMs: 500,
    },
    fleet: { healthCheck: { enabled: true, intervalMs: 500, timeoutMs: 20_000 } },
    health: { listen: "off" },
    replicas: { redis: { url: shared.replicasRedis } },
    tracing: { endpoint: `http://127.0.0.1:${shared.collectorPort}/v1/traces`, sampleRatio: 0.2, flushMs: 500 },
    affinity: { maxSessions: 100, ttlMs: 60_000 },
    decisions: { maxDecisions: 64 },
    json: { internedBytes: 4 * MiB },
    tokenizer: { cacheBytes: 16 * MiB, shadowCheckEvery: 100, threads: { cacheBytes: 8 * MiB } },
    reservations: { leaseMs: 15_000 },
    // Balancers look every quarter of a second, and are late on a busy machine.
    shutdown: { readinessDelayMs: 4_000, drainTimeoutMs: 20_000 },
  };
}

function frontSettings(ports: SoakPorts): PickerSettings {
  return {
    mode: "queue",
    metrics: at(ports.queueMetrics),
    health: { listen: "off" },
    queue: {
      ...at(ports.queue),
      redis: { url: `redis://127.0.0.1:${ports.queueRedis}` },
      wire: "v0.10",
      heartbeatMs: 1_000,
      lateResultMs: 20_000,
      idempotency: { maxEntries: 50 },
    },
    shutdown: { readinessDelayMs: 500, drainTimeoutMs: 20_000 },
  };
}
