import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processorVersions } from "../../support/queue-processor/index.ts";
import { redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { type ClientChanges, RecordedClient } from "./support/recorded-client.ts";

const cases = redisKinds.flatMap((kind) =>
  processorVersions.flatMap((version) =>
    (["instance", "request"] as const).map((resultLists) => ({ kind, version, resultLists })),
  ),
);

describe.each(cases)("a client with lists for each $resultLists, a processor $version, a real $kind", (each) => {
  const { kind, version, resultLists } = each;
  let lab: Lab;
  const clients: RecordedClient[] = [];
  beforeAll(async () => {
    lab = await Lab.start(kind);
  });
  beforeEach(() => lab.reset());
  afterEach(async () => {
    for (const { client } of clients.splice(0)) await client.close();
  });
  afterAll(() => lab.close());

  async function start(changes: ClientChanges = {}): Promise<RecordedClient> {
    const client = await RecordedClient.start(lab.server.url, { wire: version, resultLists, ...changes });
    clients.push(client);
    return client;
  }

  /** The gateway says when it was asked, and answers when it is let go. */
  function holding() {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    lab.gateway.answer(async (response) => {
      asked.resolve();
      await held.promise;
      response.end("held");
    });
    return { asked: asked.promise, release: held.resolve };
  }

  const queued = () => until(async () => (await lab.redis.zcard("request-sortedset")) === 1, { what: "the queue" });
  const emptied = () => until(async () => (await lab.redis.zcard("request-sortedset")) === 0, { what: "the queue" });
  const told = (client: RecordedClient, why: string) =>
    until(() => client.cancellations.some((cancellation) => cancellation.why === why), {
      what: `a cancellation: ${why}`,
    });

  it("brings the gateway's answer back", async () => {
    lab.process(version);
    const client = await start();
    expect(await client.ask()).toBe('200 {"id":"chatcmpl-fake"}');
    expect((await lab.seen()).target).toBe("/v1/chat/completions");
    expect(client.client.waiting).toBe(0);
    await until(async () => (await lab.keys()).every((key) => !key.startsWith("request-active")), { what: "no state" });
  });

  it("sends the payload on as the processor's version lets it", async () => {
    lab.process(version);
    const client = await start();
    const payload = '{ "z":1, "seed":9007199254740993,\n"a":"<b>\u2028\\u00e9\\ud83d" }';
    await client.ask({ payload: Buffer.from(payload) });
    const encoded = '{"a":"\\u003cb\\u003e\\u2028\u00e9\ufffd","seed":9007199254740992,"z":1}';
    expect((await lab.seen()).body).toBe(version === "v0.9" ? encoded : payload);
  });

  it("ends a request that waits in its queue at its deadline, and the processor does not run it", async () => {
    await lab.redis.set("dispatch-gate-budget", "0");
    lab.process(version, { queue: { gate_type: "redis" } });
    const client = await start();
    expect(await client.ask({ timeoutMs: 200 })).toBe("deadline_exceeded");
    await told(client, "deadline");
    expect(client.cancellations).toEqual([{ why: "deadline", wasKnown: true }]);
    await lab.redis.set("dispatch-gate-budget", "1");
    await emptied();
    expect(lab.gateway.seen).toHaveLength(0);
  });

  it("ends a request that the gateway has at its deadline, and drops what comes later", async () => {
    const gateway = holding();
    lab.process(version);
    const client = await start();
    // A busy machine may need more than the first deadline to come to the gateway.
    for (let timeoutMs = 300; lab.gateway.seen.length === 0; timeoutMs *= 2)
      expect(await client.ask({ timeoutMs })).toBe("deadline_exceeded");
    const before = client.orphans.length;
    gateway.release();
    if (resultLists === "instance") await until(() => client.orphans.length > before, { what: "the late result" });
    expect(client.orphans.every((reason) => reason === "unknown")).toBe(true);
    expect(client.client.waiting).toBe(0);
  });

  it("tells the processor's deadline where that one is earlier", async () => {
    const gateway = holding();
    lab.process(version);
    const client = await start({ deadlineMarginMs: 5_000 });
    const [outcome] = (await client.ask({ timeoutMs: 7_000 })).split(" ");
    expect(outcome).toBe(version === "v0.9" ? "INFERENCE_ERROR" : "DEADLINE_EXCEEDED");
    gateway.release();
  });

  it("cancels in the queue", async () => {
    const client = await start();
    const end = new AbortController();
    const asked = client.ask({}, end.signal);
    await queued();
    end.abort();
    expect(await asked).toBe("AbortError");
    await told(client, "caller");
    lab.process(version);
    await emptied();
    if (resultLists === "instance")
      await until(() => client.orphans.join() === "unknown", { what: "the CANCELLED result" });
    expect(lab.gateway.seen).toHaveLength(0);
  });

  it("cancels while the request waits for its retry", async () => {
    lab.gateway.answer((response) => void response.writeHead(503).end());
    lab.process(version, { backoffBaseS: 0.5 });
    const client = await start();
    const end = new AbortController();
    const asked = client.ask({}, end.signal);
    await until(async () => (await lab.redis.zcard("retry-sortedset")) === 1, { what: "the retry queue" });
    end.abort();
    expect(await asked).toBe("AbortError");
    await told(client, "caller");
    // A busy machine may have sent it again before that.
    const before = lab.gateway.seen.length;
    await until(async () => (await lab.redis.zcard("retry-sortedset")) === 0, { what: "the retry" });
    if (resultLists === "instance") await until(() => client.orphans.length === 1, { what: "the CANCELLED result" });
    expect(lab.gateway.seen).toHaveLength(before);
  });

  it("cancels while the request waits at a gate", async () => {
    await lab.redis.set("dispatch-gate-budget", "0");
    const gate_params = { gate: { gate_type: "redis" } };
    lab.process(version, { pools: { default: { gate_type: "wait-on-refuse", gate_params } } });
    const client = await start();
    const end = new AbortController();
    const asked = client.ask({}, end.signal);
    await until(async () => (await lab.redis.keys("request-active:*")).length === 1, { what: "the request" });
    await emptied();
    end.abort();
    expect(await asked).toBe("AbortError");
    await until(async () => (await lab.redis.keys("request-active:*")).length === 0, { what: "the cancellation" });
    expect(lab.gateway.seen).toHaveLength(0);
  });

  it("cancels in flight: the gateway's answer is nobody's then", async () => {
    const gateway = holding();
    lab.process(version);
    const client = await start();
    const end = new AbortController();
    const asked = client.ask({}, end.signal);
    await gateway.asked;
    end.abort();
    expect(await asked).toBe("AbortError");
    await told(client, "caller");
    gateway.release();
    if (resultLists === "instance") await until(() => client.orphans.length === 1, { what: "the late result" });
    await until(async () => (await lab.redis.keys("request-[ac]*")).length === 0, { what: "no state" });
  });

  it("submits nothing for a caller who has left before", async () => {
    const client = await start();
    expect(await client.ask({}, AbortSignal.abort())).toBe("AbortError");
    expect(await lab.redis.zcard("request-sortedset")).toBe(0);
  });

  it("waits on while the gateway is busy", async () => {
    const statuses = [503, 429, 200];
    lab.gateway.answer((response) => void response.writeHead(statuses.shift() ?? 500).end("x"));
    lab.process(version);
    expect(await (await start()).ask()).toBe("200 x");
  });

  it("tells what the tier's gate dropped", async () => {
    await lab.redis.set("dispatch-gate-budget", "0");
    await lab.redis.set("quota:team:a", "1");
    const gate_params = { attribute: "team", mode: "concurrency", limit: 1, gating_mode: "classifying" };
    lab.process(version, {
      queue: { gate_type: "redis-quota", gate_params, labels: { tier: "interactive" } },
      pools: { default: { gate_type: "tier-priority-admission", gate_params: { saturation_gate: "redis" } } },
    });
    const client = await start();
    expect(await client.ask({ metadata: { team: "a" } })).toBe('plain {"error": "Too Many Requests", "code": 429}');
  });

  it("takes no more than may wait", async () => {
    const client = await start({ maxWaiters: 2 });
    const end = new AbortController();
    const waiting = [client.ask({}, end.signal), client.ask({}, end.signal)];
    expect(await client.ask()).toBe("saturated");
    end.abort();
    await Promise.all(waiting);
    lab.process(version);
    expect(await client.ask()).toMatch(/^200 /);
  });

  it("takes no more than the queue may hold", async () => {
    for (let i = 0; i < 3; i++) await lab.redis.zadd("deep", 9_999_999_999, `{"member":${i}}`);
    const client = await start({ maxQueueDepth: 3, heartbeatMs: 20 });
    const end = new AbortController();
    const first = client.ask({ queue: "deep" }, end.signal);
    await until(() => (client.client.depthOf("deep") ?? 0) >= 3, { what: "the depth" });
    expect(await client.ask({ queue: "deep" })).toBe("queue_full");
    end.abort();
    await first;
  });

  it("never takes the results of another one", async () => {
    lab.gateway.answer((response, { body }) => void response.end(body));
    lab.process(version, { concurrency: 32, transport: { batch_size: 100 } });
    const both = [await start(), await start()];
    const payloadOf = (client: number, n: number) => `{"client":${client},"n":${n}}`;
    const asked = both.flatMap((client, c) =>
      Array.from({ length: 100 }, (_, n) => client.ask({ payload: Buffer.from(payloadOf(c, n)) })),
    );
    const outcomes = await Promise.all(asked);
    const expected = [0, 1].flatMap((c) => Array.from({ length: 100 }, (_, n) => `200 ${payloadOf(c, n)}`));
    expect(outcomes).toEqual(expected);
    expect(both.flatMap(({ orphans }) => orphans)).toEqual([]);
  });

  it("finds out that results of a queue do not come back", async () => {
    lab.process(version, { queue: { result_queue_name: "result-list" } });
    const client = await start();
    const finding = await client.client.canary("request-sortedset", 60_000, new AbortController().signal);
    expect(finding).toEqual({ kind: "swallowed", foundIn: "result-list" });
    expect(lab.gateway.seen).toHaveLength(0);
    await until(async () => (await lab.redis.keys("request-[ac]*")).length === 0, { what: "no state" });
  });

  it("finds out that results of a queue come back", async () => {
    lab.process(version);
    const client = await start();
    expect(await client.client.canary("request-sortedset", 60_000, new AbortController().signal)).toEqual({
      kind: "arrived",
    });
    expect(lab.gateway.seen).toHaveLength(0);
  });

  it("finds out that nobody takes a queue's requests, and leaves none there", async () => {
    const client = await start();
    expect(await client.client.canary("request-sortedset", 300, new AbortController().signal)).toEqual({
      kind: "not_taken",
    });
    expect(await lab.redis.zcard("request-sortedset")).toBe(0);
  });

  it("tells those who wait when it closes, and cancels their requests", async () => {
    const client = await start();
    const asked = client.ask();
    await queued();
    await client.client.close();
    expect(await asked).toBe("closed");
    expect((await lab.redis.keys("request-cancel:*")).length).toBe(1);
    expect(await client.ask()).toBe("closed");
  });
});
