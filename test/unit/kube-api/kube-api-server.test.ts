import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  collectionPath,
  inferenceModelRewrites,
  inferenceObjectives,
  inferencePools,
  KubeApiServer,
  KubeClient,
  kubeconfig,
  pods,
  StatusError,
} from "../../support/kube-api/index.ts";
import { EventReader } from "./event-reader.ts";

const gone = { code: 410, reason: "Expired" };

describe("the API server of the tests", () => {
  let server: KubeApiServer;
  let client: KubeClient;
  const readers: EventReader[] = [];

  beforeEach(async () => {
    server = await KubeApiServer.start();
    client = new KubeClient(server, "test");
  });

  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close();
    await client.close();
    await server.stop();
  });

  async function watch(query: string, kind = pods): Promise<EventReader> {
    const reader = await EventReader.open(`${server.url}${collectionPath(kind, "test")}?watch=true&${query}`);
    readers.push(reader);
    return reader;
  }

  async function list(query = "", kind = pods) {
    const response = await fetch(`${server.url}${collectionPath(kind, "test")}?${query}`);
    const body = (await response.json()) as {
      metadata: { resourceVersion: string; continue?: string };
      items: { metadata: { name: string } }[];
      reason?: string;
    };
    return { ...body, status: response.status, names: body.items?.map(({ metadata }) => metadata.name) };
  }

  it("lists what labels and names select", async () => {
    await client.create(pods, { metadata: { name: "a", labels: { app: "x", tier: "1" } } });
    await client.create(pods, { metadata: { name: "b", labels: { app: "x", tier: "2" } } });
    await client.create(pods, { metadata: { name: "c", labels: { app: "y" } } });
    const selected = async (selector: string) => (await list(`labelSelector=${encodeURIComponent(selector)}`)).names;
    expect(await selected("app=x")).toEqual(["a", "b"]);
    expect(await selected("app=x,tier!=1")).toEqual(["b"]);
    expect(await selected("tier notin (1)")).toEqual(["b", "c"]);
    expect(await selected("tier in (1, 3),app")).toEqual(["a"]);
    expect(await selected("!tier")).toEqual(["c"]);
    expect((await list("fieldSelector=metadata.name%3Db")).names).toEqual(["b"]);
    expect((await list(`labelSelector=${encodeURIComponent("a in b")}`)).status).toBe(400);
  });

  it("tells a watch what comes into its selection, changes in it and leaves it", async () => {
    const { metadata } = await list();
    const reader = await watch(`labelSelector=app%3Dx&resourceVersion=${metadata.resourceVersion}`);
    await client.create(pods, { metadata: { name: "a", labels: { app: "x" } } });
    await client.create(pods, { metadata: { name: "other" } });
    await client.patchStatus(pods, "a", { phase: "Running" });
    await client.patch(pods, "a", { metadata: { labels: { app: "y" } } });
    await client.patch(pods, "a", { metadata: { labels: { app: "x" } } });
    await client.delete(pods, "a");
    expect(await reader.take(5)).toEqual(["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a"]);
  });

  it("tells a watch of an older version what it missed, once", async () => {
    const { metadata } = await list();
    await client.create(pods, { metadata: { name: "a" } });
    const reader = await watch(`resourceVersion=${metadata.resourceVersion}`);
    await client.create(pods, { metadata: { name: "b" } });
    expect(await reader.take(2)).toEqual(["ADDED a", "ADDED b"]);
  });

  it("tells a watch without a version the present state, and marks its end when asked to", async () => {
    await client.create(pods, { metadata: { name: "a" } });
    const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const reader = await watch(query);
    expect(await reader.take(1)).toEqual(["ADDED a"]);
    const mark = await reader.next();
    expect(mark?.type).toBe("BOOKMARK");
    expect(mark?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });

  it("sends bookmarks with the present version to those that asked for them", async () => {
    const { metadata } = await list();
    const reader = await watch(`allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`);
    await client.create(inferencePools, { metadata: { name: "pool" } });
    server.bookmark();
    const mark = await reader.next();
    expect(mark?.type).toBe("BOOKMARK");
    expect(Number(mark?.object.metadata.resourceVersion)).toBe(Number(metadata.resourceVersion) + 1);
  });

  it("answers 410 in an event to a watch of a forgotten version, and to one that is under way", async () => {
    const { metadata } = await list();
    const query = `resourceVersion=${metadata.resourceVersion}`;
    const underWay = await watch(query);
    server.expireWatches();
    for (const reader of [underWay, await watch(query)]) {
      expect((await reader.next())?.object).toMatchObject(gone);
      expect(await reader.next()).toBeUndefined();
    }
  });

  it("lists in pages that show one state, until that state is forgotten", async () => {
    for (const name of ["a", "b", "c"]) await client.create(pods, { metadata: { name } });
    const first = await list("limit=2");
    expect(first.names).toEqual(["a", "b"]);
    await client.delete(pods, "c");
    const next = `limit=2&continue=${first.metadata.continue}`;
    expect((await list(next)).names).toEqual(["c"]);
    server.store.compact();
    expect(await list(next)).toMatchObject({ status: 410, reason: "Expired" });
  });

  it("stamps a pod with a grace period, and deletes it at once without one", async () => {
    await client.create(pods, { metadata: { name: "a" } });
    await client.delete(pods, "a", 30);
    expect((await client.get(pods, "a")).metadata.deletionTimestamp).toMatch(/Z$/);
    await client.delete(pods, "a");
    expect((await list()).names).toEqual([]);
  });

  it("keeps an object with a finalizer until the finalizer is gone", async () => {
    await client.create(inferencePools, { metadata: { name: "pool", finalizers: ["x/y"] } });
    await client.delete(inferencePools, "pool");
    expect((await client.get(inferencePools, "pool")).metadata.deletionTimestamp).toBeDefined();
    await client.patch(inferencePools, "pool", { metadata: { finalizers: null } });
    expect((await list("", inferencePools)).names).toEqual([]);
  });

  it("gives a replaced pod another UID, and a changed one the same", async () => {
    const first = await client.create(pods, { metadata: { name: "a" } });
    const changed = await client.patch(pods, "a", { metadata: { labels: { app: "x" } } });
    await client.delete(pods, "a");
    const second = await client.create(pods, { metadata: { name: "a" } });
    expect(changed.metadata.uid).toBe(first.metadata.uid);
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  it("refuses what is forbidden, what has no CRD and what it was told to fail", async () => {
    server.forbid(pods, "list");
    expect(await list()).toMatchObject({ status: 403, reason: "Forbidden" });
    server.allow(pods, "list");
    server.fail({ verb: "list", error: new StatusError("busy", { code: 429, reason: "TooManyRequests" }), times: 1 });
    expect((await list()).status).toBe(429);
    expect((await list()).status).toBe(200);
    server.uninstall(inferencePools);
    const missing = await fetch(`${server.url}${collectionPath(inferencePools, "test")}`);
    expect([missing.status, await missing.text()]).toEqual([404, "404 page not found\n"]);
    expect(server.requests.map(({ verb, status }) => `${verb} ${status}`)).toEqual([
      "list 403",
      "list 429",
      "list 200",
    ]);
  });

  it.each([...Object.values(inferenceObjectives), ...Object.values(inferenceModelRewrites)])(
    "serves $plural of $group apart from the other group's",
    async (kind) => {
      await client.create(kind, { metadata: { name: "a" }, spec: { poolRef: { name: "pool" } } });
      const all = [...Object.values(inferenceObjectives), ...Object.values(inferenceModelRewrites)];
      const lists = await Promise.all(all.map((each) => list("", each)));
      expect(lists.map(({ items }) => items.length)).toEqual(all.map((each) => (each === kind ? 1 : 0)));
    },
  );

  it("holds back the events of a watch, and delivers all of them in the end", async () => {
    const { metadata } = await list();
    const reader = await watch(`resourceVersion=${metadata.resourceVersion}`);
    server.holdWatches();
    await client.create(pods, { metadata: { name: "a" } });
    await client.create(pods, { metadata: { name: "b" } });
    server.releaseWatches();
    expect(await reader.take(2)).toEqual(["ADDED a", "ADDED b"]);
  });

  it.each(["end", "mid-line", "reset"] as const)("cuts its watches: %s", async (how) => {
    const { metadata } = await list();
    await watch(`resourceVersion=${metadata.resourceVersion}`);
    expect(server.watches(pods)).toHaveLength(1);
    server.dropWatches(how);
    await expect.poll(() => server.watches(pods).length).toBe(0);
  });

  it("keeps objects over a restart, on the same port, but not the past", async () => {
    await client.create(pods, { metadata: { name: "a" } });
    const { metadata } = await list();
    await server.stop();
    await server.restart();
    expect((await list()).names).toEqual(["a"]);
    const reader = await watch(`resourceVersion=${metadata.resourceVersion}`);
    expect((await reader.next())?.object).toMatchObject(gone);
  });

  it("asks for its token", async () => {
    const guarded = await KubeApiServer.start({ token: "secret" });
    const known = new KubeClient({ url: guarded.url, token: "secret" }, "test");
    try {
      await known.create(pods, { metadata: { name: "a" } });
      expect((await fetch(`${guarded.url}${collectionPath(pods)}`)).status).toBe(401);
      expect(kubeconfig({ url: guarded.url, token: "secret" }, "test")).toContain("token: secret");
    } finally {
      await known.close();
      await guarded.stop();
    }
  });
});
