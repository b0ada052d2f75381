import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  collectionPath,
  inferencePools,
  KubeApiServer,
  KubeClient,
  kubeconfig,
  pods,
  StatusError,
} from "../../support/kube-api/index.ts";
import { EventReader } from "./event-reader.ts";

const gone = { code: 410, reason: "Expired" };

describe("faults of the tests' own API server", () => {
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
    const reader = await EventReader.open(client, `${collectionPath(kind, "test")}?watch=true&${query}`);
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
