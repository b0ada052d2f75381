import { beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../src/config/index.ts";
import { only, pickerDeployment, pickerSettings } from "./support/picker-settings.ts";
import { type ChartValues, helmLint, helmTemplate, type Manifest } from "./support/tools.ts";
import { itIsASafeWorkload } from "./support/workload-suite.ts";

const keyHash = "0".repeat(64);
const queueValues: ChartValues = {
  "config.mode": "queue",
  "config.queue": { redis: { url: "redis://redis:6379" }, apiKeyHashes: keyHash },
};
const proxyValues: ChartValues = {
  "config.mode": "proxy",
  "config.proxy": { apiKeyHashes: keyHash },
  "config.workers": [
    { name: "gpu-0", endpoint: "10.0.0.10:8000" },
    { name: "gpu-1", endpoint: "[fd00::10]:8000" },
  ],
};
const exampleOf = { proxy: "k8s/examples/values-proxy.yaml", queue: "k8s/examples/values-queue.yaml" } as const;
const portOf = { proxy: 8_000, queue: 8_001 } as const;
/** What a front needs and nothing else. */
const plainKinds = ["ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service", "ServiceAccount"];

const kindsOf = (manifests: readonly Manifest[]) => manifests.map(({ kind }) => kind).sort();
const podOf = (manifests: readonly Manifest[]) => pickerDeployment(manifests)["spec"].template.spec;
const policyOf = (manifests: readonly Manifest[]) => only(manifests, "NetworkPolicy")["spec"];
const tcp = (port: number) => ({ protocol: "TCP", port });
const dns = {
  to: [{ namespaceSelector: {}, podSelector: { matchLabels: { "k8s-app": "kube-dns" } } }],
  ports: [{ protocol: "UDP", port: 53 }, tcp(53)],
};

describe.each([
  { name: "the example of the queue's front", mode: "queue", values: {}, files: [exampleOf.queue] },
  { name: "the example of the proxy", mode: "proxy", values: {}, files: [exampleOf.proxy] },
  { name: "the queue's front with the least values", mode: "queue", values: queueValues, files: [] },
  { name: "the proxy of named workers", mode: "proxy", values: proxyValues, files: [] },
] as const)("$name", ({ mode, values, files }) => {
  let manifests: readonly Manifest[] = [];
  let settings: Config;
  beforeAll(async () => {
    manifests = await helmTemplate(values, files);
    settings = await pickerSettings(manifests);
  });
  const port = portOf[mode];

  itIsASafeWorkload(() => ({ manifests, settings }));

  it("listens where pods can be reached, for those who have a key", () => {
    const { listen, apiKeyFile, apiKeyHashes } = settings[mode];
    expect(settings.mode).toBe(mode);
    expect(listen).toBe(`0.0.0.0:${port}`);
    expect(apiKeyFile ?? apiKeyHashes).toBeDefined();
  });

  it("is ready when its clients are served, and alive whatever its Redis or its workers are", () => {
    const [{ name, ports, readinessProbe, livenessProbe }] = podOf(manifests).containers;
    expect(name).toBe(mode);
    expect(ports).toEqual([
      { name: mode, containerPort: port },
      { name: "metrics", containerPort: 9_090 },
    ]);
    expect(readinessProbe.httpGet).toEqual({ path: "/health", port: mode, scheme: "HTTP" });
    expect(livenessProbe.httpGet).toEqual({ path: "/metrics", port: "metrics" });
    expect(settings.metrics.listen).toBe("0.0.0.0:9090");
  });

  it("has a Service that leads to it, and lets clients in", () => {
    const { selector, ports } = only(manifests, "Service")["spec"];
    expect(pickerDeployment(manifests)["spec"].template.metadata.labels).toMatchObject(selector);
    expect(ports).toEqual([
      { name: mode, port, targetPort: mode, appProtocol: "http" },
      { name: "metrics", port: 9_090, targetPort: "metrics" },
    ]);
    const [clients, monitoring, ...others] = policyOf(manifests).ingress;
    expect(clients.from).toContainEqual({ podSelector: {} });
    expect(clients.ports).toEqual([tcp(port)]);
    expect(monitoring.ports).toEqual([tcp(9_090)]);
    expect(others).toEqual([]);
  });
});

describe("the queue's front", () => {
  it("needs no pool, gateway, rights or models", async () => {
    const manifests = await helmTemplate(queueValues);
    expect(kindsOf(manifests)).toEqual(plainKinds);
    const { automountServiceAccountToken, volumes } = podOf(manifests);
    expect(automountServiceAccountToken).toBe(false);
    expect(volumes.map(({ name }: { name: string }) => name)).toEqual(["settings"]);
    expect((await pickerSettings(manifests)).models).toEqual([]);
  });

  it("reaches Redis and names, and nothing else", async () => {
    expect(policyOf(await helmTemplate(queueValues)).egress).toEqual([{ ports: [tcp(6_379)] }, dns]);
    const redis = [{ podSelector: { matchLabels: { app: "redis" } } }];
    expect(policyOf(await helmTemplate({}, [exampleOf.queue])).egress).toEqual([
      { to: redis, ports: [tcp(6_379)] },
      dns,
    ]);
  });

  it.each<[string, object, number[]]>([
    ["another port", { url: "rediss://user.example.com:7000" }, [7_000]],
    ["no port", { url: "redis://[fd00::1]" }, [6_379]],
    [
      "sentinels",
      { sentinel: { name: "main", addresses: ["a:26379", "b:26379", "[fd00::1]:26380"] } },
      [6_379, 26_379, 26_380],
    ],
  ])("lets traffic out to Redis with %s", async (_name, redis, ports) => {
    const manifests = await helmTemplate({ ...queueValues, "config.queue": { redis, apiKeyHashes: keyHash } });
    expect(policyOf(manifests).egress[0].ports).toEqual(ports.map(tcp));
    await pickerSettings(manifests);
  });
});

describe("the proxy", () => {
  it("asks nothing of the API for named workers", async () => {
    const manifests = await helmTemplate(proxyValues);
    expect(kindsOf(manifests)).toEqual(plainKinds);
    expect(podOf(manifests).automountServiceAccountToken).toBe(false);
    expect(policyOf(manifests).egress).toEqual([
      {
        to: [{ podSelector: {} }, { ipBlock: { cidr: "10.0.0.10/32" } }, { ipBlock: { cidr: "fd00::10/128" } }],
      },
      dns,
      { ports: [tcp(443)] },
    ]);
  });

  it("may read the pods that are its workers", async () => {
    const manifests = await helmTemplate({}, [exampleOf.proxy]);
    expect(kindsOf(manifests)).toEqual([...plainKinds, "HorizontalPodAutoscaler", "Role", "RoleBinding"].sort());
    expect(only(manifests, "Role")["rules"]).toEqual([
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
    ]);
    expect(podOf(manifests).automountServiceAccountToken).toBe(true);
    expect(policyOf(manifests).egress.at(-1)).toEqual({ ports: [tcp(443), tcp(6_443)] });
    expect((await pickerSettings(manifests)).kubernetes).toMatchObject({ endpointSelector: "app=qwen3-8b" });
  });

  it("may read a pool that is there already, and makes none", async () => {
    const poolGroup = "inference.networking.x-k8s.io";
    const manifests = await helmTemplate({
      ...proxyValues,
      "config.workers": [],
      "config.kubernetes": { poolName: "qwen", poolGroup },
    });
    expect(kindsOf(manifests)).toEqual([...plainKinds, "Role", "RoleBinding"].sort());
    const [, pools] = only(manifests, "Role")["rules"];
    expect(pools).toMatchObject({ apiGroups: [poolGroup], resources: ["inferencepools"] });
  });
});

describe("both", () => {
  it.each([
    ["the queue's front", queueValues],
    ["the proxy", proxyValues],
  ])("pass Helm's own checks: %s", async (_name, values) => {
    expect(await helmLint(values)).toContain("0 chart(s) failed");
  });

  it.each([exampleOf.queue, exampleOf.proxy])("%s scales by CPU", async (file) => {
    const manifests = await helmTemplate({}, [file]);
    const { metrics, scaleTargetRef } = only(manifests, "HorizontalPodAutoscaler")["spec"];
    expect(metrics.map(({ type }: { type: string }) => type)).toEqual(["Resource"]);
    expect(scaleTargetRef.name).toBe(pickerDeployment(manifests).metadata.name);
    expect(pickerDeployment(manifests)["spec"].replicas).toBeUndefined();
  });

  it("ask over TLS where that is what they speak", async () => {
    const tls = { mode: "files", certFile: "/etc/tls/tls.crt", keyFile: "/etc/tls/tls.key" };
    const manifests = await helmTemplate({ ...queueValues, "config.queue.tls": tls });
    expect(podOf(manifests).containers[0].readinessProbe.httpGet.scheme).toBe("HTTPS");
    expect(only(manifests, "Service")["spec"].ports[0].appProtocol).toBe("https");
  });

  it("listen at other ports behind the same Service", async () => {
    const listen = { "config.queue.listen": "[::]:9001", "config.metrics": { listen: "[::]:9100" } };
    const manifests = await helmTemplate({ ...queueValues, ...listen });
    expect(podOf(manifests).containers[0].ports[1]).toEqual({ name: "metrics", containerPort: 9_100 });
    expect(policyOf(manifests).ingress[1].ports).toEqual([tcp(9_100)]);
    expect(only(manifests, "Service")["spec"].ports[1]).toEqual({
      name: "metrics",
      port: 9_090,
      targetPort: "metrics",
    });
    expect(podOf(manifests).containers[0].ports[0]).toEqual({ name: "queue", containerPort: 9_001 });
    expect(policyOf(manifests).ingress[0].ports).toEqual([tcp(9_001)]);
    expect(only(manifests, "Service")["spec"].ports[0]).toMatchObject({ port: 8_001, targetPort: "queue" });
  });

  it("show metrics to nobody outside, nor where there are none", async () => {
    const balanced = await helmTemplate({ ...queueValues, "front.service": { type: "LoadBalancer" } });
    expect(only(balanced, "Service")["spec"]).toMatchObject({ type: "LoadBalancer", ports: [{ port: 8_001 }] });
    expect(only(balanced, "Service")["spec"].ports).toHaveLength(1);
    const silent = await helmTemplate({ ...queueValues, "config.metrics": { listen: "off" } });
    const [container] = podOf(silent).containers;
    expect(container.ports).toHaveLength(1);
    expect(container.livenessProbe).toMatchObject({ tcpSocket: { port: "queue" } });
    expect(policyOf(silent).ingress).toHaveLength(1);
  });

  it("may be beside each other and beside a picker, each with its Service", async () => {
    const beside = { ...proxyValues, ...queueValues, "config.mixedModes": ["proxy"] };
    const fronts = await helmTemplate(beside);
    const portsOf = (manifests: readonly Manifest[]) =>
      manifests
        .filter(({ kind }) => kind === "Service")
        .map(({ metadata, spec }) => [metadata.name, spec.ports.map(({ port }: { port: number }) => port)]);
    expect(portsOf(fronts)).toEqual([
      ["picker", [8_001, 9_090]],
      ["picker-proxy", [8_000]],
    ]);
    expect((await pickerSettings(fronts)).models).not.toEqual([]);
    const all = await helmTemplate({
      ...beside,
      "config.mixedModes": ["proxy", "ext-proc"],
      "pool.selector": { app: "qwen" },
    });
    expect(Object.fromEntries(portsOf(all))).toEqual({
      picker: [9_002, 9_003, 9_090],
      "picker-queue": [8_001],
      "picker-proxy": [8_000],
    });
    expect(podOf(all).containers[0].readinessProbe.grpc).toEqual({ port: 9_003, service: "readiness" });
    await pickerSettings(all);
  });

  it.each<[string, ChartValues]>([
    ["a list", { "config.queue.apiKeys": [{ name: "a", sha256: keyHash }] }],
    ["a file by the environment", { env: [{ name: "POINTSMAN_QUEUE_API_KEY_FILE", value: "/etc/keys/keys.yaml" }] }],
    ["hashes by the environment", { env: [{ name: "POINTSMAN_QUEUE_API_KEY_HASHES", value: keyHash }] }],
    ["none, if that is meant", { "front.allowAnybody": true }],
  ])("take keys by %s", async (_name, values) => {
    const queue = { redis: { url: "redis://redis:6379" } };
    const secretMounts = [{ secretName: "keys", mountPath: "/etc/keys" }];
    await pickerSettings(await helmTemplate({ ...queueValues, "config.queue": queue, secretMounts, ...values }));
  });
});

describe("values of a front that are wrong", () => {
  const open = { "config.queue": { redis: { url: "redis://redis:6379" } } };
  it.each<[string, ChartValues, string]>([
    ["no keys", open, "config.queue.apiKeyFile"],
    [
      "keys of another front",
      { ...open, env: [{ name: "POINTSMAN_PROXY_API_KEY_HASHES", value: keyHash }] },
      "config.queue.apiKeyFile",
    ],
    [
      "client certificates, which the kubelet has not",
      { "config.queue.tls": { mode: "self-signed", clientCaFile: "/etc/tls/ca.crt" } },
      "config.queue.tls.clientCaFile",
    ],
    ["shards that nobody reaches", { "config.shards": { count: 2, listen: "own" } }, "config.shards.listen"],
    ["a gateway", { "gateway.kind": "istio" }, "gateway.kind"],
    ["prefill and decode workers of a pool", { disaggregated: true }, "disaggregated"],
    ["a mode that the chart does not install", { "config.mode": "reserve" }, "config.mode"],
    ["a drain that is cut", { "config.shutdown": { drainTimeoutMs: 125_000 } }, "terminationGracePeriodSeconds"],
    ["clients that are nobody", { "networkPolicy.clients": [] }, "/networkPolicy/clients"],
    ["a Service of another type", { "front.service": { type: "Public" } }, "/front/service/type"],
  ])("%s", async (_name, values, message) => {
    await expect(helmTemplate({ ...queueValues, ...values })).rejects.toThrow(message);
  });
});
