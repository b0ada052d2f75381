import { afterEach, describe, expect, it } from "vitest";
import { KubeApiError } from "../../../../src/fleet/kubernetes/kube-api.ts";
import { Reflector } from "../../../../src/fleet/kubernetes/reflector.ts";
import { type Answer, FakeTimers, ScriptedApi, settle } from "./scripted-api.ts";

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const reflector of running.splice(0)) await reflector.close();
});

const named = (name: string, resourceVersion = "1") => ({ metadata: { name, resourceVersion } });
const list = (version: string, ...names: string[]) => ({
  metadata: { resourceVersion: version },
  items: names.map((name) => named(name)),
});
const added = (name: string, version: string) => ({ type: "ADDED", object: named(name, version) });
const deleted = (name: string, version: string) => ({ type: "DELETED", object: named(name, version) });
const gone = { type: "ERROR", object: { code: 410, message: "too old" } };
const failed = (status: number | undefined, retryAfterMs?: number) =>
  new KubeApiError("no", { ...(status && { status }), ...(retryAfterMs && { retryAfterMs }) });

function start(lists: readonly Answer[], watches: readonly Answer[], options = {}, random = () => 0) {
  const timers = new FakeTimers();
  const api = new ScriptedApi(lists, watches, () => timers.now);
  const told: string[] = [];
  const known = new Set<string>();
  const sink = {
    replaced: (objects: ReadonlyMap<string, string>) => {
      known.clear();
      for (const name of objects.keys()) known.add(name);
    },
    put: (name: string) => known.add(name),
    removed: (name: string) => known.delete(name),
  };
  const observer = {
    lost: (_: string, cause: unknown) => told.push(`lost: ${cause instanceof Error ? cause.message : cause}`),
    recovered: () => told.push("recovered"),
    missing: () => told.push("missing"),
    overflowed: () => told.push("overflowed"),
  };
  const reflector = new Reflector<string>(
    api,
    { resource: "things", path: "/things", query: { labelSelector: "a=b" }, read: (object) => JSON.stringify(object) },
    sink,
    {
      pageSize: 10,
      maxObjects: 3,
      reconnectMinMs: 100,
      reconnectMaxMs: 1_000,
      missingRetryMs: 60_000,
      watchTimeoutMs: 60_000,
      ...options,
    },
    { timers, random, now: () => timers.now, observer },
  );
  running.push(reflector);
  reflector.start();
  return { api, timers, told, known, reflector };
}

const kinds = ({ calls }: ScriptedApi) => calls.map(({ kind }) => kind);
const times = ({ calls }: ScriptedApi) => calls.map(({ at }) => at);

describe("Reflector", () => {
  it("lists, then watches from where the list ends", async () => {
    const { api, known } = start([list("7", "a", "b")], []);
    await settle();
    expect([...known]).toEqual(["a", "b"]);
    expect(api.calls.map(({ query }) => query)).toEqual([
      { labelSelector: "a=b", limit: "10" },
      // Half of the longest time where the draw is 0.
      { labelSelector: "a=b", watch: "true", allowWatchBookmarks: "true", resourceVersion: "7", timeoutSeconds: "30" },
    ]);
  });

  it("reads a list page by page", async () => {
    const first = { metadata: { resourceVersion: "7", continue: "next" }, items: [named("a")] };
    const { api, known } = start([first, list("7", "b")], []);
    await settle();
    expect([...known]).toEqual(["a", "b"]);
    expect(api.calls[1]?.query["continue"]).toBe("next");
  });

  it("goes on from the last event or bookmark", async () => {
    const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "12" } } };
    const { api, known, timers } = start([list("7", "a")], [[added("b", "9"), deleted("a", "10"), bookmark]]);
    await timers.advance(100);
    expect([...known]).toEqual(["b"]);
    expect(kinds(api)).toEqual(["list", "watch", "watch"]);
    expect(api.calls[2]?.query["resourceVersion"]).toBe("12");
  });

  it("lists anew at once when its place is forgotten, and tells nobody", async () => {
    const { api, told, timers } = start([list("7")], [[added("a", "8"), gone]]);
    await timers.advance(0);
    expect(kinds(api)).toEqual(["list", "watch", "list", "watch"]);
    expect(told).toEqual([]);
  });

  it("does not loop where every place is forgotten", async () => {
    const { api, timers } = start([list("7")], Array(50).fill([gone]));
    await timers.advance(10_000);
    // 0, then 100 and twice as much each time, cut by nothing where the draw is 0, up to 1 000.
    expect(kinds(api).filter((kind) => kind === "list").length).toBeLessThan(18);
  });

  it("waits twice as long after each failure in a row, up to the bound", async () => {
    const { api, told, timers } = start(Array(8).fill(failed(500)), []);
    await timers.advance(4_500);
    expect(times(api)).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500, 4_500]);
    expect(told).toEqual(["lost: no"]);
  });

  it("shortens pauses at random by up to half", async () => {
    const { api, timers } = start(Array(4).fill(failed(undefined)), [], {}, () => 0.999);
    await timers.advance(400);
    expect(times(api)[1]).toBeCloseTo(50, 0);
    expect(times(api)[2]).toBeCloseTo(150, 0);
  });

  it("waits as long as the server asks, within the bound", async () => {
    const { api, timers } = start([failed(429, 700), failed(429, 3_600_000), list("1")], []);
    await timers.advance(1_700);
    expect(times(api)).toEqual([0, 700, 1_700, 1_700]);
  });

  it("goes on where it was after a broken connection, and lists when that does not help", async () => {
    const watches = Array(4).fill(failed(undefined));
    const { api, timers, told } = start([list("7")], watches);
    await timers.advance(5_000);
    expect(kinds(api)).toEqual(["list", "watch", "watch", "watch", "watch", "list", "watch"]);
    expect(told).toEqual(["lost: no"]);
  });

  it("tells of the end of failures with the first event", async () => {
    const { told, timers } = start([failed(500), list("7")], [[added("a", "8")]]);
    await timers.advance(100);
    expect(told).toEqual(["lost: no", "recovered"]);
  });

  it("takes watches that end at once for failures", async () => {
    const { api, timers } = start([list("7")], Array(20).fill([]));
    await timers.advance(3_000);
    expect(times(api).slice(1)).toEqual([0, 100, 300, 700, 1_500, 2_500]);
  });

  it("lists anew after an event that it does not know", async () => {
    const { api, timers, told } = start([list("7")], [[{ type: "NEWS" }]]);
    await timers.advance(100);
    expect(kinds(api)).toEqual(["list", "watch", "list", "watch"]);
    expect(told).toEqual(["lost: an event of the watch of things is not known"]);
  });

  it("knows nothing where there is no such kind, and asks again later", async () => {
    const { api, timers, told, known, reflector } = start([failed(404), failed(404), list("9", "b")], []);
    await settle();
    await reflector.settled;
    expect(told).toEqual(["missing"]);
    await timers.advance(60_000);
    await timers.advance(60_000);
    expect(told).toEqual(["missing"]);
    expect([...known]).toEqual(["b"]);
    expect(times(api)).toEqual([0, 60_000, 120_000, 120_000]);
  });

  it("believes that a kind which was there is gone when it is told so again and again", async () => {
    const { api, timers, told, known } = start(
      [list("7", "a"), failed(404), failed(404), failed(404), failed(404), list("9", "b")],
      [[gone]],
    );
    await timers.advance(200);
    expect([...known]).toEqual(["a"]);
    expect(told).toEqual(["lost: no"]);
    await timers.advance(400);
    expect([...known]).toEqual([]);
    expect(told).toEqual(["lost: no", "recovered", "missing"]);
    await timers.advance(60_000);
    await timers.advance(60_000);
    expect([...known]).toEqual(["b"]);
    expect(times(api)).toEqual([0, 0, 0, 200, 600, 60_600, 120_600, 120_600]);
  });

  it("keeps what it knows when it may not read any more", async () => {
    const { timers, told, known } = start([list("7", "a"), failed(403)], [[gone]]);
    await timers.advance(1_000);
    expect([...known]).toEqual(["a"]);
    expect(told).toEqual(["lost: no"]);
  });

  it("keeps no more than its bound, and lists again once there is room", async () => {
    const watch = [added("e", "8"), deleted("a", "9")];
    const { api, timers, told, known } = start([list("7", "a", "b", "c", "d"), list("9", "b", "c", "d")], [watch]);
    await timers.advance(0);
    expect(told).toEqual(["overflowed"]);
    expect(kinds(api)).toEqual(["list", "watch", "list", "watch"]);
    expect([...known]).toEqual(["b", "c", "d"]);
  });

  it("refuses a list that says no place to go on from", async () => {
    const { told } = start([{ items: [] }], []);
    await settle();
    expect(told).toEqual(["lost: the list of things has no resourceVersion"]);
  });

  it("tells nothing after its close", async () => {
    const { reflector, known, timers, api } = start([failed(500)], []);
    await settle();
    await reflector.close();
    await timers.advance(10_000);
    expect(api.calls).toHaveLength(1);
    expect([...known]).toEqual([]);
  });
});
