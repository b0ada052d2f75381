import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ClusterClient, PoolPolicies, type RewriteRule, systemTimers } from "../../../src/fleet/index.ts";
import {
  inferenceModelRewrites,
  inferenceObjectives,
  type KubeApiOptions,
  KubeApiServer,
  KubeClient,
  kubeconfig,
} from "../../support/kube-api/index.ts";

const namespace = "serving";
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const poolRef = { name: "pool" };
const group = "inference.networking.k8s.io";

/** Policies that follow an API server, and what they have come to. */
async function start(options: KubeApiOptions = {}) {
  const api = await KubeApiServer.start(options);
  closers.push(() => api.stop());
  const kube = new KubeClient({ url: api.url }, namespace);
  closers.push(() => kube.close());
  const folder = await mkdtemp(join(tmpdir(), "policies-"));
  closers.push(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "kubeconfig"), kubeconfig({ url: api.url }, namespace));
  const client = await ClusterClient.open({
    kubeconfig: join(folder, "kubeconfig"),
    context: undefined,
    requestTimeoutMs: 5_000,
    watchIdleMs: 60_000,
    maxPageBytes: 1_048_576,
    maxEventBytes: 65_536,
  });
  closers.push(() => client.close());
  const known = { priorities: new Map() as ReadonlyMap<string, number>, rules: [] as readonly RewriteRule[] };
  const told: string[] = [];
  const policies = new PoolPolicies(
    client,
    {
      namespace,
      poolName: "pool",
      poolGroup: group,
      pageSize: 2,
      maxObjects: 100,
      reconnectMinMs: 5,
      reconnectMaxMs: 50,
      missingRetryMs: 10,
      watchTimeoutMs: 60_000,
    },
    {
      prioritiesChanged: (priorities) => {
        known.priorities = priorities;
      },
      rewritesChanged: (rules) => {
        known.rules = rules;
      },
    },
    {
      timers: systemTimers,
      random: () => 0,
      now: () => performance.now(),
      observer: {
        lost: (resource) => told.push(`${resource} lost`),
        recovered: (resource) => told.push(`${resource} recovered`),
        missing: (resource) => told.push(`${resource} missing`),
        overflowed: (resource) => told.push(`${resource} overflowed`),
      },
    },
  );
  closers.push(() => policies.close());
  return { api, kube, known, told, policies };
}

const objective = (name: string, priority: number | undefined, pool: object = poolRef) => ({
  metadata: { name },
  spec: { poolRef: pool, ...(priority === undefined ? {} : { priority }) },
});

const rewrite = (name: string, model: string, target: string) => ({
  metadata: { name },
  spec: {
    poolRef,
    rules: [{ matches: [{ model: { type: "Exact", value: model } }], targets: [{ modelRewrite: target }] }],
  },
});

describe("InferenceObjectives", () => {
  it("give priorities, of both groups, of this pool only", async () => {
    const { kube, known, policies } = await start();
    await kube.create(inferenceObjectives.current, objective("critical", 10));
    await kube.create(inferenceObjectives.current, objective("usual", undefined));
    await kube.create(inferenceObjectives.legacy, objective("sheddable", -5));
    await kube.create(inferenceObjectives.legacy, objective("critical", 1));
    await kube.create(inferenceObjectives.current, objective("elsewhere", 3, { name: "other" }));
    await kube.create(inferenceObjectives.current, objective("othergroup", 3, { name: "pool", group: "x.example" }));
    await kube.create(inferenceObjectives.current, objective("named", 4, { name: "pool", group }));
    policies.start();
    await policies.settled();
    const expected = { critical: 10, named: 4, sheddable: -5, usual: 0 };
    expect(Object.fromEntries(known.priorities)).toEqual(expected);
    await kube.patch(inferenceObjectives.current, "critical", { spec: { priority: 11 } });
    await expect.poll(() => known.priorities.get("critical")).toBe(11);
    await kube.delete(inferenceObjectives.current, "critical");
    await expect.poll(() => known.priorities.get("critical")).toBe(1);
  });

  it("may be missing: that is told once, and they count once their kind is there", async () => {
    const kinds = [...Object.values(inferenceObjectives), ...Object.values(inferenceModelRewrites)];
    const { api, kube, known, told, policies } = await start({ missing: kinds });
    policies.start();
    await policies.settled();
    expect(known.priorities.size).toBe(0);
    await expect.poll(() => api.requests.length + told.length).toBeGreaterThan(3);
    api.install(inferenceObjectives.current);
    await kube.create(inferenceObjectives.current, objective("late", 2));
    await expect.poll(() => known.priorities.get("late")).toBe(2);
    expect(told.sort()).toEqual([
      "inferencemodelrewrites.inference.networking.x-k8s.io missing",
      "inferencemodelrewrites.llm-d.ai missing",
      "inferenceobjectives.inference.networking.x-k8s.io missing",
      "inferenceobjectives.llm-d.ai missing",
    ]);
  });

  it("that may not be read keep nobody from being ready", async () => {
    const { api, told, policies } = await start();
    for (const kind of [...Object.values(inferenceObjectives), ...Object.values(inferenceModelRewrites)]) {
      api.forbid(kind, "list", "watch");
    }
    policies.start();
    await policies.settled();
    expect(told.filter((line) => line.endsWith("lost"))).toHaveLength(4);
  });
});

describe("InferenceModelRewrites", () => {
  it("come in the order of their age, of both groups", async () => {
    const { api, known, policies } = await start();
    const at = (second: number) => `2026-01-01T00:00:0${second}Z`;
    const put = (kind: typeof inferenceModelRewrites.current, name: string, createdAt: string) => {
      api.store.create(kind, namespace, rewrite(name, "m", name));
      api.store.update(kind, namespace, name, (object) => ({
        ...object,
        metadata: { ...object.metadata, creationTimestamp: createdAt },
      }));
    };
    put(inferenceModelRewrites.current, "young", at(3));
    put(inferenceModelRewrites.legacy, "old", at(1));
    put(inferenceModelRewrites.current, "b", at(2));
    put(inferenceModelRewrites.current, "a", at(2));
    policies.start();
    await policies.settled();
    expect(known.rules.map(({ targets }) => targets[0]?.model)).toEqual(["old", "a", "b", "young"]);
  });

  it("are read with all their matches and weights, and changed as they change", async () => {
    const { kube, known, policies } = await start();
    const targets = [
      { modelRewrite: "x", weight: 1 },
      { modelRewrite: "y", weight: 3 },
    ];
    await kube.create(inferenceModelRewrites.current, {
      metadata: { name: "r" },
      spec: {
        poolRef,
        rules: [
          { targets },
          { matches: [], targets },
          { matches: [{ model: { value: "a" } }, { model: { value: "b" } }], targets },
        ],
      },
    });
    policies.start();
    await policies.settled();
    const split = [
      { model: "x", weight: 1 },
      { model: "y", weight: 3 },
    ];
    expect(known.rules).toEqual([
      { models: undefined, targets: split },
      { models: undefined, targets: split },
      { models: ["a", "b"], targets: split },
    ]);
    await kube.delete(inferenceModelRewrites.current, "r");
    await expect.poll(() => known.rules).toEqual([]);
  });
});
