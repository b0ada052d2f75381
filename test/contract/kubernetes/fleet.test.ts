import { afterEach, describe, expect, it } from "vitest";
import { inferencePools, pods, StatusError } from "../../support/kube-api/index.ts";
import { DiscoveredFleet, namespace } from "./discovered-fleet.ts";

const running: DiscoveredFleet[] = [];
afterEach(async () => {
  for (const fleet of running.splice(0)) await fleet.close();
});

async function start(...options: Parameters<typeof DiscoveredFleet.start>): Promise<DiscoveredFleet> {
  const fleet = await DiscoveredFleet.start(...options);
  running.push(fleet);
  return fleet;
}

/** A fleet that follows a pool with two ready pods. */
async function synced(...options: Parameters<typeof DiscoveredFleet.start>): Promise<DiscoveredFleet> {
  const fleet = await start(...options);
  await fleet.createPool();
  await fleet.createPod("a", 1);
  await fleet.createPod("b", 2);
  fleet.fleet.start();
  await fleet.fleet.synced;
  return fleet;
}

const both = ["a 10.0.0.1:8000", "b 10.0.0.2:8000"];

describe("a fleet in Kubernetes", () => {
  it("is the ready pods of the pool, in as many pages as there are", async () => {
    const fleet = await start();
    await fleet.createPool();
    for (let i = 1; i <= 5; i++) await fleet.createPod(`pod-${i}`, i);
    await fleet.createPod("other", 9, { labels: { app: "frontend" } });
    fleet.fleet.start();
    await fleet.fleet.synced;
    expect(fleet.workers).toEqual([1, 2, 3, 4, 5].map((i) => `pod-${i} 10.0.0.${i}:8000`));
    expect(fleet.fleet.isReady).toBe(true);
  });

  it("looks at no pod before the pool is there, and is not ready", async () => {
    const fleet = await start();
    await fleet.createPod("a", 1);
    fleet.fleet.start();
    await expect.poll(() => fleet.told.lines).toEqual(["pool pool gone"]);
    expect(
      fleet.api.requests.filter(({ kind, verb }) => kind === pods && verb !== "create" && verb !== "patch"),
    ).toEqual([]);
    expect(fleet.fleet.isReady).toBe(false);
    await fleet.createPool();
    await fleet.fleet.synced;
    expect(fleet.workers).toEqual(["a 10.0.0.1:8000"]);
  });

  it("tells once that there is no pool, however often it is listed", async () => {
    const fleet = await start({}, { missing: [inferencePools] });
    fleet.fleet.start();
    const lists = () => fleet.api.requests.length;
    await expect.poll(() => fleet.told.lines).toContain("inferencepools missing");
    fleet.api.install(inferencePools);
    await expect.poll(lists).toBeGreaterThan(1);
    fleet.api.expireWatches();
    await expect.poll(lists).toBeGreaterThan(3);
    expect(fleet.told.lines).toEqual(["pool pool gone", "inferencepools missing"]);
  });

  it("waits for the kind of the pool to be installed", async () => {
    const fleet = await start({}, { missing: [inferencePools] });
    fleet.fleet.start();
    await expect.poll(() => fleet.told.lines).toContain("inferencepools missing");
    fleet.api.install(inferencePools);
    await fleet.createPool();
    await fleet.createPod("a", 1);
    await fleet.fleet.synced;
    await expect.poll(() => fleet.workers).toEqual(["a 10.0.0.1:8000"]);
    expect(fleet.told.lines.filter((line) => line === "inferencepools missing")).toHaveLength(1);
  });

  it("follows pods that come, become ready, leave and go", async () => {
    const fleet = await synced();
    await fleet.kube.create(pods, { metadata: { name: "c", labels: { app: "vllm" } }, spec: {} });
    await fleet.createPod("d", 4);
    await expect.poll(() => fleet.workers).toEqual([...both, "d 10.0.0.4:8000"]);
    await fleet.setReady("c", 3);
    await expect.poll(() => fleet.workers).toContain("c 10.0.0.3:8000");
    await fleet.kube.delete(pods, "d", 30);
    await expect.poll(() => fleet.workers).toContain("d 10.0.0.4:8000 draining");
    await fleet.kube.delete(pods, "d");
    await fleet.setReady("c", 3, false);
    await expect.poll(() => fleet.workers).toEqual([...both, "c 10.0.0.3:8000 draining"]);
    await fleet.setReady("c", 3);
    await expect.poll(() => fleet.workers).toEqual([...both, "c 10.0.0.3:8000"]);
  });

  it("drops a pod whose labels no longer match", async () => {
    const fleet = await synced();
    await fleet.kube.patch(pods, "a", { metadata: { labels: { app: "retired" } } });
    await expect.poll(() => fleet.workers).toEqual(["b 10.0.0.2:8000"]);
  });

  it("takes a pod that came back under its name for another worker", async () => {
    const fleet = await synced();
    const before = fleet.catalogue.byEndpoint("10.0.0.1:8000");
    await fleet.kube.delete(pods, "a");
    const { metadata } = await fleet.createPod("a", 1);
    await expect.poll(() => fleet.catalogue.byEndpoint("10.0.0.1:8000")?.incarnation).toBe(metadata.uid);
    expect(fleet.catalogue.byEndpoint("10.0.0.1:8000")).not.toBe(before);
  });

  it("has a worker for each port of the pool, and follows a change of the ports", async () => {
    const fleet = await synced();
    await fleet.kube.patch(inferencePools, "pool", { spec: { targetPorts: [{ number: 8000 }, { number: 8001 }] } });
    await expect
      .poll(() => fleet.workers)
      .toEqual([
        "a-rank-0 10.0.0.1:8000",
        "a-rank-1 10.0.0.1:8001",
        "b-rank-0 10.0.0.2:8000",
        "b-rank-1 10.0.0.2:8001",
      ]);
    await fleet.kube.patch(pods, "a", { metadata: { annotations: { "llm-d.ai/active-ports": "8001" } } });
    await expect.poll(() => fleet.workers).not.toContain("a-rank-0 10.0.0.1:8000");
    expect(fleet.workers).toContain("a-rank-1 10.0.0.1:8001");
  });

  it("begins anew when the selector changes, and stays ready", async () => {
    const fleet = await synced();
    await fleet.createPod("next", 7, { labels: { app: "vllm-2" } });
    const readiness: boolean[] = [];
    fleet.fleet.onReadiness = () => readiness.push(fleet.fleet.isReady);
    await fleet.kube.patch(inferencePools, "pool", { spec: { selector: { matchLabels: { app: "vllm-2" } } } });
    await expect.poll(() => fleet.workers).toEqual(["next 10.0.0.7:8000"]);
    expect(readiness).toEqual([]);
  });

  it.each([
    { name: "deleted", change: (fleet: DiscoveredFleet) => fleet.kube.delete(inferencePools, "pool") },
    { name: "being deleted", change: (fleet: DiscoveredFleet) => stampDeletion(fleet) },
    { name: "no longer a kind", change: async (fleet: DiscoveredFleet) => fleet.api.uninstall(inferencePools) },
  ])("has no workers and is not ready while the pool is $name", async ({ change }) => {
    const fleet = await synced();
    await change(fleet);
    await expect.poll(() => fleet.fleet.isReady).toBe(false);
    expect(fleet.workers).toEqual([]);
  });

  it("has its workers again when the pool is", async () => {
    const fleet = await synced();
    await fleet.kube.delete(inferencePools, "pool");
    await expect.poll(() => fleet.workers).toEqual([]);
    await fleet.createPool();
    await expect.poll(() => fleet.workers).toEqual(both);
    expect(fleet.fleet.isReady).toBe(true);
  });

  it("refuses a pool that selects everything", async () => {
    const fleet = await synced();
    await fleet.kube.patch(inferencePools, "pool", { spec: { selector: { matchLabels: { app: null } } } });
    await expect.poll(() => fleet.fleet.isReady).toBe(false);
    expect(fleet.told.lines.at(-1)).toBe("pool pool: spec.selector.matchLabels is empty");
  });

  it("finds pods by the settings' selector and a port's name where there is no pool", async () => {
    const pool = { selector: new Map([["app", "vllm"]]), targetPorts: ["http"], isH2c: false };
    const fleet = await start({ source: { pool } }, { missing: [inferencePools] });
    const metadata = { name: "a", labels: { app: "vllm" } };
    const ports = [{ name: "http", containerPort: 8080 }];
    await fleet.kube.create(pods, { metadata, spec: { containers: [{ name: "engine", ports }] } });
    await fleet.setReady("a", 1);
    fleet.fleet.start();
    await fleet.fleet.synced;
    expect(fleet.workers).toEqual(["a 10.0.0.1:8080"]);
  });
});

describe("a fleet whose API server has faults", () => {
  it.each(["end", "mid-line", "reset"] as const)("misses nothing when a watch is cut: %s", async (how) => {
    const fleet = await synced();
    await expect.poll(() => fleet.api.watches(pods).length).toBe(1);
    fleet.api.dropWatches(how);
    await fleet.createPod("c", 3);
    await fleet.kube.delete(pods, "a");
    await expect.poll(() => fleet.workers).toEqual(["b 10.0.0.2:8000", "c 10.0.0.3:8000"]);
  });

  it("lists anew when what it missed is no longer kept", async () => {
    const fleet = await synced();
    await expect.poll(() => fleet.api.watches(pods).length).toBe(1);
    fleet.api.holdRequests();
    fleet.api.dropWatches("end");
    fleet.api.store.delete(pods, namespace, "a");
    fleet.api.store.compact();
    fleet.api.releaseRequests();
    await expect.poll(() => fleet.workers).toEqual(["b 10.0.0.2:8000"]);
    expect(fleet.told.lines).not.toContain("pods lost");
  });

  it("lists anew when a watch ends with 410", async () => {
    const fleet = await synced();
    const lists = () => fleet.api.requests.filter(({ verb, kind }) => verb === "list" && kind === pods).length;
    await expect.poll(() => fleet.api.watches(pods).length).toBe(1);
    const before = lists();
    fleet.api.expireWatches();
    await expect.poll(lists).toBeGreaterThan(before);
    await fleet.createPod("c", 3);
    await expect.poll(() => fleet.workers).toEqual([...both, "c 10.0.0.3:8000"]);
  });

  it("keeps what it knows while the server is away, and catches up with it", async () => {
    const fleet = await synced();
    await expect.poll(() => fleet.api.watches(pods).length).toBe(1);
    await fleet.api.stop();
    await expect.poll(() => fleet.told.lines).toContain("pods lost");
    expect(fleet.workers).toEqual(both);
    expect(fleet.fleet.isReady).toBe(true);
    fleet.api.store.delete(pods, namespace, "b");
    await fleet.api.restart();
    await expect.poll(() => fleet.workers).toEqual(["a 10.0.0.1:8000"]);
  });

  it("goes on from the last bookmark, without a list", async () => {
    const fleet = await synced();
    await expect.poll(() => fleet.api.watches(pods).length).toBe(1);
    // Changes of other kinds move the version on, past what is kept for this watch.
    for (let i = 0; i < 5; i++) await fleet.createPod(`other-${i}`, 50 + i, { labels: { app: "else" } });
    fleet.api.bookmark();
    const lists = () => fleet.api.requests.filter(({ verb, kind }) => verb === "list" && kind === pods).length;
    const before = lists();
    const marked = `${fleet.api.store.version}`;
    await expect
      .poll(() => {
        fleet.api.dropWatches("end", pods);
        return fleet.api.requests.at(-1)?.query.get("resourceVersion");
      })
      .toBe(marked);
    expect(lists()).toBe(before);
  });

  it("tells once that it may not read, and tries again", async () => {
    const fleet = await start();
    await fleet.createPool();
    await fleet.createPod("a", 1);
    fleet.api.forbid(pods, "list");
    fleet.fleet.start();
    await expect.poll(() => fleet.api.requests.filter(({ status }) => status === 403).length).toBeGreaterThan(3);
    expect(fleet.told.lines.filter((line) => line === "pods lost")).toHaveLength(1);
    fleet.api.allow(pods, "list");
    await fleet.fleet.synced;
    expect(fleet.workers).toEqual(["a 10.0.0.1:8000"]);
  });

  it("comes through errors of the server while it begins", async () => {
    const fleet = await start();
    await fleet.createPool();
    await fleet.createPod("a", 1);
    const busy = new StatusError("busy", { code: 429, reason: "TooManyRequests" });
    fleet.api.fail({ error: busy, times: 2 });
    fleet.api.fail({ verb: "watch", error: new StatusError("broken", { code: 500, reason: "InternalError" }) });
    fleet.fleet.start();
    await fleet.fleet.synced;
    expect(fleet.workers).toEqual(["a 10.0.0.1:8000"]);
  });

  it("shows its token, and is refused without the right one", async () => {
    const fleet = await synced({}, { token: "secret" });
    expect(fleet.workers).toEqual(both);
  });
});

/** A deletion that a finalizer holds up. */
async function stampDeletion(fleet: DiscoveredFleet): Promise<void> {
  await fleet.kube.patch(inferencePools, "pool", { metadata: { finalizers: ["a.example/held"] } });
  await fleet.kube.delete(inferencePools, "pool");
}
