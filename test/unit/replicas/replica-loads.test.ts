import { beforeEach, describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/replay/index.ts";
import { FakeEnvironment } from "./fake-environment.ts";
import { Bus, settings, TestReplica, workersNamed } from "./replica.ts";

let clock: FakeEnvironment;
let bus: Bus;
let a: TestReplica;
let b: TestReplica;

beforeEach(async () => {
  clock = new FakeEnvironment();
  bus = new Bus();
  a = new TestReplica("a", bus, clock);
  b = new TestReplica("b", bus, clock);
  await clock.advance(10);
});

const nothing = { requests: 0, prefillTokens: 0, decodeBlocks: 0 };

describe("replicas on one channel", () => {
  it("add each other's bookings to their own, as soon as they are made", async () => {
    a.book("w1", 32, 2);
    b.book("w1", 16, 1);
    await clock.advance(0);
    for (const each of [a, b]) expect(each.total("w1")).toEqual({ requests: 2, prefillTokens: 48, decodeBlocks: 3 });
    expect(a.total("w0")).toEqual(nothing);
  });

  it("follow a request through its life", async () => {
    const request = a.book("w2", 32, 2);
    await clock.advance(5);
    request.prefillComplete();
    await clock.advance(5);
    expect(b.total("w2")).toEqual({ requests: 1, prefillTokens: 0, decodeBlocks: 2 });
    request.outputBlock();
    await clock.advance(5);
    expect(b.total("w2")).toMatchObject({ decodeBlocks: 3 });
    request.move(a.rank("w0").slot);
    await clock.advance(5);
    expect([b.total("w2"), b.total("w0")]).toMatchObject([nothing, { requests: 1 }]);
    request.release();
    await clock.advance(5);
    expect(b.total("w0")).toEqual(nothing);
  });

  it("tell changes of 5 ms in one message, the first at once", async () => {
    await clock.advance(20);
    const before = bus.sent.length;
    a.book("w0");
    await clock.advance(0);
    expect(bus.sent.length).toBe(before + 1);
    for (let i = 0; i < 50; i++) a.book("w1");
    await clock.advance(4);
    expect(bus.sent.length).toBe(before + 1);
    await clock.advance(1);
    expect(bus.sent.length).toBe(before + 2);
    expect(b.total("w1").requests).toBe(50);
  });

  it("tell a joiner everything, without waiting for the heartbeat", async () => {
    a.book("w0");
    b.book("w1");
    await clock.advance(20);
    const joiner = new TestReplica("c", bus, clock);
    await clock.advance(settings.coalesceMs);
    expect([joiner.total("w0").requests, joiner.total("w1").requests]).toEqual([1, 1]);
  });

  it("agree again with the next heartbeat after any messages were lost", async () => {
    const first = a.book("w0");
    await clock.advance(10);
    bus.isLost = () => true;
    first.release();
    a.book("w1");
    await clock.advance(10);
    bus.isLost = () => false;
    a.book("w2");
    await clock.advance(10);
    expect(b.total("w0").requests).toBe(1);
    await clock.advance(2 * settings.heartbeatMs);
    expect(["w0", "w1", "w2"].map((worker) => b.total(worker).requests)).toEqual([0, 1, 1]);
  });

  it("do not take a round for whole that lost a part", async () => {
    bus = new Bus();
    a = new TestReplica("a", bus, clock, { maxRanksPerMessage: 1 });
    b = new TestReplica("b", bus, clock, { maxRanksPerMessage: 1 });
    for (const worker of ["w0", "w1", "w2"]) a.book(worker);
    await clock.advance(10);
    bus.isLost = (text) => text.includes(`"${a.rank("w1").worker.id}.0.`);
    await clock.advance(2 * settings.heartbeatMs);
    expect(["w0", "w1", "w2"].map((worker) => b.total(worker).requests)).toEqual([1, 1, 1]);
    expect(b.replica.counts.missed).toBeGreaterThan(1);
  });

  it("drop the load of a replica that falls silent, at 1.5 s and not before", async () => {
    a.book("w0");
    await clock.advance(20);
    const heardAt = clock.now() - (b.replica.siblings()[0]?.heardMsAgo ?? 0);
    a.kill();
    await clock.advance(heardAt + 1_499 - clock.now());
    expect(b.total("w0").requests).toBe(1);
    // It looks every tenth of a second.
    await clock.advance(101);
    expect(b.total("w0")).toEqual(nothing);
    expect(b.events).toEqual(["joined a", "silent a"]);
    expect(b.replica.siblings()).toEqual([]);
  });

  it("drop at once the load of a replica that says it leaves", async () => {
    a.book("w0");
    await clock.advance(20);
    await a.replica.close();
    expect(b.total("w0")).toEqual(nothing);
    expect(b.events).toEqual(["joined a", "farewell a"]);
  });

  it("take a replica back that was cut off, with what it booked meanwhile", async () => {
    a.book("w0");
    await clock.advance(20);
    a.isOpen = false;
    a.book("w0");
    await clock.advance(2_000);
    expect([a.total("w0").requests, b.total("w0").requests]).toEqual([2, 0]);
    expect(a.events).toEqual(["joined b", "silent b"]);
    a.isOpen = true;
    a.replica.connected();
    await clock.advance(settings.coalesceMs);
    expect([a.total("w0").requests, b.total("w0").requests]).toEqual([2, 2]);
    expect(a.replica.siblings()).toHaveLength(1);
  });

  it("do not take others for silent when they themselves stood still", async () => {
    a.book("w0");
    await clock.advance(20);
    clock.standStill(5_000);
    // The timers are all due; messages that came meanwhile are read after them.
    await clock.advance(0);
    expect([...a.events, ...b.events]).toEqual(["joined b", "joined a"]);
    await clock.advance(300);
    expect(b.total("w0").requests).toBe(1);
  });

  it("hold back messages while Redis takes none, and then tell what is true", async () => {
    const texts: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = new Bus();
    const c = new TestReplica("c", slow, clock);
    slow.send = (text) => {
      texts.push(text);
      return held;
    };
    for (let i = 0; i < 100; i++) {
      c.book("w0");
      await clock.advance(5);
    }
    expect(texts.length).toBeLessThanOrEqual(4);
    release();
    await clock.advance(10);
    expect(texts.at(-1)).toContain(",100,");
  });
});

describe("a replica in a burst", () => {
  const likely = (replica: TestReplica, worker: string) => {
    const { slot } = replica.rank(worker);
    const { requests, prefillTokens, decodeBlocks } = replica.siblings.likelyOn(slot);
    return [requests, prefillTokens, decodeBlocks];
  };

  it("takes each booking for one at each sibling too, until word of it has come back", async () => {
    new TestReplica("c", bus, clock);
    await clock.advance(10);
    a.book("w1", 32, 2);
    expect([likely(a, "w1"), likely(a, "w0"), likely(b, "w1")]).toEqual([
      [2, 64, 4],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    await clock.advance(0);
    expect([likely(a, "w1"), likely(b, "w1")]).toEqual([
      [0, 0, 0],
      [1, 32, 2],
    ]);
  });

  it("takes it for less where siblings have little to do", async () => {
    for (let i = 0; i < 9; i++) a.book("w0");
    await clock.advance(10);
    a.book("w1", 320, 0);
    // One sibling without requests, beside nine of its own: one in ten.
    expect(likely(a, "w1")).toEqual([0, 32, 0]);
  });

  it("guesses nothing of what ends, of siblings that are gone, and when it is alone", async () => {
    const request = a.book("w1", 32, 2);
    await clock.advance(10);
    request.release();
    expect(likely(a, "w1")).toEqual([0, 0, 0]);
    b.kill();
    await clock.advance(2_000);
    a.book("w1");
    expect(likely(a, "w1")).toEqual([0, 0, 0]);
  });

  it("keeps guessing while Redis is silent, and stops when siblings are", async () => {
    a.isOpen = false;
    a.book("w1", 32, 2);
    await clock.advance(1_000);
    expect(likely(a, "w1")).toEqual([1, 32, 2]);
    await clock.advance(1_000);
    expect(likely(a, "w1")).toEqual([0, 0, 0]);
  });
});

describe("workers that come and go", () => {
  it("take their load with them, here and there", async () => {
    a.book("w0");
    b.book("w0");
    await clock.advance(10);
    a.catalogue.replaceAll(workersNamed(["w1"]));
    await clock.advance(10);
    expect(b.total("w0").requests).toBe(1);
    b.catalogue.replaceAll(workersNamed(["w1"]));
    b.catalogue.replaceAll(workersNamed(["w0", "w1"]));
    expect(b.total("w0")).toEqual(nothing);
  });

  it("do not inherit the load of an earlier incarnation, whoever learns of it first", async () => {
    a.book("w0");
    await clock.advance(10);
    b.catalogue.replaceAll(workersNamed(["w0", "w1", "w2"], "restarted"));
    expect(b.total("w0")).toEqual(nothing);
    await clock.advance(2 * settings.heartbeatMs);
    expect(b.total("w0")).toEqual(nothing);
    b.book("w0");
    await clock.advance(2 * settings.heartbeatMs);
    expect(a.total("w0").requests).toBe(1);
    a.catalogue.replaceAll(workersNamed(["w0", "w1", "w2"], "restarted"));
    await clock.advance(2 * settings.heartbeatMs);
    expect([a.total("w0").requests, b.total("w0").requests]).toEqual([1, 1]);
  });

  it("have their load counted here within a heartbeat of being known here", async () => {
    b.catalogue.replaceAll(workersNamed(["w1", "w2"]));
    a.book("w0");
    await clock.advance(10);
    b.catalogue.replaceAll(workersNamed(["w0", "w1", "w2"]));
    await clock.advance(settings.heartbeatMs);
    expect(b.total("w0").requests).toBe(1);
  });
});

describe("a channel that others write on", () => {
  const good = { from: "x", name: "x", n: 1, round: 1, rows: [] };
  const row = ["1.0.x", 1, 2, 3];
  it.each([
    ["no JSON", "{", "malformed"],
    ["no object", "[]", "malformed"],
    ["null", "null", "malformed"],
    ["no sender", JSON.stringify({ ...good, from: "" }), "malformed"],
    ["a sender with a long name", JSON.stringify({ ...good, from: "x".repeat(129) }), "malformed"],
    ["no number", JSON.stringify({ ...good, n: undefined }), "malformed"],
    ["a number below 0", JSON.stringify({ ...good, n: -1 }), "malformed"],
    ["a broken round", JSON.stringify({ ...good, round: 1.5 }), "malformed"],
    ["rows that are none", JSON.stringify({ ...good, rows: {} }), "malformed"],
    ["too many rows", JSON.stringify({ ...good, rows: Array(65).fill(row) }), "malformed"],
    ["a row without figures", JSON.stringify({ ...good, rows: [["1.0.x"]] }), "malformed"],
    ["a negative figure", JSON.stringify({ ...good, rows: [["1.0.x", -1, 0, 0]] }), "malformed"],
    ["an endless figure", '{"from":"x","name":"x","n":1,"round":1,"rows":[["1.0.x",1e999,0,0]]}', "malformed"],
    ["a figure as text", JSON.stringify({ ...good, rows: [["1.0.x", "1", 0, 0]] }), "malformed"],
    ["a rank without name", JSON.stringify({ ...good, rows: [[1, 1, 0, 0]] }), "malformed"],
    ["a message that is too long", JSON.stringify({ ...good, more: "x".repeat(70_000) }), "too_large"],
  ])("passes over %s, and counts it", (_name, text, reason) => {
    void bus.send(text);
    expect([...b.replica.counts.dropped]).toEqual([[reason, 1]]);
    expect(b.events).toEqual(["joined a"]);
  });

  it("passes over what comes late or twice", async () => {
    a.book("w0");
    await clock.advance(10);
    const [last = ""] = bus.sent.slice(-1);
    a.book("w0");
    await clock.advance(10);
    b.replica.receive(last);
    expect(b.total("w0").requests).toBe(2);
    expect([...b.replica.counts.dropped]).toEqual([["out_of_order", 1]]);
  });

  it("passes over ranks that are not known, and members of later versions", () => {
    void bus.send(JSON.stringify({ ...good, later: true, rows: [row] }));
    expect([...b.replica.counts.dropped]).toEqual([]);
    expect(b.replica.siblings().map(({ name }) => name)).toEqual(["a", "x"]);
  });

  it("hears no more replicas than are allowed, until one is gone", async () => {
    for (let i = 0; i < 9; i++) void bus.send(JSON.stringify({ ...good, from: `x${i}` }));
    expect(b.replica.siblings()).toHaveLength(settings.maxReplicas);
    expect([...b.replica.counts.dropped]).toEqual([["too_many_replicas", 2]]);
    await clock.advance(2_000);
    expect(b.replica.siblings().map(({ name }) => name)).toEqual(["a"]);
  });
});

describe("any course of events", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("ends with all replicas in agreement, seed %i", async (seed) => {
    const random = seededRandom(seed);
    const any = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
    bus = new Bus();
    const replicas = ["a", "b", "c"].map((name) => new TestReplica(name, bus, clock, { maxRanksPerMessage: 2 }));
    const running = replicas.map((): { release(): void; prefillComplete(): void }[] => []);
    const workers = ["w0", "w1", "w2"];
    for (let step = 0; step < 400; step++) {
      const i = Math.floor(random() * replicas.length);
      const [replica, requests] = [replicas[i], running[i]];
      if (replica === undefined || requests === undefined) continue;
      const act = random();
      if (act < 0.5) requests.push(replica.book(any(workers), 16 * Math.floor(random() * 8), Math.floor(random() * 4)));
      else if (act < 0.7) any(requests.length === 0 ? [replica.book("w0")] : requests).prefillComplete();
      else if (act < 0.95) requests.pop()?.release();
      else {
        replica.isOpen = !replica.isOpen;
        if (replica.isOpen) replica.replica.connected();
      }
      const loss = random() < 0.3 ? 0.5 : 0;
      bus.isLost = () => random() < loss;
      await clock.advance(Math.floor(random() * 40));
    }
    bus.isLost = () => false;
    for (const replica of replicas) {
      if (!replica.isOpen) {
        replica.isOpen = true;
        replica.replica.connected();
      }
    }
    await clock.advance(2 * settings.heartbeatMs);
    for (const worker of workers) {
      const own = replicas.map((replica) => replica.loads.activeRequests(replica.rank(worker).slot));
      const truth = own.reduce((sum, requests) => sum + requests);
      for (const replica of replicas) expect(replica.total(worker).requests).toBe(truth);
      for (const figure of ["prefillTokens", "decodeBlocks"] as const) {
        expect(new Set(replicas.map((replica) => replica.total(worker)[figure])).size).toBe(1);
      }
    }
  });
});
