import { beforeEach, describe, expect, it } from "vitest";
import { SessionTable } from "../../../src/pick/index.ts";
import { SessionSharing } from "../../../src/replicas/index.ts";
import { FakeEnvironment } from "./fake-environment.ts";
import { Bus, settings, TestReplica, workersNamed } from "./replica.ts";

const ttlMs = 60_000;

/** A replica with sessions, on a channel for loads and one for sessions. */
class SessionReplica extends TestReplica {
  readonly table: SessionTable;
  readonly sharing: SessionSharing;

  constructor(name: string, buses: { readonly loads: Bus; readonly sessions: Bus }, clock: FakeEnvironment) {
    super(name, buses.loads, clock);
    this.table = new SessionTable({ ttlMs }, clock, (session) => `key of ${session}`);
    const state = { sessions: this.table, ranks: this.replica.ranks, catalogue: this.catalogue };
    const sink = {
      isOpen: () => this.isOpen,
      publish: async (text: string) => {
        await buses.sessions.send(text);
      },
    };
    this.sharing = new SessionSharing(`id-${name}`, state, sink, settings, clock);
    buses.sessions.listen((text) => {
      if (this.isOpen) this.sharing.receive(text);
    });
  }

  /** A whole request of a session. */
  serve(session: string, worker: string, prefill?: string, isFinal = false): void {
    const ranks = { answering: this.rank(worker), prefill: prefill === undefined ? undefined : this.rank(prefill) };
    this.table.use(session, ranks, isFinal).end();
  }

  /** The workers of a session, as this replica would choose them. */
  workersOf(session: string): readonly (string | undefined)[] {
    const ranks = this.table.find(session);
    return [ranks?.answering.worker.name, ranks?.prefill?.worker.name];
  }
}

let clock: FakeEnvironment;
let buses: { loads: Bus; sessions: Bus };
let a: SessionReplica;
let b: SessionReplica;
const answering = (session: string) => [a, b].map((replica) => replica.workersOf(session)[0]);

beforeEach(async () => {
  clock = new FakeEnvironment();
  buses = { loads: new Bus(), sessions: new Bus() };
  a = new SessionReplica("a", buses, clock);
  b = new SessionReplica("b", buses, clock);
  await clock.advance(10);
});

describe("a session whose requests reach several replicas", () => {
  it("is known to all of them by a key, with both of its workers", async () => {
    a.serve("s", "w1", "w2");
    await clock.advance(0);
    expect(b.workersOf("s")).toEqual(["w1", "w2"]);
    expect(buses.sessions.sent).toHaveLength(1);
    expect(JSON.parse(buses.sessions.sent[0] ?? "").sessions[0][0]).toBe("key of s");
  });

  it("moves for all when one moves it, in any turn", async () => {
    a.serve("s", "w1");
    await clock.advance(10);
    b.serve("s", "w2");
    await clock.advance(10);
    expect(answering("s")).toEqual(["w2", "w2"]);
    const use = a.table.use("s", { answering: a.rank("w2"), prefill: undefined }, false);
    use.movedTo(a.rank("w0"));
    await clock.advance(10);
    expect(answering("s")).toEqual(["w0", "w0"]);
  });

  it("is on one worker in the end when two replicas place it at one time", async () => {
    a.serve("s", "w1");
    b.serve("s", "w2");
    await clock.advance(10);
    expect(answering("s")).toEqual(["w2", "w2"]);
    a.serve("s", "w0");
    b.serve("s", "w1");
    await clock.advance(10);
    expect(new Set(answering("s")).size).toBe(1);
  });

  it("is not told again while it stays, but for now and then, and then lives on everywhere", async () => {
    a.serve("s", "w1");
    for (let i = 0; i < 100; i++) {
      await clock.advance(ttlMs / 50);
      a.serve("s", "w1");
    }
    expect(answering("s")).toEqual(["w1", "w1"]);
    expect(buses.sessions.sent.length).toBeLessThan(12);
    await clock.advance(ttlMs);
    expect(answering("s")).toEqual([undefined, undefined]);
  });

  it("is not told when it is final", async () => {
    a.serve("s", "w1", undefined, true);
    await clock.advance(10);
    expect([answering("s"), buses.sessions.sent]).toEqual([[undefined, undefined], []]);
  });

  it("is not taken to a worker that is not known here, or gone there", async () => {
    b.catalogue.replaceAll(workersNamed(["w0", "w1"]));
    a.serve("s", "w2");
    a.serve("t", "w1", "w2");
    a.serve("u", "w0");
    a.catalogue.replaceAll(workersNamed(["w1", "w2"]));
    await clock.advance(10);
    expect(["s", "t", "u"].map((session) => b.workersOf(session))).toEqual([
      [undefined, undefined],
      ["w1", undefined],
      [undefined, undefined],
    ]);
  });
});

describe("a replica that joins, or was cut off", () => {
  it("is told the sessions of the others, each by who bound it last", async () => {
    for (let i = 0; i < 600; i++) a.serve(`s${i}`, "w1");
    b.serve("s0", "w2");
    await clock.advance(100);
    const before = buses.sessions.sent.length;
    const joiner = new SessionReplica("c", buses, clock);
    for (const each of [a, b]) each.sharing.replay();
    await clock.advance(2_100);
    expect(["s0", "s1", "s599"].map((session) => joiner.workersOf(session)[0])).toEqual(["w2", "w1", "w1"]);
    expect(buses.sessions.sent.length - before).toBe(4);
  });

  it("does not have the others tell everything over and over", async () => {
    a.serve("s", "w1");
    await clock.advance(10);
    const before = buses.sessions.sent.length;
    for (let i = 0; i < 100; i++) {
      a.sharing.replay();
      await clock.advance(10);
    }
    expect(buses.sessions.sent.length - before).toBeLessThanOrEqual(1);
  });
});

describe("the channel of sessions", () => {
  const row = ["k", 1, "x", "1.0.x", null];
  it.each([
    ["no JSON", "x"],
    ["a row too many", JSON.stringify({ from: "x", sessions: Array(257).fill(row) })],
    ["a row without version", JSON.stringify({ from: "x", sessions: [["k", null, "x", "r", null]] })],
    ["a row without worker", JSON.stringify({ from: "x", sessions: [["k", 1, "x"]] })],
    ["a long key", JSON.stringify({ from: "x", sessions: [["k".repeat(129), 1, "x", "r", null]] })],
    ["a message that is too long", JSON.stringify({ from: "x", sessions: [], more: "x".repeat(70_000) })],
  ])("passes over %s", (_name, text) => {
    b.sharing.receive(text);
    expect(b.sharing.counts).toMatchObject({ malformed: 1, learned: 0 });
  });
});
