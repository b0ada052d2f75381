import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  collectionPath,
  inferenceModelRewrites,
  inferenceObjectives,
  inferencePools,
  type KubeAccess,
  KubeClient,
  pods,
  type ResourceKind,
} from "../../support/kube-api/index.ts";
import { EventReader } from "./event-reader.ts";

/** An API server under test. */
export interface ServerUnderTest {
  readonly access: KubeAccess;
  /** Makes a namespace to write into, where that is needed. */
  makeNamespace(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** A list with what tests look at. */
interface Listed {
  readonly status: number;
  readonly names: readonly string[];
  readonly version: string;
  readonly continue: string | undefined;
}

/** What Kubernetes promises to those who list and watch, and what discovery relies on: of a real API server, and of the tests' own. */
export function describeKubeApi(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(name, () => {
    let server: ServerUnderTest;
    let client: KubeClient;
    let namespaces = 0;
    const readers: EventReader[] = [];

    beforeAll(async () => {
      server = await start();
    });

    beforeEach(async () => {
      const namespace = `test-${++namespaces}`;
      await server.makeNamespace(namespace);
      client = new KubeClient(server.access, namespace);
    });

    afterEach(async () => {
      for (const reader of readers.splice(0)) reader.close();
      await client.close();
    });

    afterAll(async () => server.stop());

    async function list(query = "", kind = pods): Promise<Listed> {
      const { statusCode, body } = await client.request("GET", `${collectionPath(kind, client.namespace)}?${query}`);
      const { items = [], metadata } = (await body.json()) as {
        items?: { metadata: { name: string } }[];
        metadata: { resourceVersion?: string; continue?: string };
      };
      return {
        status: statusCode,
        names: items.map((item) => item.metadata.name),
        version: metadata.resourceVersion ?? "",
        continue: metadata.continue,
      };
    }

    async function watch(query: string, kind = pods): Promise<EventReader> {
      const reader = await EventReader.open(client, `${collectionPath(kind, client.namespace)}?watch=true&${query}`);
      readers.push(reader);
      return reader;
    }

    async function createPod(name: string, labels: Readonly<Record<string, string>> = {}) {
      const containers = [{ name: "engine", image: "engine:1", ports: [{ containerPort: 8_000 }] }];
      // On a node, as else it would be deleted at once whatever the grace period.
      return await client.create(pods, { metadata: { name, labels }, spec: { nodeName: "node", containers } });
    }

    it("lists what labels and names select", async () => {
      await createPod("a", { app: "x", tier: "1" });
      await createPod("b", { app: "x", tier: "2" });
      await createPod("c", { app: "y" });
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
      const { version } = await list();
      const reader = await watch(`labelSelector=app%3Dx&resourceVersion=${version}`);
      await createPod("a", { app: "x" });
      await createPod("other");
      await client.patchStatus(pods, "a", { phase: "Running" });
      await client.patch(pods, "a", { metadata: { labels: { app: "y" } } });
      await client.patch(pods, "a", { metadata: { labels: { app: "x" } } });
      await client.delete(pods, "a");
      // A pod is stamped before it goes, even without a grace period.
      const events = ["ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "MODIFIED a", "DELETED a"];
      expect(await reader.take(6)).toEqual(events);
    });

    it("tells a watch of one name what happens to that object", async () => {
      const { version } = await list("fieldSelector=metadata.name%3Dpool", inferencePools);
      const reader = await watch(`fieldSelector=metadata.name%3Dpool&resourceVersion=${version}`, inferencePools);
      await client.create(inferencePools, poolNamed("other"));
      await client.create(inferencePools, poolNamed("pool"));
      await client.patch(inferencePools, "pool", { spec: { targetPorts: [{ number: 8_001 }] } });
      await client.delete(inferencePools, "pool");
      expect(await reader.take(3)).toEqual(["ADDED pool", "MODIFIED pool", "DELETED pool"]);
    });

    it("tells a watch of an older version what it missed, once", async () => {
      const { version } = await list();
      await createPod("a");
      const reader = await watch(`resourceVersion=${version}`);
      await createPod("b");
      expect(await reader.take(2)).toEqual(["ADDED a", "ADDED b"]);
    });

    it("answers 410 in an event to a watch of a forgotten version", async () => {
      const reader = await watch("resourceVersion=1", inferencePools);
      expect(await reader.next()).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
      expect(await reader.next()).toBeUndefined();
    });

    it("tells a watch without a version the present state, and marks its end when asked to", async () => {
      await createPod("a");
      const query = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      const reader = await watch(query);
      expect(await reader.take(1)).toEqual(["ADDED a"]);
      const mark = await reader.next();
      expect(mark?.type).toBe("BOOKMARK");
      expect(mark?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    });

    it("ends a watch after the time that was asked for", async () => {
      const { version } = await list();
      const reader = await watch(`timeoutSeconds=1&resourceVersion=${version}`);
      expect(await reader.next()).toBeUndefined();
    });

    it("lists in pages that show one state", async () => {
      for (const name of ["a", "b", "c"]) await createPod(name);
      const first = await list("limit=2");
      expect(first.names).toEqual(["a", "b"]);
      await client.delete(pods, "c");
      const next = await list(`limit=2&continue=${encodeURIComponent(first.continue ?? "")}`);
      expect([next.names, next.version, next.continue]).toEqual([["c"], first.version, undefined]);
    });

    it("stamps a pod with a grace period, and deletes it at once without one", async () => {
      await createPod("a");
      await client.delete(pods, "a", 30);
      expect((await client.get(pods, "a")).metadata.deletionTimestamp).toMatch(/Z$/);
      await client.delete(pods, "a");
      expect((await list()).names).toEqual([]);
    });

    it("keeps an object with a finalizer until the finalizer is gone", async () => {
      await client.create(inferencePools, poolNamed("pool", ["test/hold"]));
      await client.delete(inferencePools, "pool");
      expect((await client.get(inferencePools, "pool")).metadata.deletionTimestamp).toBeDefined();
      await client.patch(inferencePools, "pool", { metadata: { finalizers: null } });
      expect((await list("", inferencePools)).names).toEqual([]);
    });

    it("gives a replaced pod another UID, and a changed one the same", async () => {
      const first = await createPod("a");
      const changed = await client.patch(pods, "a", { metadata: { labels: { app: "x" } } });
      await client.delete(pods, "a");
      const second = await createPod("a");
      expect(changed.metadata.uid).toBe(first.metadata.uid);
      expect(second.metadata.uid).not.toBe(first.metadata.uid);
    });

    it("counts a generation for each change of what is wanted, and none for what is", async () => {
      await client.create(inferencePools, poolNamed("pool"));
      await client.patch(inferencePools, "pool", { metadata: { labels: { a: "b" } } });
      const relabelled = await client.get(inferencePools, "pool");
      const changed = await client.patch(inferencePools, "pool", { spec: { targetPorts: [{ number: 8_001 }] } });
      expect([relabelled.metadata.generation, changed.metadata.generation]).toEqual([1, 2]);
    });

    it.each([
      ["InferenceObjective", inferenceObjectives, { priority: 1 }],
      ["InferenceModelRewrite", inferenceModelRewrites, { rules: [{ targets: [{ modelRewrite: "m" }] }] }],
    ] as const)("serves %s in two groups that know nothing of each other", async (_name, kinds, spec) => {
      await client.create(kinds.legacy, { metadata: { name: "old" }, spec: { poolRef: { name: "pool" }, ...spec } });
      await client.create(kinds.current, { metadata: { name: "new" }, spec: { poolRef: { name: "pool" }, ...spec } });
      const namesOf = async (kind: ResourceKind) => (await list("", kind)).names;
      expect([await namesOf(kinds.legacy), await namesOf(kinds.current)]).toEqual([["old"], ["new"]]);
    });
  });
}

function poolNamed(name: string, finalizers: readonly string[] = []) {
  const spec = {
    selector: { matchLabels: { app: "x" } },
    targetPorts: [{ number: 8_000 }],
    endpointPickerRef: { name: "picker", port: { number: 9_002 } },
  };
  return { metadata: { name, finalizers }, spec };
}
