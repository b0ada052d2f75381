import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CuttableLink } from "../support/cuttable-link.ts";
import { RedisServer, redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { crowd } from "./support/crowd.ts";
import { Lab } from "./support/lab.ts";
import { type ClientChanges, RecordedClient } from "./support/recorded-client.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function labOf(...args: Parameters<typeof Lab.start>): Promise<Lab> {
  const lab = await Lab.start(...args);
  closing.push(() => lab.close());
  return lab;
}

async function clientOf(url: string, changes: ClientChanges = {}): Promise<RecordedClient> {
  const client = await RecordedClient.start(url, changes);
  closing.push(() => client.client.close());
  return client;
}

/** What a request's member says of it. */
interface Seen {
  readonly id: string;
  readonly token: string;
  readonly list: string;
}

async function submitted(lab: Lab): Promise<Seen> {
  const member = await until(async () => (await lab.redis.zrange("request-sortedset", 0, "0"))[0], {
    what: "a request",
  });
  const { internal, data } = JSON.parse(member);
  return { id: data.id, token: internal.request_token, list: internal.result_queue_name };
}

describe.each(redisKinds)("what stands on a result list of a real %s", (kind) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await labOf(kind);
  });

  it.each<{ what: string; text: (request: Seen) => string; reason: string }>([
    { what: "is no JSON", text: () => "{", reason: "malformed" },
    { what: "is a list", text: () => "[1]", reason: "malformed" },
    { what: "is null", text: () => "null", reason: "malformed" },
    { what: "is empty", text: () => "", reason: "malformed" },
    { what: "has no id", text: () => '{"payload":"x"}', reason: "malformed" },
    { what: "has a number as its id", text: () => '{"id":7,"payload":"x"}', reason: "malformed" },
    { what: "is of another request", text: () => '{"id":"other","payload":"x"}', reason: "unknown" },
    { what: "is of __proto__", text: () => '{"id":"__proto__","payload":"x"}', reason: "unknown" },
    {
      what: "has another token",
      text: ({ id }) => `{"id":"${id}","payload":"x","request_token":"t"}`,
      reason: "token",
    },
    { what: "are bytes that are no text", text: () => "\ufffd\u0000", reason: "malformed" },
    { what: "is nested too deeply", text: () => "[".repeat(200_000), reason: "malformed" },
  ])("is nobody's when it $what", async ({ text, reason }) => {
    const client = await clientOf(lab.server.url);
    const asked = client.ask();
    const request = await submitted(lab);
    await lab.redis.lpush(request.list, text(request));
    await until(() => client.orphans.length === 1, { what: "the orphan" });
    expect(client.orphans).toEqual([reason]);
    await lab.redis.lpush(request.list, `{"id":"${request.id}","status_code":200,"payload":"mine"}`);
    expect(await asked).toBe("200 mine");
  });

  it("is taken once, though it is there twice", async () => {
    const client = await clientOf(lab.server.url);
    const asked = client.ask();
    const { id, list } = await submitted(lab);
    const text = `{"id":"${id}","status_code":200,"payload":"mine"}`;
    await lab.redis.lpush(list, text, text, text);
    expect(await asked).toBe("200 mine");
    await until(() => client.orphans.join() === "unknown,unknown", { what: "the others" });
  });

  it("comes through though it is huge", async () => {
    const client = await clientOf(lab.server.url, { redis: { timeoutMs: 60_000 } });
    const asked = client.ask();
    const { id, list } = await submitted(lab);
    const payload = "x".repeat(32 * 1024 * 1024);
    await lab.redis.lpush(list, JSON.stringify({ id, status_code: 200, payload }));
    expect((await asked).length).toBe(payload.length + 4);
  });

  it("does not stop the reading when it is no list any more", async () => {
    const client = await clientOf(lab.server.url);
    const first = client.ask();
    const { id, list } = await submitted(lab);
    await lab.redis.lpush(list, `{"id":"${id}","status_code":200,"payload":"mine"}`);
    expect(await first).toBe("200 mine");
    await lab.redis.set(list, "somebody else's");
    await lab.redis.del("request-sortedset");
    const second = client.ask();
    await until(() => client.losses.length > 0, { what: "the fault to be seen" });
    await lab.redis.del(list);
    lab.process("v0.9");
    await second;
    await until(() => client.client.isConnected, { what: "the client to be back" });
    expect(await client.ask()).toMatch(/^200 /);
  });
});

describe.each(redisKinds)("a client of a real %s that", (kind) => {
  it("becomes a replica is unavailable until it is a primary again", async () => {
    const lab = await labOf(kind);
    lab.process("v0.9");
    const client = await clientOf(lab.server.url);
    expect(await client.ask()).toMatch(/^200 /);
    await lab.redis.replicaof("127.0.0.1", 1);
    await until(async () => (await client.ask({ timeoutMs: 2_000 })) === "unavailable", { what: "the refusal" });
    await lab.redis.replicaof("NO", "ONE");
    await until(async () => (await client.ask({ timeoutMs: 2_000 })).startsWith("200 "), {
      what: "the queue to be back",
    });
  });

  it("has no memory left is unavailable until it has some", async () => {
    const lab = await labOf(kind);
    lab.process("v0.9");
    const client = await clientOf(lab.server.url);
    expect(await client.ask()).toMatch(/^200 /);
    await lab.redis.config("SET", "maxmemory", "1");
    expect(await client.ask()).toBe("unavailable");
    const [failure] = client.failures;
    expect(String(failure?.cause)).toMatch(/OOM|EXECABORT/);
    await lab.redis.config("SET", "maxmemory", "0");
    await until(async () => (await client.ask({ timeoutMs: 2_000 })).startsWith("200 "), {
      what: "the queue to be back",
    });
    expect(client.client.waiting).toBe(0);
  });

  it("asks for another password is unavailable until the new one is read", async () => {
    const lab = await labOf(kind);
    let password: string | undefined;
    const secrets = async () => ({ password, tls: { rejectUnauthorized: true } });
    const client = await clientOf(lab.server.url, { secrets });
    await lab.redis.config("SET", "requirepass", "secret");
    await lab.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await until(() => client.losses.length === 1, { what: "the loss" });
    expect(await client.ask()).toBe("unavailable");
    password = "secret";
    await until(() => client.client.isConnected, { what: "the client to be back" });
    await lab.redis.config("SET", "requirepass", "");
    lab.process("v0.9");
    expect(await client.ask()).toMatch(/^200 /);
  });

  it("forgets its scripts has them again", async () => {
    const lab = await labOf(kind);
    const client = await clientOf(lab.server.url, { wire: "v0.10" });
    lab.process("v0.10");
    expect(await client.ask()).toMatch(/^200 /);
    await lab.redis.script("FLUSH");
    expect(await client.ask()).toMatch(/^200 /);
    await lab.redis.script("FLUSH");
    client.client.cancel("nobody");
    await until(() => client.cancellations.length === 1, { what: "the cancellation" });
    expect(client.failures).toEqual([]);
  });

  it("is of a cluster is refused", async () => {
    const server = await RedisServer.start(kind, ["--cluster-enabled", "yes"]);
    closing.push(() => server.stop());
    await expect(RecordedClient.start(server.url)).rejects.toThrow("this is a Redis Cluster");
  });

  it("is loading its data is unavailable until it is done", async () => {
    const lab = await labOf(kind, ["--appendonly", "yes", "--key-load-delay", "100000"]);
    for (let i = 0; i < 60; i++) await lab.redis.set(`key:${i}`, "x");
    const client = await clientOf(lab.server.url, { redis: { timeoutMs: 500 } });
    await lab.server.kill();
    const restarted = lab.server.restart();
    await until(() => client.losses.length > 0, { what: "the loss" });
    expect(await client.ask()).toBe("unavailable");
    await restarted;
    await until(() => client.client.isConnected, { what: "the client to be back" });
    lab.process("v0.9");
    expect(await client.ask()).toMatch(/^200 /);
  });

  it("answers nothing is given up, and those who wait have their results when it goes on", async () => {
    const lab = await labOf(kind);
    const client = await clientOf(lab.server.url, { redis: { timeoutMs: 2_000 } });
    const waiting = client.ask();
    await submitted(lab);
    client.client.cancel("nobody");
    await until(() => client.cancellations.length === 1, { what: "the answers" });
    lab.server.freeze();
    expect(await client.ask()).toBe("unavailable");
    await until(() => client.losses.length === 1, { what: "the loss" });
    expect(await client.ask()).toBe("unavailable");
    lab.server.resume();
    await until(() => client.client.isConnected, { what: "the client to be back" });
    lab.process("v0.9");
    expect(await waiting).toMatch(/^200 /);
  });

  it("is behind a network that is cut loses no result on the way", async () => {
    const lab = await labOf(kind);
    const way = await CuttableLink.to(lab.server.port);
    closing.push(() => way.close());
    const client = await clientOf(`redis://127.0.0.1:${way.port}`, { redis: { timeoutMs: 2_000 } });
    const waiting = client.ask({ timeoutMs: 30_000 });
    await submitted(lab);
    client.client.cancel("nobody");
    await until(() => client.cancellations.length === 1, { what: "the answers" });
    way.cut();
    expect(await client.ask()).toBe("unavailable");
    await until(() => client.losses.length === 1, { what: "the loss" });
    way.repair();
    await until(() => client.client.isConnected, { what: "the client to be back" });
    lab.process("v0.9");
    expect(await waiting).toMatch(/^200 /);
  });

  it.each([
    { what: "commands", number: 0 },
    { what: "results", number: 1 },
  ])("is behind a network that drops the connection of $what alone makes both anew", async ({ number }) => {
    const lab = await labOf(kind);
    lab.process("v0.9");
    const way = await CuttableLink.to(lab.server.port);
    closing.push(() => way.close());
    const redis = { timeoutMs: 2_000 };
    const client = await clientOf(`redis://127.0.0.1:${way.port}`, { redis, heartbeatMs: 100 });
    expect(await client.ask()).toMatch(/^200 /);
    way.cutOne(number);
    await until(() => client.connections >= 2, { what: "another connection" });
    expect(await client.ask()).toMatch(/^200 /);
  });

  it("answers late, but answers, is waited for", async () => {
    const lab = await labOf(kind);
    lab.process("v0.9");
    const client = await clientOf(lab.server.url, { redis: { timeoutMs: 5_000 } });
    // It is held up for most of the time that is allowed, again and again.
    for (let i = 0; i < 3; i++) {
      const held = lab.redis.call("CLIENT", "PAUSE", "2500", "ALL");
      expect(await client.ask()).toMatch(/^200 /);
      await held;
    }
    expect(client.losses).toEqual([]);
  });

  it("was restarted keeps its other clients: their numbers are those that its own had before", async () => {
    const lab = await labOf(kind);
    const client = await clientOf(lab.server.url, { redis: { reconnectMinMs: 1_000, reconnectMaxMs: 1_000 } });
    await lab.server.kill();
    await lab.server.restart();
    const others = Array.from({ length: 30 }, () => new Redis(lab.server.url, { retryStrategy: null }));
    closing.push(async () => {
      for (const other of others) other.disconnect();
    });
    await Promise.all(others.map((other) => other.ping()));
    await until(() => client.connections >= 2, { what: "the client to be back" });
    for (const other of others) expect(await other.ping()).toBe("PONG");
    expect(client.losses).toHaveLength(1);
  });

  it("throws its clients out again and again answers each caller once", async () => {
    const lab = await labOf(kind);
    lab.gateway.answer((response, { body }) => void response.end(body));
    lab.process("v0.9", { concurrency: 64, transport: { batch_size: 100 } });
    const client = await clientOf(lab.server.url);
    let kicks = 0;
    const outcome = await crowd([client], {
      total: 2_000,
      atOnce: 100,
      timeoutMs: 4_000,
      onDone: (done) => {
        if (done % 100 !== 0 || kicks >= 10) return;
        kicks++;
        lab.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes").catch(() => undefined);
      },
    });
    const { 200: answered = 0, unavailable = 0, lost = 0, deadline_exceeded: late = 0, ...others } = outcome.counts;
    expect(others).toEqual({});
    expect(answered + unavailable + lost + late).toBe(2_000);
    expect(outcome.strange).toEqual([]);
    expect(client.client.waiting).toBe(0);
    await until(() => client.client.isConnected, { what: "the client to be back" });
    expect(await client.ask()).toMatch(/^200 /);
    const connections = async () =>
      String(await lab.redis.call("CLIENT", "LIST"))
        .split("\n")
        .filter((line) => line.includes("pointsman"));
    await until(async () => (await connections()).length === 2, { what: "no more connections than two" });
  });
});

describe("clocks that do not agree", () => {
  it("do not keep results from their callers where the processor is behind", async () => {
    const lab = await labOf("redis-server");
    lab.process("v0.9", { clockSkewMs: -60_000 });
    const client = await clientOf(lab.server.url);
    expect(await client.ask()).toMatch(/^200 /);
    const held = Promise.withResolvers<void>();
    lab.gateway.answer(async (response) => {
      await held.promise;
      response.end();
    });
    expect(await client.ask({ timeoutMs: 300 })).toBe("deadline_exceeded");
    held.resolve();
  });

  it("make the processor give up early where it is ahead, and the caller has an answer all the same", async () => {
    const lab = await labOf("redis-server");
    lab.process("v0.10", { clockSkewMs: 60_000 });
    const client = await clientOf(lab.server.url, { wire: "v0.10" });
    expect(await client.ask({ timeoutMs: 30_000 })).toMatch(/^DEADLINE_EXCEEDED /);
    expect(lab.gateway.seen).toHaveLength(0);
  });

  it("do not end a wait early where this machine's clock jumps", async () => {
    const lab = await labOf("redis-server");
    let jumpMs = 0;
    const client = await clientOf(lab.server.url, { environment: { wallMs: () => Date.now() + jumpMs } });
    const asked = client.ask();
    const { id, list } = await submitted(lab);
    jumpMs = 3_600_000;
    await lab.redis.lpush(list, `{"id":"${id}","status_code":200,"payload":"mine"}`);
    expect(await asked).toBe("200 mine");
  });
});
