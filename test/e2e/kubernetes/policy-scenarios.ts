import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { inferenceModelRewrites, inferenceObjectives, type ResourceKind } from "../../support/kube-api/index.ts";
import { type Answer, ask } from "../support/client.ts";
import { engineModel } from "../support/picker-settings.ts";
import { opening } from "../support/prompts.ts";
import { until } from "../support/until.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";
import { FleetBench, poolName } from "./fleet-bench.ts";
import type { SimPod } from "./sim-pod.ts";

const otherModel = "other-engine";

/** One worker takes one request at a time; whoever may wait does so for a fifth of a second. */
const picker = {
  models: [
    { name: engineModel, loadOnly: true, blockSize: 16 },
    { name: otherModel, loadOnly: true, blockSize: 16 },
  ],
  admission: { maxRequests: 1, maxWaitMs: 200 },
};

/** What must hold of InferenceObjectives and InferenceModelRewrites, whatever API server is behind the picker. */
export function describePolicies(name: string, startCluster: () => Promise<ClusterUnderTest>): void {
  describe(name, () => {
    let cluster: ClusterUnderTest;
    let bench: FleetBench;
    const created: (readonly [kind: ResourceKind, name: string])[] = [];
    let prompts = 0;

    beforeAll(async () => {
      cluster = await startCluster();
      bench = await FleetBench.start(cluster, picker);
    });

    afterEach(async ({ task }) => {
      if (task.result?.state === "fail") console.error(bench.gateway.report());
      for (const [kind, object] of created.splice(0)) await bench.client.delete(kind, object).catch(() => undefined);
      await bench.reset();
    });

    afterAll(async () => {
      await bench?.stop();
      await cluster?.stop();
    });

    async function create(kind: ResourceKind, object: string, spec: object, pool = poolName): Promise<void> {
      await bench.client.create(kind, { metadata: { name: object }, spec: { poolRef: { name: pool }, ...spec } });
      created.push([kind, object]);
    }

    async function request(model: string, headers: Readonly<Record<string, string>> = {}, outputTokens = 1) {
      return await ask(bench.gateway, opening(5_000 + prompts++, 10), { model, headers, outputTokens });
    }

    /** The model that the worker was asked for, by an answer that must be a 200 with the client's name. */
    function servedModel(pod: SimPod, model: string, { status, body, requestId }: Answer): string | undefined {
      if (status !== 200) return `${status}`;
      expect((JSON.parse(body) as { model: string }).model).toBe(model);
      const record = pod.workers[0]
        ?.requests()
        .find(({ headers }) => headers.some(([key, value]) => key === "x-request-id" && value === requestId));
      return (JSON.parse(Buffer.from(record?.bodyHeadBase64 ?? "", "base64").toString()) as { model: string }).model;
    }

    /** Asks for a model until the worker is asked for the expected one (or the status is that number). */
    async function becomes(pod: SimPod, model: string, expected: string): Promise<void> {
      let seen: string | undefined;
      const look = async () => {
        seen = servedModel(pod, model, await request(model));
        if (seen !== expected) throw new Error(`went on as ${seen}`);
        return true;
      };
      await until(look, { what: `${model} to go on as ${expected}` });
    }

    const exactly = (value: string) => [{ model: { type: "Exact", value } }];

    it.each([
      ["llm-d.ai", inferenceModelRewrites.current],
      ["inference.networking.x-k8s.io", inferenceModelRewrites.legacy],
    ] as const)("sends requests on under another name of their model (%s)", async (_group, kind) => {
      const pod = await bench.deploy("a", 1);
      await becomes(pod, "food-review", "404");
      await create(kind, "rewrite", {
        rules: [{ matches: exactly("food-review"), targets: [{ modelRewrite: engineModel }] }],
      });
      await becomes(pod, "food-review", engineModel);
      await bench.client.patch(kind, "rewrite", {
        spec: { rules: [{ matches: exactly("food-review"), targets: [{ modelRewrite: otherModel }] }] },
      });
      await becomes(pod, "food-review", otherModel);
      await bench.client.delete(kind, "rewrite");
      await becomes(pod, "food-review", "404");
    });

    it("prefers an exact rule to a generic one, and leaves other pools' rules alone", async () => {
      const pod = await bench.deploy("a", 1);
      const { current, legacy } = inferenceModelRewrites;
      await create(legacy, "a-generic", { rules: [{ targets: [{ modelRewrite: otherModel }] }] });
      await becomes(pod, "anything", otherModel);
      await create(current, "exact", { rules: [{ matches: exactly("x"), targets: [{ modelRewrite: engineModel }] }] });
      await becomes(pod, "x", engineModel);
      const foreign = { rules: [{ matches: exactly("anything"), targets: [{ modelRewrite: engineModel }] }] };
      await create(current, "foreign", foreign, "another-pool");
      await create(current, "marker", { rules: [{ matches: exactly("y"), targets: [{ modelRewrite: engineModel }] }] });
      await becomes(pod, "y", engineModel);
      await becomes(pod, "anything", otherModel);
    });

    it("splits requests by the weights of a rule's targets", async () => {
      const pod = await bench.deploy("a", 1);
      const targets = [
        { modelRewrite: engineModel, weight: 300 },
        { modelRewrite: otherModel, weight: 100 },
      ];
      await create(inferenceModelRewrites.current, "split", { rules: [{ matches: exactly("split"), targets }] });
      await until(async () => (await request("split")).status === 200, { what: "the rule to be known" });
      const asks = 200;
      let first = 0;
      for (let i = 0; i < asks; i++) {
        if (servedModel(pod, "split", await request("split")) === engineModel) first++;
      }
      // The deviation of 200 draws at three in four is 6.1.
      expect(Math.abs(first - 150)).toBeLessThan(31);
    });

    it.each([
      ["llm-d.ai", inferenceObjectives.current, "x-llm-d-inference-objective"],
      ["inference.networking.x-k8s.io", inferenceObjectives.legacy, "x-gateway-inference-objective"],
    ] as const)("gives requests the priority of their objective (%s)", async (_group, kind, header) => {
      await bench.deploy("a", 1);
      await until(async () => (await request(engineModel)).status === 200, { what: "the pod to be picked" });
      /** Why a request of the objective is refused while the worker is busy. */
      const refusal = async () => {
        const long = request(engineModel, {}, 1_000);
        const { status, body } = await request(engineModel, { [header]: "batch" });
        await long;
        return status === 200 ? "none" : (JSON.parse(body) as { error: { code: string } }).error.code;
      };
      await until(async () => (await refusal()) === "queue_timeout", { what: "a wait without an objective" });
      await create(kind, "batch", { priority: -1 });
      await until(async () => (await refusal()) === "saturated", { what: "a refusal at once" });
      await bench.client.patch(kind, "batch", { spec: { priority: 5 } });
      await until(async () => (await refusal()) === "queue_timeout", { what: "a wait with a better priority" });
    });
  });
}
