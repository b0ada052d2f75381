import { describe, expect, it } from "vitest";
import { type FleetModels, type PodDefaults, type PoolSpec, workerIdFromName } from "../../../../src/fleet/index.ts";
import { readPod } from "../../../../src/fleet/kubernetes/pod.ts";
import { workersOfPod } from "../../../../src/fleet/kubernetes/pod-workers.ts";

const pool: PoolSpec = { selector: new Map([["app", "vllm"]]), targetPorts: [8000], isH2c: false };

const defaults: PodDefaults = {
  role: "aggregated",
  dpSize: 1,
  kvEventsPort: undefined,
  kvReplayPort: undefined,
  metricsPort: undefined,
  totalKvBlocks: undefined,
  headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
  handovers: new Map(),
};

const qwen = { name: "qwen", blockSize: 16, profile: "vllm", adapters: ["sql", "chat"] };
const llama = { name: "llama", blockSize: 32, profile: "vllm", adapters: [] };
const byName = new Map([
  ["qwen", qwen],
  ["q", qwen],
  ["llama", llama],
]);
const models: FleetModels = { all: ["qwen", "llama"], named: (name) => byName.get(name) };

interface PodText {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly ip?: string;
  readonly containers?: readonly object[];
  readonly statuses?: readonly object[];
}

function workersOf(pod: PodText, changes: Partial<PodDefaults> = {}, poolChanges: Partial<PoolSpec> = {}) {
  const { labels = {}, annotations = {}, ip = "10.0.0.1", containers = [{ name: "engine" }], statuses = [] } = pod;
  const read = readPod({
    metadata: { name: "pod-a", uid: "uid-1", labels, annotations },
    spec: { containers },
    status: { podIP: ip, phase: "Running", containerStatuses: statuses },
  });
  if (read === undefined) throw new Error("this is no pod");
  const refused: string[] = [];
  const context = {
    pool: { ...pool, ...poolChanges },
    defaults: { ...defaults, ...changes },
    healthPath: "/health",
    models,
  };
  const workers = workersOfPod(read, context, (key, value) => refused.push(`${key}=${value}`));
  return { workers, refused, worker: workers[0] };
}

const ours = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`pointsman.dev/${key}`, value]));

describe("the workers of a pod", () => {
  it("score prompts where pods do, unless their role is another", () => {
    const scoring = {
      saltField: "cache_salt",
      contextTokens: undefined,
      measuresCachedTokens: true,
      maxCandidates: 255,
    } as const;
    expect(workersOf({}, { scoring }).worker?.scoring).toEqual(scoring);
    expect(workersOf({ annotations: ours({ role: "prefill" }) }, { scoring }).worker?.scoring).toBeUndefined();
    expect(workersOf({}).worker?.scoring).toBeUndefined();
  });

  it("are the pod, by its UID, its address and Dynamo's id for its name", () => {
    const { workers } = workersOf({ labels: { app: "vllm" } });
    expect(workers).toHaveLength(1);
    expect(workers[0]).toMatchObject({
      id: workerIdFromName("pod-a"),
      incarnation: "uid-1",
      name: "pod-a",
      endpoint: "10.0.0.1:8000",
      role: "aggregated",
      models: ["qwen", "llama"],
      dpRankStart: 0,
      dpSize: 1,
      kvEvents: [],
      healthPath: "/health",
      labels: new Map([["app", "vllm"]]),
    });
  });

  it("have brackets around addresses of IPv6", () => {
    const { worker } = workersOf({ ip: "FD00::1", annotations: ours({ "kv-events-port": "5557", models: "qwen" }) });
    expect(worker?.endpoint).toBe("[fd00::1]:8000");
    expect(worker?.kvEvents[0]?.endpoint).toBe("tcp://[fd00::1]:5557");
  });

  it("are one for each port, with ids, ranks and event ports of their own", () => {
    const annotations = ours({
      "kv-events-port": "5557",
      "kv-replay-port": "5657",
      "metrics-port": "9000",
      models: "qwen",
    });
    const { workers } = workersOf({ annotations }, {}, { targetPorts: [8000, 8001] });
    expect(workers.map(({ name, endpoint, dpRankStart }) => [name, endpoint, dpRankStart])).toEqual([
      ["pod-a-rank-0", "10.0.0.1:8000", 0],
      ["pod-a-rank-1", "10.0.0.1:8001", 1],
    ]);
    expect(workers.map(({ kvEvents }) => kvEvents)).toEqual([
      [{ endpoint: "tcp://10.0.0.1:5557", replayEndpoint: "tcp://10.0.0.1:5657" }],
      [{ endpoint: "tcp://10.0.0.1:5558", replayEndpoint: "tcp://10.0.0.1:5658" }],
    ]);
    expect(workers.map(({ metricsEndpoint }) => metricsEndpoint)).toEqual(["10.0.0.1:9000", "10.0.0.1:9001"]);
    expect(new Set(workers.map(({ id }) => id)).size).toBe(2);
  });

  it("have as many ranks behind each port as the pod says", () => {
    const annotations = ours({
      "data-parallel-size": "2",
      "data-parallel-start-rank": "4",
      "kv-events-port": "5557",
      models: "qwen",
    });
    const { workers } = workersOf({ annotations }, {}, { targetPorts: [8000, 8001] });
    expect(workers.map(({ dpRankStart, dpSize }) => [dpRankStart, dpSize])).toEqual([
      [4, 2],
      [6, 2],
    ]);
    expect(workers[1]?.kvEvents.map((source) => source?.endpoint)).toEqual([
      "tcp://10.0.0.1:5563",
      "tcp://10.0.0.1:5564",
    ]);
  });

  it.each([
    { key: "llm-d.ai/active-ports", text: "8001", ports: ["10.0.0.1:8001"] },
    {
      key: "inference.networking.k8s.io/active-ports",
      text: " 8000 , 8001 ",
      ports: ["10.0.0.1:8000", "10.0.0.1:8001"],
    },
    { key: "llm-d.ai/active-ports", text: "9999", ports: [] },
    { key: "llm-d.ai/active-ports", text: "", ports: [] },
  ])("are those of the active ports: $key=$text", ({ key, text, ports }) => {
    const { workers } = workersOf({ annotations: { [key]: text } }, {}, { targetPorts: [8000, 8001] });
    expect(workers.map(({ endpoint }) => endpoint)).toEqual(ports);
  });

  it("go by the newer annotation of active ports", () => {
    const annotations = { "llm-d.ai/active-ports": "8000", "inference.networking.k8s.io/active-ports": "8001" };
    const { workers } = workersOf({ annotations }, {}, { targetPorts: [8000, 8001] });
    expect(workers.map(({ endpoint }) => endpoint)).toEqual(["10.0.0.1:8000"]);
  });

  it("find ports by the names that containers give them, sidecars' as well", () => {
    const containers = [
      {
        name: "engine",
        ports: [
          { name: "http", containerPort: 8200 },
          { name: "kv", containerPort: 5557 },
        ],
      },
    ];
    const annotations = ours({ "kv-events-port": "kv", "kv-replay-port": "nowhere", models: "qwen" });
    const { worker, refused } = workersOf({ containers, annotations }, {}, { targetPorts: ["http"] });
    expect(worker?.endpoint).toBe("10.0.0.1:8200");
    expect(worker?.kvEvents).toEqual([{ endpoint: "tcp://10.0.0.1:5557", replayEndpoint: undefined }]);
    expect(refused).toEqual(["pointsman.dev/kv-replay-port=nowhere"]);
  });

  it.each(["models", "taints", "adapters"])("pass a list of too many over as a whole: %s", (key) => {
    const list = (entries: number) => Array.from({ length: entries }, () => "qwen").join();
    const { worker, refused } = workersOf({ annotations: ours({ [key]: list(1_025) }) });
    expect(refused).toEqual([`pointsman.dev/${key}=${list(1_025)}`]);
    expect(worker).toMatchObject({ models: ["qwen", "llama"], taints: new Set(), adapters: undefined });
    const fitting = workersOf({ annotations: ours({ taints: list(1_024) }) });
    expect(fitting.refused).toEqual([]);
    expect(fitting.worker?.taints).toEqual(new Set(["qwen"]));
  });

  it("are one for each port, however many names of the pool mean it", () => {
    const ports = [8000, 8000, 8001].map((containerPort, at) => ({ name: `p${at}`, containerPort }));
    const containers = [{ name: "engine", ports }];
    const { workers, refused } = workersOf({ containers }, {}, { targetPorts: ["p0", "p1", "p2", "8000"] });
    expect(workers.map(({ endpoint }) => endpoint)).toEqual(["10.0.0.1:8000", "10.0.0.1:8001"]);
    expect(new Set(workers.map(({ id }) => id)).size).toBe(2);
    expect(refused).toEqual(["targetPorts=p1", "targetPorts=8000"]);
  });

  it("are none for a port that no container names", () => {
    const { workers, refused } = workersOf({}, {}, { targetPorts: ["http"] });
    expect(workers).toEqual([]);
    expect(refused).toEqual(["targetPorts=http"]);
  });

  it("are others once the container behind the port was started again", () => {
    const containers = [{ name: "engine", ports: [{ containerPort: 8000 }] }, { name: "proxy" }];
    const statuses = [
      { name: "engine", restartCount: 2 },
      { name: "proxy", restartCount: 7 },
    ];
    expect(workersOf({ containers, statuses }).worker?.incarnation).toBe("uid-1/2");
    expect(workersOf({ containers: [{ name: "proxy" }, { name: "x" }], statuses }).worker?.incarnation).toBe("uid-1");
  });

  it("are not probed where the pods speak HTTP/2 only", () => {
    expect(workersOf({}, {}, { isH2c: true }).worker?.healthPath).toBeUndefined();
  });
});

describe("what a pod says of itself", () => {
  it.each([
    { labels: { "llm-d.ai/role": "prefill" }, role: "prefill" },
    { labels: { "llm-d.ai/role": "decode" }, role: "decode" },
    { labels: { "llm-d.ai/role": "encode" }, role: "encode" },
    { labels: { "llm-d.ai/role": "both" }, role: "aggregated" },
    { labels: { "llm-d.ai/role": "prefill-decode" }, role: "aggregated" },
    { labels: { "llm-d.ai/role": "encode-prefill" }, role: "prefill" },
    { labels: { "llm-d.ai/role": "encode-prefill-decode" }, role: "aggregated" },
    { labels: { "llm-d.ai/role": "something" }, role: "aggregated" },
    { labels: { "nvidia.com/dynamo-sub-component-type": "decode" }, role: "decode" },
    { labels: { "nvidia.com/dynamo-component-type": "prefill" }, role: "prefill" },
    {
      labels: { "nvidia.com/dynamo-component-type": "worker", "nvidia.com/dynamo-sub-component-type": "prefill" },
      role: "prefill",
    },
    { labels: { "llm-d.ai/role": "prefill", "pointsman.dev/role": "decode" }, role: "decode" },
  ])("is its role: $labels", ({ labels, role }) => {
    expect(workersOf({ labels: labels as unknown as Record<string, string> }).worker?.role).toBe(role);
  });

  it("wins over the defaults, annotations over labels", () => {
    const labels = ours({ "total-kv-blocks": "100", role: "prefill" });
    const annotations = ours({ "total-kv-blocks": "200" });
    const { worker } = workersOf({ labels, annotations }, { totalKvBlocks: 300, role: "decode" });
    expect([worker?.totalKvBlocks, worker?.role]).toEqual([200, "prefill"]);
    expect(workersOf({}, { totalKvBlocks: 300, role: "decode" }).worker).toMatchObject({
      totalKvBlocks: 300,
      role: "decode",
    });
  });

  it.each([
    { key: "role", value: "both-of-them" },
    { key: "worker-id", value: "18446744073709551616" },
    { key: "worker-id", value: "-1" },
    { key: "data-parallel-size", value: "0" },
    { key: "data-parallel-size", value: "5000" },
    { key: "data-parallel-size", value: "2.5" },
    { key: "total-kv-blocks", value: "many" },
    { key: "models", value: "gpt" },
  ])("is passed over and told of where it cannot be: $key=$value", ({ key, value }) => {
    expect(workersOf({ annotations: ours({ [key]: value }) }).refused).toContain(`pointsman.dev/${key}=${value}`);
  });

  it("is passed over where a port is none", () => {
    const { refused, worker } = workersOf({ annotations: ours({ "kv-events-port": "65536", models: "qwen" }) });
    expect([refused, worker?.kvEvents]).toEqual([["pointsman.dev/kv-events-port=65536"], []]);
  });

  it("are its models, by any of their names", () => {
    expect(workersOf({ annotations: ours({ models: "q, llama,,unknown" }) })).toMatchObject({
      worker: { models: ["qwen", "llama"] },
      refused: ["pointsman.dev/models=unknown"],
    });
    expect(workersOf({ labels: { "llm-d.ai/model": "q" } }).worker?.models).toEqual(["qwen"]);
    expect(workersOf({ labels: { "llm-d.ai/model": "some-deployment" } }).worker?.models).toEqual(["qwen", "llama"]);
  });

  it("are its adapters", () => {
    expect(workersOf({}).worker?.adapters).toBeUndefined();
    const { worker, refused } = workersOf({ annotations: ours({ models: "qwen", adapters: "sql, typo" }) });
    expect(worker?.adapters).toEqual(new Set(["sql", "typo"]));
    expect(refused).toEqual(["pointsman.dev/adapters=typo"]);
  });

  it("is its id, counted on for further ports", () => {
    const { workers } = workersOf({ annotations: ours({ "worker-id": "7" }) }, {}, { targetPorts: [8000, 8001] });
    expect(workers.map(({ id }) => id)).toEqual([7n, 8n]);
  });

  it("keeps events of another block size from being followed", () => {
    const annotations = ours({ "kv-events-port": "5557", models: "qwen", "block-size": "64" });
    const { worker, refused } = workersOf({ annotations });
    expect(worker?.kvEvents).toEqual([]);
    expect(refused).toEqual(["pointsman.dev/block-size=64"]);
  });

  it("keeps events from being followed that could be of models with several block sizes", () => {
    const { worker, refused } = workersOf({ annotations: ours({ "kv-events-port": "5557" }) });
    expect(worker?.kvEvents).toEqual([]);
    expect(refused).toEqual(["pointsman.dev/models=qwen,llama"]);
  });

  it("keeps ranks from ports that are none", () => {
    const annotations = ours({ "kv-events-port": "65530", "data-parallel-size": "16", models: "qwen" });
    const { worker, refused } = workersOf({ annotations });
    expect(worker?.kvEvents).toEqual([]);
    expect(refused).toEqual(["pointsman.dev/kv-events-port=65530"]);
  });
});
