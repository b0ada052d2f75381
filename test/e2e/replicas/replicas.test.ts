import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseMetrics, sumOf } from "../support/metrics.ts";
import { RedisServer, redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { type GroupMode, type Held, ReplicaGroup, Traffic } from "./replica-group.ts";

const cases = redisKinds.flatMap((kind) => (["reserve", "ext-proc"] as const).map((mode) => ({ kind, mode })));

describe.each(cases)("three replicas with mode $mode on a real $kind", ({ kind, mode }) => {
  let redis: RedisServer;
  let group: ReplicaGroup;
  let stop = async () => {};
  /** Running requests by replica. They run on from one test to the next, as starting all takes much longer than a test. */
  const held: Held[][] = [[], [], []];
  const heldBy = (...replicas: readonly number[]) => replicas.reduce((sum, i) => sum + (held[i]?.length ?? 0), 0);
  const hold = async (i: number) => held[i]?.push(await group.at(i).pick());

  beforeAll(async () => {
    redis = await RedisServer.start(kind);
    stop = () => redis.stop();
    group = await ReplicaGroup.start(mode, redis);
    stop = async () => {
      await group.stop();
      await redis.stop();
    };
  });
  afterAll(() => stop());

  function report(what: string, ms: number, traffic?: Traffic): void {
    const picks =
      traffic && `; ${traffic.picks} picks, none failed, the slowest took ${traffic.slowestMs.toFixed(0)} ms`;
    process.stdout.write(`    ${kind}, ${mode}: ${what}: agreed after ${ms.toFixed(0)} ms${picks ?? ""}\n`);
  }

  it("spread what they place over the workers together, and forget what has ended", async () => {
    for (const i of [0, 1, 2]) for (let n = 0; n < 4 + i; n++) await hold(i);
    report("15 requests run", await group.agreement(15));
    expect(loadOf(await group.at(0).loads())).toEqual([3, 4, 4, 4]);
    expect(JSON.parse((await group.at(0).get("/replicas")).text)).toMatchObject({
      is_shared: true,
      name: "replica-0",
      is_connected: true,
    });
    const workers: readonly { status: { ranks: readonly [{ sibling_load: { requests: number } }] } }[] = JSON.parse(
      (await group.at(0).get("/workers")).text,
    );
    expect(workers.reduce((sum, { status }) => sum + status.ranks[0].sibling_load.requests, 0)).toBe(heldBy(1, 2));
    await Promise.all(held.flatMap((each) => each.splice(4).map((request) => request.release())));
    report("3 of them have ended", await group.agreement(12));
  });

  if (mode === "ext-proc") {
    it("keep a session on one worker, whichever of them it asks", async () => {
      const sessions = Array.from({ length: 8 }, (_, i) => `session-${i}`);
      const ask = async (i: number, session: string) => {
        const request = await group.at(i).pick({ "x-session-id": session });
        await request.release();
        return request.worker;
      };
      // The first request of each runs on, so that the next session finds another worker the idlest.
      const firsts: Held[] = [];
      for (const session of sessions) firsts.push(await group.at(0).pick({ "x-session-id": session }));
      const workers = firsts.map(({ worker }) => worker);
      const learned = async (i: number) =>
        sumOf(parseMetrics(await group.at(i).metricsText()), "pointsman_replica_sessions_total", {
          outcome: "learned",
        });
      for (const i of [1, 2]) await until(async () => (await learned(i)) >= 8, { what: "the sessions to be known" });
      for (const [at, session] of sessions.entries()) {
        expect([await ask(1, session), await ask(2, session)]).toEqual([workers[at], workers[at]]);
      }
      expect(new Set(workers).size).toBe(4);
      await Promise.all(firsts.map((request) => request.release()));
      await group.agreement(12);
    });
  }

  it("do not wait for a Redis that answers nothing", async () => {
    const traffic = new Traffic(group.replicas);
    redis.freeze();
    await until(async () => (await group.at(1).siblings()).length === 0, { what: "all to be alone" });
    await traffic.goesOn();
    redis.resume();
    await traffic.end();
    const ms = await group.agreement(12);
    expect(traffic.failures).toEqual([]);
    report("Redis stood still", ms, traffic);
  });

  it("go on when one is cut off, each by what it knows, and agree again afterwards", async () => {
    const traffic = new Traffic(group.replicas);
    const cut = group.at(2);
    cut.link.cut();
    await until(async () => (await cut.siblings()).length === 0, { what: "the cut-off one to be alone" });
    await until(async () => (await group.at(0).siblings()).length === 1, { what: "the cut-off one to be missed" });
    await traffic.goesOn();
    for (let n = 0; n < 3; n++) await Promise.all([hold(1), hold(2)]);
    await traffic.end();
    await group.agreement(heldBy(0, 1), group.replicas.slice(0, 2));
    await group.agreement(heldBy(2), [cut]);
    cut.link.repair();
    const ms = await group.agreement(18);
    expect(traffic.failures).toEqual([]);
    report("one was cut off", ms, traffic);
    const samples = parseMetrics(await cut.metricsText());
    expect(sumOf(samples, "pointsman_replica_siblings")).toBe(2);
    expect(sumOf(samples, "pointsman_replica_worker_requests")).toBe(heldBy(0, 1));
  });

  it("go on without Redis, and agree again once it is back, with nothing of what it knew", async () => {
    const traffic = new Traffic(group.replicas);
    await redis.kill();
    for (const replica of group.replicas) {
      await until(async () => (await replica.siblings()).length === 0, { what: `${replica.name} to be alone` });
    }
    await traffic.goesOn();
    for (const i of [0, 1, 2]) await hold(i);
    await traffic.end();
    for (const [i, replica] of group.replicas.entries()) await group.agreement(heldBy(i), [replica]);
    await redis.restart();
    const ms = await group.agreement(21);
    expect(traffic.failures).toEqual([]);
    report("Redis was restarted", ms, traffic);
    expect(group.at(0).log()).toContain("Redis cannot be reached");
  });

  it("go on without one that is killed, and drop its load", async () => {
    const traffic = new Traffic(group.replicas.slice(0, 2));
    const killedAt = performance.now();
    await group.at(2).stop("SIGKILL");
    await until(async () => (await group.at(0).siblings()).length === 1, { what: "the dead one to be missed" });
    await traffic.goesOn();
    await traffic.end();
    await group.agreement(heldBy(0, 1));
    expect(traffic.failures).toEqual([]);
    report("one was killed", performance.now() - killedAt, traffic);
  });
});

describe("three replicas on a Redis that keeps its data", () => {
  it("agree again after its restart all the same", async () => {
    const redis = await RedisServer.start("redis-server", ["--appendonly", "yes"]);
    const group = await ReplicaGroup.start("reserve" satisfies GroupMode, redis);
    for (const replica of group.replicas) await replica.pick();
    await group.agreement(3);
    const traffic = new Traffic(group.replicas);
    await redis.kill();
    await until(async () => (await group.at(0).siblings()).length === 0, { what: "all to be alone" });
    await traffic.goesOn();
    await redis.restart();
    await traffic.end();
    await group.agreement(3);
    expect(traffic.failures).toEqual([]);
    await group.stop();
    await redis.stop();
  });
});

/** Requests by worker, in order of size. */
function loadOf(loads: string): readonly number[] {
  return loads
    .split(" ")
    .map((load) => Number(load.split("/", 1)[0]))
    .sort();
}
