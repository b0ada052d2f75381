import { writeFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  inferenceModelRewrites,
  inferenceObjectives,
  inferencePools,
  KubeApiServer,
  kubeconfig,
  pods,
  type ResourceKind,
  StatusError,
  type Verb,
} from "../../support/kube-api/index.ts";
import { CuttableLink } from "../support/cuttable-link.ts";
import { parseMetrics } from "../support/metrics.ts";
import { engineModel } from "../support/picker-settings.ts";
import { until } from "../support/until.ts";
import { FleetBench, poolLabels } from "./fleet-bench.ts";
import { healthOf } from "./health-client.ts";
import { ownCluster } from "./own-cluster.ts";

const loadOnly = { models: [{ name: engineModel, loadOnly: true, blockSize: 16 }] };

describe("a fleet in Kubernetes, through the faults of a cluster", () => {
  let server: KubeApiServer;
  let bench: FleetBench;

  beforeAll(async () => {
    server = await KubeApiServer.start();
    bench = await FleetBench.start(ownCluster(server), {
      models: [{ name: engineModel, loadOnly: true, blockSize: 16 }],
    });
  });

  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") console.error(bench.gateway.report());
    await bench.reset();
    await watched(pods);
  });

  afterAll(async () => {
    await bench?.stop();
    await server?.stop();
  });

  async function watched(kind: ResourceKind): Promise<void> {
    await until(() => server.watches(kind).length === 1, { what: `a watch of ${kind.plural}` });
  }

  function count(verb: Verb, kind: ResourceKind): number {
    return server.requests.filter((request) => request.verb === verb && request.kind === kind).length;
  }

  it.each(["end", "mid-line", "reset", "garbage"] as const)(
    "goes on where a watch was cut (%s), without a list",
    async (how) => {
      const first = await bench.deploy("a", 1);
      await bench.servedBy(first.endpoints);
      const lists = count("list", pods);
      server.dropWatches(how);
      const second = await bench.deploy("b", 2);
      await first.delete();
      await bench.servedBy(second.endpoints);
      expect(count("list", pods)).toBe(lists);
    },
  );

  it("lists anew when the place where it was is forgotten, and misses nothing of what happened in between", async () => {
    const [first, second] = [await bench.deploy("a", 1), await bench.deploy("b", 2)];
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
    const lists = count("list", pods);
    server.holdWatches();
    await first.delete();
    const third = await bench.deploy("c", 3);
    await second.setReady(false);
    server.expireWatches();
    server.releaseWatches();
    await bench.servedBy(third.endpoints);
    expect(count("list", pods)).toBeGreaterThan(lists);
  });

  it("goes on from a bookmark, where its own last event is forgotten", async () => {
    const first = await bench.deploy("a", 1);
    await bench.servedBy(first.endpoints);
    const lists = count("list", pods);
    server.store.compact();
    server.bookmark(pods);
    const second = await bench.deploy("b", 2);
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
    server.dropWatches("reset", pods);
    await watched(pods);
    expect(count("list", pods)).toBe(lists);
  });

  it("is late, and no worse, while the events of a watch do not come", async () => {
    const [first, second] = [await bench.deploy("a", 1), await bench.deploy("b", 2)];
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
    server.holdWatches();
    await first.delete();
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
    server.releaseWatches();
    await bench.servedBy(second.endpoints);
  });

  it("keeps its pods while it may not watch them, and catches up once it may again", async () => {
    const first = await bench.deploy("a", 1);
    await bench.servedBy(first.endpoints);
    server.forbid(pods, "list", "watch");
    server.expireWatches(pods);
    const second = await bench.deploy("b", 2);
    await until(() => server.requests.some(({ kind, status }) => kind === pods && status === 403), {
      what: "a refused request",
    });
    await bench.servedBy(first.endpoints);
    server.allow(pods, "list", "watch");
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
  });

  it.each([
    [429, "TooManyRequests"],
    [500, "InternalError"],
    [503, "ServiceUnavailable"],
  ])("asks again after an answer of %i", async (code, reason) => {
    const first = await bench.deploy("a", 1);
    await bench.servedBy(first.endpoints);
    server.fail({ verb: "list", kind: pods, error: new StatusError("not now", { code, reason }), times: 3 });
    server.expireWatches(pods);
    const second = await bench.deploy("b", 2);
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
  });

  it("keeps pool and pods through a 404 of a server that is not itself yet", async () => {
    const first = await bench.deploy("a", 1);
    await bench.servedBy(first.endpoints);
    const losses = () => bench.gateway.picker.tail(5_000).split("nothing can be picked").length;
    const before = losses();
    const error = new StatusError("404 page not found", { code: 404, reason: "NotFound" });
    for (const kind of [inferencePools, pods]) {
      server.fail({ verb: "watch", kind, error });
      server.fail({ verb: "list", kind, error });
    }
    server.dropWatches("reset");
    const second = await bench.deploy("b", 2);
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
    expect(losses()).toBe(before);
  });

  it("takes a new token from its kubeconfig when the old one is refused", async () => {
    const first = await bench.deploy("a", 1);
    await bench.servedBy(first.endpoints);
    server.token = "new";
    server.dropWatches("reset");
    await until(() => server.watches().length === 0, { what: "the end of all watches" });
    await bench.servedBy(first.endpoints);
    await writeFile(bench.kubeconfigFile, kubeconfig({ url: server.url, token: "new" }, "serving"));
    await watched(pods);
    server.token = undefined;
    const second = await bench.deploy("b", 2);
    await bench.servedBy([...first.endpoints, ...second.endpoints]);
  });

  it("is not ready while the cluster does not know InferencePools, and finds out when it does", async () => {
    const health = () => healthOf(bench.gateway.ports.pickerHealth, "readiness");
    server.uninstall(inferencePools);
    await until(async () => (await health()) === "NOT_SERVING", { what: "the loss of readiness" });
    server.install(inferencePools);
    await bench.reset();
    const pod = await bench.deploy("a", 1);
    await bench.servedBy(pod.endpoints);
    expect(await health()).toBe("SERVING");
  });

  it("knows all pods of a fleet that fills several pages of a list", async () => {
    const names = Array.from({ length: 120 }, (_, index) => `page-${String(index).padStart(3, "0")}`);
    for (const [index, name] of names.entries()) {
      await bench.client.create(pods, { metadata: { name, labels: poolLabels } });
      const ip = `127.0.22.${index + 1}`;
      const conditions = [{ type: "Ready", status: "True" }];
      await bench.client.patchStatus(pods, name, { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions });
    }
    server.expireWatches(pods);
    const known = async () =>
      parseMetrics(await bench.gateway.picker.metricsText())
        .filter(({ name, value }) => name === "pointsman_worker_eligible" && value > 0)
        .map(({ labels }) => labels["worker"] ?? "");
    await until(async () => (await known()).length === names.length, { what: "all pods to be known" });
    expect((await known()).toSorted()).toEqual(names);
    for (const name of names) await bench.client.delete(pods, name);
    await until(async () => (await known()).length === 0, { what: "all pods to be gone" });
  });
});

describe("a fleet in Kubernetes, in a cluster with less", () => {
  it("is ready without objectives and rewrites, whether they are not installed or may not be read", async () => {
    const server = await KubeApiServer.start({
      missing: [inferenceObjectives.current, inferenceModelRewrites.current],
    });
    server.forbid(inferenceObjectives.legacy, "list", "watch");
    server.forbid(inferenceModelRewrites.legacy, "list", "watch");
    const bench = await FleetBench.start(ownCluster(server), loadOnly);
    try {
      const pod = await bench.deploy("a", 1);
      await bench.servedBy(pod.endpoints);
    } finally {
      await bench.stop();
      await server.stop();
    }
  });

  it("notices that a connection has gone silent, and hears of what happened meanwhile over another one", async () => {
    const server = await KubeApiServer.start();
    const link = await CuttableLink.to(Number(new URL(server.url).port));
    const cluster = { ...ownCluster(server), picker: { url: `http://127.0.0.1:${link.port}` } };
    const kubernetes = { watchIdleMs: 2_000, requestTimeoutMs: 2_000 };
    const bench = await FleetBench.start(cluster, { ...loadOnly, kubernetes });
    try {
      const first = await bench.deploy("a", 1);
      await bench.servedBy(first.endpoints);
      link.cut();
      const second = await bench.deploy("b", 2);
      await first.delete();
      await until(() => bench.gateway.picker.tail(200).includes("the Kubernetes API fails"), { what: "the loss" });
      link.repair();
      await bench.servedBy(second.endpoints);
    } finally {
      await bench.stop();
      await link.close();
      await server.stop();
    }
  });
});
