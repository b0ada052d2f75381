import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FromShard, ToShard } from "../../../../src/commands/shards/shard-messages.ts";
import type { SpawnedShard } from "../../../../src/commands/shards/shard-process.ts";
import { ShardSupervisor } from "../../../../src/commands/shards/shard-supervisor.ts";

/** A process that does what the test says. */
class FakeShard implements SpawnedShard {
  waiting = 0;
  readonly sent: ToShard[] = [];
  readonly killed: string[] = [];
  #receive: (message: FromShard) => void = () => undefined;
  #ended: (how: string) => void = () => undefined;

  send(message: ToShard): void {
    this.sent.push(message);
  }

  onMessage(receive: (message: FromShard) => void): void {
    this.#receive = receive;
  }

  onEnd(ended: (how: string) => void): void {
    this.#ended = ended;
  }

  kill(signal: "SIGKILL"): void {
    this.killed.push(signal);
    this.end(signal);
  }

  tell(message: FromShard): void {
    this.#receive(message);
  }

  end(how: string): void {
    this.#ended(how);
  }
}

class FakeClock {
  #now = 0;
  readonly #tasks = new Set<{ readonly atMs: number; readonly task: () => void }>();

  now(): number {
    return this.#now;
  }

  after(delayMs: number, task: () => void): () => void {
    const planned = { atMs: this.#now + delayMs, task };
    this.#tasks.add(planned);
    return () => this.#tasks.delete(planned);
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const planned of [...this.#tasks]) {
      if (planned.atMs > this.#now || !this.#tasks.delete(planned)) continue;
      planned.task();
    }
  }
}

let clock: FakeClock;
/** All that were started, by number. */
let started: FakeShard[][];
let ready: boolean[];
let ends: unknown[];
/** Shards that cannot be started now. */
let failing: Set<number>;
let supervisor: ShardSupervisor;

beforeEach(() => {
  clock = new FakeClock();
  started = [[], []];
  ready = [];
  ends = [];
  failing = new Set();
  const options = { count: 2, restartMinMs: 100, restartMaxMs: 400, metricsTimeoutMs: 50, maxWaitingMessages: 3 };
  supervisor = new ShardSupervisor(
    (index) => {
      if (failing.has(index)) throw new Error("spawn ENOMEM");
      const shard = new FakeShard();
      started[index]?.push(shard);
      return shard;
    },
    options,
    clock,
    { ready: (isReady) => ready.push(isReady), ended: (...all) => ends.push(all) },
  );
  supervisor.start();
});

afterEach(() => {
  clock.advance(1e9);
});

function shard(index: number): FakeShard {
  const last = started[index]?.at(-1);
  if (last === undefined) throw new Error(`shard ${index} was not started`);
  return last;
}

function becomeReady(...indexes: readonly number[]): void {
  for (const index of indexes) shard(index).tell({ kind: "ready", isReady: true });
}

describe("readiness", () => {
  it("comes with the last shard, and goes with the last", () => {
    becomeReady(0);
    expect(ready.at(-1)).toBe(false);
    becomeReady(1);
    expect(ready.at(-1)).toBe(true);
    shard(0).end("SIGSEGV");
    expect(ready.at(-1)).toBe(true);
    shard(1).tell({ kind: "ready", isReady: false });
    expect(ready.at(-1)).toBe(false);
    becomeReady(1);
    expect(ready.at(-1)).toBe(true);
  });
});

describe("a shard that reads nothing", () => {
  const message = { kind: "message", channel: "load", text: "x" } as const;

  it("is ended hard once too much waits for it, and what comes until then is not kept", () => {
    becomeReady(0, 1);
    shard(1).waiting = 2;
    shard(0).tell(message);
    expect(shard(1).sent).toEqual([message]);
    shard(1).waiting = 3;
    const stuck = shard(1);
    for (let i = 0; i < 3; i++) shard(0).tell(message);
    expect(stuck.sent).toEqual([message]);
    expect(stuck.killed).toEqual(["SIGKILL"]);
    expect(ends).toEqual([[1, "SIGKILL: it did not read its messages", 100, true]]);
    clock.advance(100);
    shard(0).tell(message);
    expect(shard(1).sent).toEqual([message]);
    expect(shard(0).killed).toEqual([]);
  });
});

describe("a shard that ends by itself", () => {
  it("is tried again while the system starts no process", () => {
    becomeReady(0, 1);
    failing.add(0);
    shard(0).end("SIGSEGV");
    clock.advance(100);
    clock.advance(200);
    expect(ends.map((end) => (end as unknown[])[1])).toEqual(["SIGSEGV", "spawn ENOMEM", "spawn ENOMEM"]);
    failing.clear();
    clock.advance(400);
    becomeReady(0);
    expect(started[0]).toHaveLength(2);
    expect(ready.at(-1)).toBe(true);
  });

  it("is started again after a pause that doubles, and leaves the others alone", () => {
    becomeReady(0, 1);
    const pauses = [100, 200, 400, 400];
    for (const [at, pause] of pauses.entries()) {
      shard(0).end("SIGSEGV");
      expect(ends.at(-1)).toEqual([0, "SIGSEGV", pause, true]);
      clock.advance(pause - 1);
      expect(started[0]).toHaveLength(at + 1);
      clock.advance(1);
      expect(started[0]).toHaveLength(at + 2);
    }
    expect(started[1]).toHaveLength(1);
    expect(shard(1).sent).toEqual([]);
  });

  it("starts with the shortest pause again once it was ready for long", () => {
    becomeReady(0, 1);
    shard(0).end("code 1");
    clock.advance(100);
    becomeReady(0);
    clock.advance(400);
    shard(0).end("code 1");
    expect(ends.at(-1)).toEqual([0, "code 1", 100, true]);
  });

  it("before all were ready is told as what it is: the whole cannot be had", () => {
    becomeReady(1);
    shard(0).end("code 1");
    expect(ends).toEqual([[0, "code 1", 100, false]]);
  });
});

describe("messages of a shard", () => {
  it("reach all shards, its own side too, and not one that is gone", () => {
    becomeReady(0, 1);
    const message = { kind: "message", channel: "load", text: "x" } as const;
    shard(0).tell(message);
    expect([shard(0).sent, shard(1).sent]).toEqual([[message], [message]]);
    const gone = shard(1);
    gone.end("SIGKILL");
    shard(0).tell(message);
    expect(gone.sent).toHaveLength(1);
  });
});

describe("stopping", () => {
  it("lets all drain and waits for them", async () => {
    becomeReady(0, 1);
    let isOver = false;
    const stopped = supervisor.stop(1_000).then(() => {
      isOver = true;
    });
    expect([shard(0).sent, shard(1).sent]).toEqual([[{ kind: "stop" }], [{ kind: "stop" }]]);
    shard(0).end("code 0");
    await Promise.resolve();
    expect(isOver).toBe(false);
    shard(1).end("code 0");
    await stopped;
    clock.advance(10_000);
    expect([started[0]?.length, started[1]?.length, ends.length]).toEqual([1, 1, 0]);
  });

  it("ends hard what does not end in time, and starts nothing that waits to be started", async () => {
    becomeReady(0, 1);
    shard(0).end("SIGSEGV");
    const stopped = supervisor.stop(1_000);
    clock.advance(1_000);
    await stopped;
    expect(shard(1).killed).toEqual(["SIGKILL"]);
    clock.advance(10_000);
    expect(started[0]).toHaveLength(1);
  });
});

describe("the page of metrics", () => {
  const page = (value: number) => `# HELP x X.\n# TYPE x gauge\nx ${value}\n`;

  function answer(index: number, value: number): void {
    const asked = shard(index).sent.findLast((message) => message.kind === "metrics");
    if (asked?.kind === "metrics") shard(index).tell({ kind: "metrics", id: asked.id, text: page(value) });
  }

  it("has those of every shard and of the supervisor", async () => {
    becomeReady(0, 1);
    const rendering = supervisor.render();
    answer(1, 8);
    answer(0, 7);
    const text = await rendering;
    expect(text).toContain('x{shard="0"} 7\nx{shard="1"} 8\n');
    expect(text).toContain('process_cpu_seconds_total{shard="supervisor"}');
    expect(text).toContain('pointsman_shard_ready{shard="1"} 1\n');
  });

  it("is made without a shard that does not answer in time, or is gone", async () => {
    becomeReady(0, 1);
    const rendering = supervisor.render();
    answer(0, 7);
    clock.advance(50);
    expect(await rendering).not.toContain('x{shard="1"}');
    shard(1).end("SIGKILL");
    const again = supervisor.render();
    answer(0, 9);
    const text = await again;
    expect(text).toContain('x{shard="0"} 9\n');
    expect(text).toContain('pointsman_shard_ready{shard="1"} 0\n');
    expect(text).toContain('pointsman_shard_told{shard="0"} 1\n');
  });

  it("takes no answer for another shard's, and none that comes twice", async () => {
    becomeReady(0, 1);
    const rendering = supervisor.render();
    const [asked] = shard(0).sent;
    if (asked?.kind !== "metrics") throw new Error("nobody asked");
    shard(1).tell({ kind: "metrics", id: asked.id, text: page(666) });
    answer(0, 1);
    answer(0, 2);
    answer(1, 3);
    expect(await rendering).toContain('x{shard="0"} 1\nx{shard="1"} 3\n');
  });
});

describe("what the console asks", () => {
  const question = { about: "state" } as const;

  function answer(index: number, ...pieces: readonly string[]): void {
    const asked = shard(index).sent.findLast((message) => message.kind === "console");
    if (asked?.kind !== "console") throw new Error("nobody asked");
    for (const text of pieces) shard(index).tell({ kind: "console", id: asked.id, text, isLast: false });
    shard(index).tell({ kind: "console", id: asked.id, text: "", isLast: true });
  }

  it("is answered by the shard that is asked, in pieces", async () => {
    const both = [supervisor.askConsole(0, question), supervisor.askConsole(1, question)];
    answer(1, "[1", ",2]");
    answer(0, "[]");
    expect(await Promise.all(both)).toEqual([
      ["[]", ""],
      ["[1", ",2]", ""],
    ]);
  });

  it("is not waited for for ever, nor is half an answer one", async () => {
    const asked = supervisor.askConsole(0, question);
    const message = shard(0).sent.at(-1);
    if (message?.kind !== "console") throw new Error("nobody asked");
    shard(0).tell({ kind: "console", id: message.id, text: "[1", isLast: false });
    clock.advance(50);
    expect(await asked).toBeUndefined();
    shard(0).tell({ kind: "console", id: message.id, text: "", isLast: true });
  });

  it("is answered by nothing at once by a shard that ends", async () => {
    const [ended, other] = [supervisor.askConsole(0, question), supervisor.askConsole(1, question)];
    shard(0).end("SIGSEGV");
    expect(await ended).toBeUndefined();
    answer(1, "[]");
    expect(await other).toEqual(["[]", ""]);
  });

  it("is asked of no shard that does not run, or does not exist", async () => {
    shard(0).end("SIGSEGV");
    expect(await supervisor.askConsole(0, question)).toBeUndefined();
    expect(await supervisor.askConsole(9, question)).toBeUndefined();
    expect(supervisor.shards.map(({ isReady, restarts }) => [isReady, restarts])).toEqual([
      [false, 0],
      [false, 0],
    ]);
  });
});
