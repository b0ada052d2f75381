import { describe, expect, it } from "vitest";
import { Catalogue, type WorkerSpec } from "../../../src/fleet/index.ts";
import { idOf, specOf } from "./worker-specs.ts";

/** A catalogue and what its listener heard, as "event worker/rank@slot". */
function listened(...specs: WorkerSpec[]) {
  const catalogue = new Catalogue();
  const heard: string[] = [];
  catalogue.subscribe({
    onAdded: ({ worker, dpRank, slot }) => heard.push(`added ${worker.name}/${dpRank}@${slot}`),
    onRemoved: ({ worker, dpRank, slot }) => heard.push(`removed ${worker.name}/${dpRank}@${slot}`),
    onUpdated: ({ name, health, isDraining }) => heard.push(`updated ${name} ${health} ${isDraining}`),
  });
  for (const spec of specs) catalogue.put(spec);
  return { catalogue, heard };
}

const slotsOf = (catalogue: Catalogue, model?: string) => catalogue.ranksFor(model).map(({ slot }) => slot);

describe("Catalogue slots", () => {
  it("are dense, one a rank", () => {
    const { catalogue, heard } = listened(specOf(1, { dpSize: 2, dpRankStart: 4 }), specOf(2));
    expect(heard).toEqual(["added worker-1/4@0", "added worker-1/5@1", "added worker-2/0@2"]);
    expect(catalogue.slotLimit).toBe(3);
    expect(catalogue.rankAt(1)?.dpRank).toBe(5);
    expect(catalogue.rankAt(3)).toBeUndefined();
  });

  it("are reused from the smallest, after every listener heard of the removal", () => {
    const { catalogue, heard } = listened(specOf(1), specOf(2), specOf(3), specOf(4));
    let slotWhileRemoved: number | undefined;
    catalogue.subscribe({
      onRemoved: ({ slot }) => {
        slotWhileRemoved = catalogue.rankAt(slot)?.slot;
      },
    });
    catalogue.remove(idOf(3));
    catalogue.remove(idOf(1));
    catalogue.put(specOf(5));
    catalogue.put(specOf(6));
    catalogue.put(specOf(7));
    expect(slotWhileRemoved).toBeUndefined();
    expect(heard.slice(4)).toEqual([
      "removed worker-3/0@2",
      "removed worker-1/0@0",
      "added worker-5/0@0",
      "added worker-6/0@2",
      "added worker-7/0@4",
    ]);
  });
});

describe("Catalogue slots freed in any order", () => {
  it.each([{ order: [1, 3, 2] }, { order: [3, 2, 1] }, { order: [2, 1, 3] }])(
    "$order come back ascending",
    ({ order }) => {
      const { catalogue } = listened(specOf(1), specOf(2), specOf(3), specOf(4));
      for (const id of order) catalogue.remove(idOf(id));
      for (const id of [5, 6, 7]) catalogue.put(specOf(id));
      expect([5, 6, 7].map((id) => catalogue.get(idOf(id))?.ranks[0]?.slot)).toEqual([0, 1, 2]);
    },
  );
});

describe("Catalogue.put", () => {
  it("updates a worker of the same incarnation in place", () => {
    const { catalogue, heard } = listened(specOf(1, { models: ["a"] }));
    const worker = catalogue.get(idOf(1));
    const same = catalogue.put(specOf(1, { models: ["b"], taints: new Set(["zone-a"]) }));
    expect(same).toBe(worker);
    expect(heard).toEqual(["added worker-1/0@0", "updated worker-1 unknown false"]);
    expect([slotsOf(catalogue, "a"), slotsOf(catalogue, "b")]).toEqual([[], [0]]);
    expect(worker?.taints.has("zone-a")).toBe(true);
  });

  it.each<[string, Partial<WorkerSpec>]>([
    ["incarnation", { incarnation: "second" }],
    ["endpoint", { endpoint: "10.0.0.9:8000" }],
    ["rank layout", { dpRankStart: 1 }],
    ["event source", { kvEvents: [{ endpoint: "tcp://10.0.0.1:5557", replayEndpoint: undefined }] }],
  ])("takes another %s for another worker", (_, changes) => {
    const { catalogue, heard } = listened(specOf(1));
    const before = catalogue.get(idOf(1));
    if (before !== undefined) catalogue.setHealth(before, "unhealthy");
    catalogue.put(specOf(1, changes));
    expect(heard[2]).toBe("removed worker-1/0@0");
    expect(heard[3]).toMatch(/^added worker-1\/\d@0$/);
    expect(catalogue.get(idOf(1))).not.toBe(before);
    expect(catalogue.get(idOf(1))?.health).toBe("unknown");
  });

  it("takes another spelling of the same endpoint for the same worker", () => {
    const { heard } = listened(specOf(1, { endpoint: "[::1]:80" }), specOf(1, { endpoint: "[0:0::1]:80" }));
    expect(heard).toEqual(["added worker-1/0@0", "updated worker-1 unknown false"]);
  });

  it.each<[Partial<WorkerSpec>, string]>([
    [{ endpoint: "10.0.0.1" }, "worker worker-1: endpoint must be host:port, got 10.0.0.1"],
    [{ dpSize: 0 }, "dpSize"],
    [{ dpSize: 1e9 }, "dpSize"],
    [{ dpRankStart: -1 }, "dpRankStart"],
  ])("refuses %o", (changes, message) => {
    expect(() => new Catalogue().put(specOf(1, changes))).toThrow(message);
  });
});

describe("Catalogue.replaceAll", () => {
  it("removes, keeps and adds", () => {
    const { catalogue, heard } = listened(specOf(1), specOf(2));
    catalogue.replaceAll([specOf(2), specOf(3)]);
    expect(heard.slice(2)).toEqual(["removed worker-1/0@0", "updated worker-2 unknown false", "added worker-3/0@0"]);
    expect([...catalogue.workers()].map(({ name }) => name)).toEqual(["worker-2", "worker-3"]);
    expect(catalogue.size).toBe(2);
  });

  it("changes nothing when one spec is bad", () => {
    const { catalogue } = listened(specOf(1));
    expect(() => catalogue.replaceAll([specOf(2), specOf(3, { endpoint: "" })])).toThrow(RangeError);
    expect([...catalogue.workers()].map(({ name }) => name)).toEqual(["worker-1"]);
  });
});

describe("Catalogue.ranksFor", () => {
  it("lists who serves a model by id, and the same list until something changes", () => {
    const { catalogue } = listened(specOf(3, { models: ["a"] }), specOf(1, { models: ["a", "b"] }), specOf(2));
    expect(catalogue.ranksFor("a").map(({ worker }) => worker.name)).toEqual(["worker-1", "worker-2", "worker-3"]);
    expect(catalogue.ranksFor("b").map(({ worker }) => worker.name)).toEqual(["worker-1", "worker-2"]);
    expect(catalogue.ranksFor(undefined)).toHaveLength(3);
    const list = catalogue.ranksFor("a");
    expect(catalogue.ranksFor("a")).toBe(list);
    catalogue.remove(idOf(1));
    expect(catalogue.ranksFor("a")).not.toBe(list);
    expect(list).toHaveLength(3);
  });
});

describe("Catalogue by endpoint", () => {
  it("compares addresses, not spellings", () => {
    const { catalogue } = listened(specOf(1), specOf(2, { endpoint: "[2001:db8::1]:8000" }));
    expect(catalogue.byEndpoint("10.0.0.1:8000")?.name).toBe("worker-1");
    expect(catalogue.byEndpoint("[2001:DB8:0::1]:8000")?.name).toBe("worker-2");
    expect(catalogue.byEndpoint("10.0.0.1:8001")).toBeUndefined();
    expect(catalogue.byEndpoint("10.0.0.1")).toBeUndefined();
    expect(catalogue.byEndpoint("?")).toBeUndefined();
  });

  it("prefers the youngest of two on one address, and finds the other when it goes", () => {
    const { catalogue } = listened(specOf(1), specOf(2, { endpoint: "10.0.0.1:8000" }));
    expect(catalogue.byEndpoint("10.0.0.1:8000")?.name).toBe("worker-2");
    catalogue.remove(idOf(2));
    expect(catalogue.byEndpoint("10.0.0.1:8000")?.name).toBe("worker-1");
  });
});

describe("Catalogue.matchSubset", () => {
  const { catalogue } = listened(
    specOf(1),
    specOf(2, { endpoint: "10.0.0.1:8001" }),
    specOf(3, { endpoint: "[2001:db8::1]:8000" }),
    specOf(4, { endpoint: "Worker.svc:8000" }),
  );

  it.each([
    { entries: ["10.0.0.1:8001"], names: ["worker-2"] },
    { entries: ["10.0.0.1"], names: ["worker-1", "worker-2"] },
    { entries: [" 10.0.0.1:8000 , [2001:db8:0::1]:8000"], names: ["worker-1", "worker-3"] },
    { entries: ["2001:0db8::0001"], names: ["worker-3"] },
    { entries: ["[2001:db8::1]"], names: ["worker-3"] },
    { entries: ["Worker.svc", "10.9.9.9:1"], names: ["worker-4"] },
    { entries: ["worker.svc:8000"], names: [] },
    { entries: ["", ",", " , "], names: [] },
    { entries: [], names: [] },
    { entries: ["10.0.0.1:8002", "nonsense:port"], names: [] },
  ])("$entries", ({ entries, names }) => {
    expect([...catalogue.matchSubset(entries)].map(({ name }) => name)).toEqual(names);
  });
});

describe("Catalogue health and draining", () => {
  it("tells of changes only", () => {
    const { catalogue, heard } = listened(specOf(1));
    const worker = catalogue.put(specOf(1));
    catalogue.setHealth(worker, "unknown");
    catalogue.setHealth(worker, "healthy");
    catalogue.setHealth(worker, "healthy");
    catalogue.setDraining(worker, true);
    catalogue.setDraining(worker, true);
    expect(heard.slice(2)).toEqual(["updated worker-1 healthy false", "updated worker-1 healthy true"]);
  });

  it("passes over a verdict on a worker that was replaced", () => {
    const { catalogue } = listened(specOf(1));
    const before = catalogue.put(specOf(1));
    const after = catalogue.put(specOf(1, { incarnation: "second" }));
    catalogue.setHealth(before, "unhealthy");
    catalogue.setDraining(before, true);
    expect([after.health, after.isDraining]).toEqual(["unknown", false]);
  });

  it("tells nothing to who unsubscribed", () => {
    const catalogue = new Catalogue();
    let added = 0;
    const unsubscribe = catalogue.subscribe({ onAdded: () => added++ });
    catalogue.put(specOf(1));
    unsubscribe();
    catalogue.put(specOf(2));
    expect(added).toBe(1);
  });
});
