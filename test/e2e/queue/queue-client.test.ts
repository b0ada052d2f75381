import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type QueueClient, type QueueClientOptions, QueueError } from "../../../src/queue/index.ts";
import { RedisServer, redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { chat, never, type WatchedClient, watchedClient } from "./client-bench.ts";
import { HandProcessor } from "./hand-processor.ts";

const ways: readonly Partial<QueueClientOptions>[] = [
  { wire: "v0.9", resultLists: "instance" },
  { wire: "v0.10", resultLists: "instance" },
  { wire: "v0.9", resultLists: "request" },
  { wire: "v0.10", resultLists: "request" },
];

const run = promisify(execFile);

describe.each(redisKinds)("a queue on a %s", (kind) => {
  let server: RedisServer;
  let processor: HandProcessor;
  const open: QueueClient[] = [];

  beforeAll(async () => {
    server = await RedisServer.start(kind);
  });

  afterAll(() => server.stop());

  beforeEach(async () => {
    processor = new HandProcessor(server.url);
    await processor.redis.flushall();
  });

  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
    processor.close();
  });

  it("is used as the manual shows it", async () => {
    const page = await readFile(new URL("../../../docs/queue.md", import.meta.url), "utf8");
    const [, example = ""] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
    const code = example.replace("redis://127.0.0.1:6379", server.url);
    // The package's own name leads to what was built, as it does for those who have installed it.
    const running = run(process.execPath, ["--input-type=module", "--eval", code]);
    const member = await processor.next();
    expect(member.data.payload).toMatchObject({ model: "qwen3" });
    await processor.answer(member, { status_code: 200, payload: "It scatters." });
    expect((await running).stdout).toBe("200 It scatters.\n");
  });

  async function start(options: Partial<QueueClientOptions> = {}): Promise<WatchedClient> {
    const watched = await watchedClient(server.url, options);
    open.push(watched.client);
    return watched;
  }

  describe.each(ways)("written as %o", (way) => {
    it("gets each result, in whatever order they come", async () => {
      const { client } = await start(way);
      const results = ["a", "b", "c"].map((id) => client.submitAndAwait({ ...chat(), id }, never));
      const members = [await processor.next(), await processor.next(), await processor.next()];
      for (const member of members.toReversed())
        await processor.answer(member, { status_code: 200, payload: `for ${member.data.id}` });
      expect((await Promise.all(results)).map(({ payload }) => payload)).toEqual(["for a", "for b", "for c"]);
      expect(client.waiting).toBe(0);
    });

    it("says when nothing came in time, and cancels", async () => {
      const { client, told } = await start(way);
      const result = client.submitAndAwait({ ...chat(), timeoutMs: 150 }, never);
      await expect(result).rejects.toMatchObject({ code: "deadline_exceeded" });
      await until(() => told.includes("cancelled deadline true"), { what: "the cancellation" });
      expect(await processor.isCancelled(await processor.next())).toBe(true);
    });

    it("cancels what its caller does not want any more", async () => {
      const { client, told } = await start(way);
      const caller = new AbortController();
      const result = client.submitAndAwait(chat(), caller.signal);
      const member = await processor.next();
      caller.abort(new Error("gone"));
      await expect(result).rejects.toThrow("gone");
      await until(() => told.includes("cancelled caller true"), { what: "the cancellation" });
      expect(await processor.isCancelled(member)).toBe(true);
    });

    it("keeps waiting requests over a reconnection", async () => {
      const { client, told } = await start(way);
      const result = client.submitAndAwait(chat(), never);
      const member = await processor.next();
      await processor.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await until(() => told.filter((each) => each === "connected").length >= 2, { what: "the new connection" });
      await processor.answer(member, { status_code: 200, payload: "late" });
      expect((await result).payload).toBe("late");
    });
  });

  it("writes what llm-d-async v0.9 writes", async () => {
    const { client } = await start();
    const beforeS = Math.floor(Date.now() / 1_000);
    client.submitAndAwait({ ...chat(), id: "x", timeoutMs: 600_000 }, never).catch(() => undefined);
    await until(async () => (await processor.redis.zcard("request-sortedset")) === 1, { what: "the request" });
    const [text, score] = await processor.redis.zrange("request-sortedset", "0", "0", "WITHSCORES");
    const member = JSON.parse(String(text));
    expect(Number(score)).toBe(member.data.deadline);
    expect(member.data.deadline - beforeS).toBeGreaterThanOrEqual(600);
    expect(await processor.redis.get("request-active:x")).toBe(member.internal.request_token);
    const ttlMs = await processor.redis.pttl("request-active:x");
    expect(ttlMs).toBeGreaterThan(500_000);
    expect(ttlMs).toBeLessThanOrEqual(601_000);
  });

  it("numbers requests of one deadline as llm-d-async v0.10 does", async () => {
    const { client } = await start({ wire: "v0.10" });
    for (let i = 0; i < 20; i++) client.submitAndAwait({ ...chat(), timeoutMs: 600_000 }, never).catch(() => undefined);
    await until(async () => (await processor.redis.zcard("request-sortedset")) === 20, { what: "the requests" });
    const entries = await processor.redis.zrange("request-sortedset", "0", "-1", "WITHSCORES");
    for (let at = 0; at < entries.length; at += 2) {
      const { internal, data } = JSON.parse(String(entries[at]));
      expect(Number(entries[at + 1])).toBe(data.deadline + internal.enqueue_seq / 2_097_152);
      const counter = `request-seq:request-sortedset:${data.deadline}`;
      expect(Number(await processor.redis.expiretime(counter))).toBe(data.deadline + 3_600);
    }
  });

  it("gives each of two instances its own results", async () => {
    const [one, other] = [await start(), await start()];
    const results = [one.client.submitAndAwait(chat(), never), other.client.submitAndAwait(chat(), never)];
    const members = [await processor.next(), await processor.next()];
    expect(members[0]?.internal.result_queue_name).not.toBe(members[1]?.internal.result_queue_name);
    for (const member of members) await processor.answer(member, { status_code: 200, payload: member.data.id });
    const ids = (await Promise.all(results)).map(({ payload, id }) => payload === id);
    expect(ids).toEqual([true, true]);
    expect([...one.told, ...other.told].filter((each) => each.startsWith("orphaned"))).toEqual([]);
  });

  it("counts results that come too late", async () => {
    const { client, told } = await start();
    await expect(client.submitAndAwait({ ...chat(), timeoutMs: 50 }, never)).rejects.toThrow(QueueError);
    await processor.answer(await processor.next(), { status_code: 200, payload: "late" });
    await until(() => told.includes("orphaned unknown"), { what: "the orphan" });
  });

  it("takes no more than may wait", async () => {
    const { client } = await start({ maxWaiters: 2 });
    const held = [client.submitAndAwait(chat(), never), client.submitAndAwait(chat(), never)];
    await expect(client.submitAndAwait(chat(), never)).rejects.toMatchObject({ code: "saturated" });
    for (const _ of held) await processor.answer(await processor.next(), { status_code: 200, payload: "" });
    await Promise.all(held);
  });

  it("takes no more than the queue may hold", async () => {
    const { client } = await start({ maxQueueDepth: 2, heartbeatMs: 20 });
    const held = [client.submitAndAwait(chat(), never), client.submitAndAwait(chat(), never)];
    await until(() => client.depthOf("request-sortedset") === 2, { what: "the length of the queue" });
    await expect(client.submitAndAwait(chat(), never)).rejects.toMatchObject({ code: "queue_full" });
    for (const _ of held) await processor.answer(await processor.next(), { status_code: 200, payload: "" });
    await Promise.all(held);
  });

  it("fails at once while Redis is down, parks nothing, and tells of requests that went with it", async () => {
    const { client, told } = await start();
    const waiting = client.submitAndAwait({ ...chat(), timeoutMs: 60_000 }, never);
    waiting.catch(() => undefined);
    await processor.next();
    await server.kill();
    await until(() => told.includes("lost"), { what: "the loss" });
    // Less than any limit of the client's: what waited for the server, which is still away, would come later.
    const refused = Promise.race([client.submitAndAwait(chat(), never), delay(5_000)]);
    await expect(refused).rejects.toMatchObject({ code: "unavailable" });
    await server.restart();
    // Nothing was saved: no result can come any more.
    await expect(waiting).rejects.toMatchObject({ code: "lost" });
    expect(await processor.redis.zcard("request-sortedset")).toBe(0);
    const again = client.submitAndAwait(chat(), never);
    await processor.answer(await processor.next(), { status_code: 200, payload: "again" });
    expect((await again).payload).toBe("again");
  });

  it("removes what a silent instance has left, and its own list at the end", async () => {
    await processor.redis.lpush("resp:{gone}", "x");
    await processor.redis.zadd("resp:{gone}:lists", 1, "resp:{gone}:1");
    await processor.redis.lpush("resp:{gone}:1", "y");
    await processor.redis.zadd("resp:instances", 1, "gone");
    const { told, client } = await start({ heartbeatMs: 50 });
    await until(() => told.includes("removed gone"), { what: "the janitor" });
    expect(await processor.redis.keys("resp:{gone}*")).toEqual([]);
    await client.close();
    expect(await processor.redis.keys("resp:{*")).toEqual([]);
  });

  describe("a canary", () => {
    it("comes back where the processor's queue names no list", async () => {
      const { client } = await start();
      const finding = client.canary("request-sortedset", 60_000, never);
      const member = await processor.next();
      expect(await processor.isCancelled(member)).toBe(true);
      await processor.answer(member, { payload: '{"error":"cancelled"}', error_code: "CANCELLED" });
      expect(await finding).toEqual({ kind: "arrived" });
      expect(client.waiting).toBe(0);
    });

    it("finds the list that results go to instead", async () => {
      const { client } = await start();
      const finding = client.canary("request-sortedset", 60_000, never);
      const member = await processor.next();
      await processor.answer(member, { payload: "", error_code: "CANCELLED" }, "result-list");
      expect(await finding).toEqual({ kind: "swallowed", foundIn: "result-list" });
      expect(await processor.redis.llen("result-list")).toBe(0);
    });

    it("is taken out again when nobody takes it", async () => {
      const { client } = await start();
      expect(await client.canary("request-sortedset", 300, never)).toEqual({ kind: "not_taken" });
      expect(await processor.redis.zcard("request-sortedset")).toBe(0);
    });
  });
});
