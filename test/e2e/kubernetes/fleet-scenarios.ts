import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inferencePools } from "../../support/kube-api/index.ts";
import { type Answer, ask } from "../support/client.ts";
import { parseMetrics, sumOf } from "../support/metrics.ts";
import { opening } from "../support/prompts.ts";
import { until } from "../support/until.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";
import { FleetBench, poolLabels, poolName } from "./fleet-bench.ts";
import { healthOf } from "./health-client.ts";
import type { SimPod } from "./sim-pod.ts";

const extProcService = "envoy.service.ext_proc.v3.ExternalProcessor";

/** What must hold of a picker that follows an InferencePool, whatever API server is behind it. */
export function describeFleet(name: string, startCluster: () => Promise<ClusterUnderTest>): void {
  describe(name, () => {
    let cluster: ClusterUnderTest;
    let bench: FleetBench;

    beforeAll(async () => {
      cluster = await startCluster();
      bench = await FleetBench.start(cluster);
    });

    afterEach(async ({ task }) => {
      if (task.result?.state === "fail") console.error(bench.gateway.report());
      await bench.reset();
    });

    afterAll(async () => {
      await bench?.stop();
      await cluster?.stop();
    });

    const health = () => healthOf(bench.gateway.ports.pickerHealth, extProcService);

    async function healthBecomes(status: "SERVING" | "NOT_SERVING"): Promise<void> {
      await until(async () => (await health()) === status, { what: `health ${status}`, timeoutMs: 20_000 });
    }

    it("picks a pod once it is ready, and no longer when it is not", async () => {
      const [first, second] = [await bench.deploy("a", 1), await bench.deploy("b", 2, { isReady: false })];
      await bench.servedBy(first.endpoints);
      await second.setReady(true);
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
      await first.setReady(false);
      await bench.servedBy(second.endpoints);
      await first.setReady(true);
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
    });

    it("picks no pod that is leaving or gone", async () => {
      const [first, second] = [await bench.deploy("a", 1), await bench.deploy("b", 2)];
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
      await first.delete(30);
      await bench.servedBy(second.endpoints);
      await first.delete();
      await second.delete();
      await until(async () => (await bench.status()) === 503, { what: "no endpoint" });
    });

    it("follows the labels of pods", async () => {
      const [first, second] = [await bench.deploy("a", 1), await bench.deploy("b", 2)];
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
      await second.patch({ labels: { app: "other" } });
      await bench.servedBy(first.endpoints);
      await second.patch({ labels: poolLabels });
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
    });

    it("takes a pod that comes back under its name and address for one with an empty cache", async () => {
      const [, , events, replay] = bench.ports;
      const first = await bench.deploy("a", 1, { kvPorts: [events, replay] });
      await bench.servedBy(first.endpoints);
      const talk = opening(1);
      await ask(bench.gateway, talk);
      await eventsFollowed(first);
      expect(await overlapOf(await ask(bench.gateway, talk))).toBeGreaterThan(0);
      await first.delete();
      await first.endWorkers();
      // It publishes nothing: only its UID tells that it is another one.
      const second = await bench.deploy("a", 1);
      await blocksForgotten();
      await bench.servedBy(second.endpoints);
      expect(await overlapOf(await ask(bench.gateway, talk))).toBe(0);
    });

    it("takes a pod whose container was started again for one with an empty cache", async () => {
      const [, , events, replay] = bench.ports;
      const pod = await bench.deploy("a", 1, { kvPorts: [events, replay] });
      await bench.servedBy(pod.endpoints);
      const talk = opening(2);
      await ask(bench.gateway, talk);
      await eventsFollowed(pod);
      expect(await overlapOf(await ask(bench.gateway, talk))).toBeGreaterThan(0);
      for (const worker of pod.workers) worker.resetCache();
      await pod.setReady(true, 1);
      await blocksForgotten();
      expect(await overlapOf(await ask(bench.gateway, talk))).toBe(0);
    });

    it("picks the pod that has an address, and not the one that is leaving it", async () => {
      const leaving = await bench.deploy("a", 1);
      await bench.servedBy(leaving.endpoints);
      await leaving.delete(30);
      await leaving.endWorkers();
      const next = await bench.deploy("b", 1);
      await bench.servedBy(next.endpoints);
      await leaving.delete();
      const other = await bench.deploy("c", 2);
      await bench.servedBy([...next.endpoints, ...other.endpoints]);
    });

    it("follows the pool's selector", async () => {
      const first = await bench.deploy("a", 1);
      const second = await bench.deploy("b", 2, { labels: { app: "engine-2" } });
      await bench.servedBy(first.endpoints);
      await changePool({ selector: { matchLabels: { app: "engine-2" } } });
      await bench.servedBy(second.endpoints);
    });

    it("follows the pool's ports, each of them an endpoint of each pod", async () => {
      const [port, other] = bench.ports;
      const pod = await bench.deploy("a", 1, { ports: [port, other] });
      await bench.servedBy([`127.0.21.1:${port}`]);
      await changePool({ targetPorts: [{ number: port }, { number: other }] });
      await bench.servedBy(pod.endpoints);
      await pod.patch({ annotations: { "llm-d.ai/active-ports": `${other}` } });
      await bench.servedBy([`127.0.21.1:${other}`]);
      await changePool({ targetPorts: [{ number: port }] });
      await until(async () => (await bench.status()) === 503, { what: "no endpoint" });
    });

    it("is not ready while there is no pool", async () => {
      const pod = await bench.deploy("a", 1);
      await bench.servedBy(pod.endpoints);
      await bench.client.delete(inferencePools, poolName);
      await healthBecomes("NOT_SERVING");
      expect(await healthOf(bench.gateway.ports.pickerHealth, "liveness")).toBe("SERVING");
      await until(async () => (await bench.status()) === 503, { what: "no pick" });
      await bench.reset();
      const again = await bench.deploy("a", 1);
      await healthBecomes("SERVING");
      await bench.servedBy(again.endpoints);
    });

    it("goes on with the pods that it knows while the API server is away, and sees afterwards what changed", async () => {
      const [first, second] = [await bench.deploy("a", 1), await bench.deploy("b", 2)];
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
      await cluster.stopServer();
      await bench.servedBy([...first.endpoints, ...second.endpoints]);
      expect(await health()).toBe("SERVING");
      await cluster.startServer();
      await first.delete();
      const third = await bench.deploy("c", 3);
      await bench.servedBy([...second.endpoints, ...third.endpoints]);
    });

    it("is ready only when it has heard of pool and pods", async () => {
      const pod = await bench.deploy("a", 1);
      await bench.servedBy(pod.endpoints);
      await bench.gateway.stopPicker("SIGKILL");
      await cluster.stopServer();
      const started = bench.gateway.startPicker();
      await healthBecomes("NOT_SERVING");
      await cluster.startServer();
      await started;
      expect(await health()).toBe("SERVING");
      await bench.servedBy(pod.endpoints);
    });

    it("asks for nothing that it has no right to", async () => {
      expect(await cluster.refusals()).toEqual([]);
    });

    async function changePool(spec: object): Promise<void> {
      await bench.client.patch(inferencePools, poolName, { spec });
    }

    /** Waits until the picker has taken in all KV events of a pod. */
    async function eventsFollowed(pod: SimPod): Promise<void> {
      const told = () => pod.workers.reduce((sum, worker) => sum + worker.stats().eventChanges, 0);
      const look = async () => {
        const samples = parseMetrics(await bench.gateway.picker.metricsText());
        return told() > 0 && sumOf(samples, "pointsman_kv_events_applied_total", { worker: pod.name }) >= told();
      };
      await until(look, { what: "the picker to follow the KV events" });
    }

    /** Waits until the picker believes of no pod that it holds blocks. To ask would give them blocks again. */
    async function blocksForgotten(): Promise<void> {
      const look = async () =>
        sumOf(parseMetrics(await bench.gateway.picker.metricsText()), "pointsman_index_blocks") === 0;
      await until(look, { what: "an empty index", timeoutMs: 20_000 });
    }

    /** Blocks of the prompt that the picked worker was thought to hold. */
    async function overlapOf({ status, requestId }: Answer): Promise<number> {
      expect(status).toBe(200);
      const { candidates, worker } = await bench.gateway.picker.pickOf(requestId);
      return candidates.find((each) => each.worker === worker)?.overlapBlocks ?? 0;
    }
  });
}
