import { describe, expect, it } from "vitest";
import { Catalogue, type Worker } from "../../../../src/fleet/index.ts";
import type { Pod } from "../../../../src/fleet/kubernetes/pod.ts";
import { PodFleet } from "../../../../src/fleet/kubernetes/pod-fleet.ts";
import { specOf } from "../worker-specs.ts";

function podOf(name: string, changes: Partial<Pod> = {}): Pod {
  return {
    name,
    uid: `uid-${name}`,
    version: undefined,
    ip: "10.0.0.1",
    isReady: true,
    isOver: false,
    labels: new Map(),
    annotations: new Map(),
    ports: [],
    restarts: 0,
    ...changes,
  };
}

const withId = (id: string) => new Map([["pointsman.dev/worker-id", id]]);

function start() {
  const catalogue = new Catalogue();
  const told: string[] = [];
  const context = {
    pool: { selector: new Map([["a", "b"]]), targetPorts: [8000], isH2c: false },
    defaults: {
      role: "aggregated" as const,
      dpSize: 1,
      kvEventsPort: undefined,
      kvReplayPort: undefined,
      metricsPort: undefined,
      totalKvBlocks: undefined,
      headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
      handovers: new Map(),
    },
    healthPath: undefined,
    models: { all: [], named: () => undefined },
  };
  const fleet = new PodFleet(catalogue, context, {
    refusedSetting: (pod, key) => told.push(`${pod} ${key}`),
    refusedId: (pod, id) => told.push(`${pod} id ${id}`),
  });
  const names = () =>
    [...catalogue.workers()].map(({ name, isDraining }) => (isDraining ? `${name} draining` : name)).sort();
  return { catalogue, fleet, told, names };
}

describe("PodFleet", () => {
  it("takes a pod in once it is ready, and drains it while it is not", () => {
    const { fleet, names } = start();
    fleet.put("a", podOf("a", { isReady: false }));
    expect(names()).toEqual([]);
    fleet.put("a", podOf("a"));
    expect(names()).toEqual(["a"]);
    fleet.put("a", podOf("a", { isReady: false }));
    expect(names()).toEqual(["a draining"]);
    fleet.put("a", podOf("a"));
    expect(names()).toEqual(["a"]);
  });

  it("keeps a worker as it is while nothing of it changes", () => {
    const { catalogue, fleet } = start();
    const updated: Worker[] = [];
    fleet.put("a", podOf("a"));
    catalogue.subscribe({ onUpdated: (worker) => updated.push(worker) });
    fleet.put("a", podOf("a"));
    expect(updated).toEqual([]);
    fleet.put("a", podOf("a", { labels: new Map([["zone", "b"]]) }));
    expect(updated).toHaveLength(1);
  });

  it("does not look at a pod again whose version it knows", () => {
    const { catalogue, fleet, names } = start();
    fleet.put("a", podOf("a", { version: "5" }));
    const [worker] = [...catalogue.workers()];
    // What a pod of the same version cannot be.
    fleet.replaced(new Map([["a", podOf("a", { version: "5", isReady: false })]]));
    expect([...catalogue.workers()]).toEqual([worker]);
    expect(names()).toEqual(["a"]);
    fleet.replaced(new Map([["a", podOf("a", { version: "6", isReady: false })]]));
    expect(names()).toEqual(["a draining"]);
  });

  it("does not overrule whoever drains a worker that stays ready", () => {
    const { catalogue, fleet, names } = start();
    fleet.put("a", podOf("a"));
    const [worker] = [...catalogue.workers()];
    if (worker !== undefined) catalogue.setDraining(worker, true);
    fleet.put("a", podOf("a", { labels: new Map([["x", "y"]]) }));
    expect(names()).toEqual(["a draining"]);
  });

  it("has another worker for a pod of the same name with another UID, only once that is ready", () => {
    const { fleet, names } = start();
    fleet.put("a", podOf("a"));
    fleet.put("a", podOf("a", { uid: "other", isReady: false }));
    expect(names()).toEqual([]);
    fleet.put("a", podOf("a", { uid: "other" }));
    expect(names()).toEqual(["a"]);
  });

  it("drops a pod whose processes have ended, whose address may be another's", () => {
    const { fleet, names } = start();
    fleet.put("a", podOf("a"));
    fleet.put("a", podOf("a", { isOver: true }));
    fleet.put("b", podOf("b"));
    expect(names()).toEqual(["b"]);
  });

  it("leaves a pod out whose id another one has, tells once, and takes it in when the id is free", () => {
    const { fleet, told, names } = start();
    fleet.put("a", podOf("a", { annotations: withId("7") }));
    fleet.put("b", podOf("b", { ip: "10.0.0.2", annotations: withId("7") }));
    fleet.put("b", podOf("b", { ip: "10.0.0.2", annotations: withId("7") }));
    expect(names()).toEqual(["a"]);
    expect(told).toEqual(["b id 7"]);
    fleet.removed("a");
    expect(names()).toEqual(["b"]);
  });

  it("takes in none of many pods of one id that go together, and reads one alone when another goes", () => {
    const { catalogue, fleet, names } = start();
    const reads: string[] = [];
    const pods = new Map(
      ["a", "b", "c", "d", "e"].map((name) => {
        const pod = podOf(name, { version: "1" });
        const annotations = withId("7");
        const read = {
          get annotations() {
            reads.push(name);
            return annotations;
          },
        };
        return [name, Object.defineProperties({ ...pod }, Object.getOwnPropertyDescriptors(read))] as const;
      }),
    );
    const added: string[] = [];
    catalogue.subscribe({ onAdded: ({ worker }) => added.push(worker.name) });
    fleet.replaced(pods);
    for (const name of ["a", "b"]) pods.delete(name);
    fleet.replaced(pods);
    expect(added).toEqual(["a", "c"]);
    reads.length = 0;
    fleet.removed("c");
    expect(new Set(reads)).toEqual(new Set(["d"]));
    fleet.clear();
    expect(added).toEqual(["a", "c", "d"]);
    expect(names()).toEqual([]);
  });

  it("gives a pod its id with the next list, once nobody else has it, even if the pod is as it was", () => {
    const { catalogue, fleet, names } = start();
    const stranger = catalogue.put(specOf(7, { name: "stranger" }));
    const pod = podOf("a", { annotations: withId("7"), version: "1" });
    fleet.put("a", pod);
    expect(names()).toEqual(["stranger"]);
    catalogue.remove(stranger.id);
    fleet.put("a", { ...pod });
    expect(names()).toEqual(["a"]);
  });

  it("leaves workers alone that are none of its own", () => {
    const { catalogue, fleet, told, names } = start();
    catalogue.put(specOf(7));
    fleet.put("a", podOf("a", { annotations: withId("7") }));
    fleet.put("b", podOf("b"));
    fleet.clear();
    expect(names()).toEqual(["worker-7"]);
    expect(told).toEqual(["a id 7"]);
  });

  it("tells of a setting that cannot be used once, not with each event", () => {
    const { fleet, told } = start();
    const annotations = new Map([["pointsman.dev/role", "boss"]]);
    for (let i = 0; i < 3; i++) fleet.put("a", podOf("a", { annotations }));
    expect(told).toEqual(["a pointsman.dev/role"]);
  });
});
