import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ProcessorProcess, type ProcessorVersion, processorVersions } from "../../support/queue-processor/index.ts";
import { redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { crowd } from "./support/crowd.ts";
import { Lab, type LabChanges } from "./support/lab.ts";
import { type ClientChanges, RecordedClient } from "./support/recorded-client.ts";

const cases = redisKinds.flatMap((kind) => processorVersions.map((version) => ({ kind, version })));
const many = { total: 5_000, atOnce: 1_000, timeoutMs: 60_000 };

describe.each(cases)("a thousand callers, a processor $version, a real $kind", ({ kind, version }) => {
  let lab: Lab;
  const clients: RecordedClient[] = [];
  const processors: ProcessorProcess[] = [];
  beforeAll(async () => {
    lab = await Lab.start(kind);
  });
  beforeEach(async () => {
    await lab.reset();
    lab.gateway.answer((response, { body }) => void response.end(body));
  });
  afterEach(async () => {
    for (const { client } of clients.splice(0)) await client.close();
    for (const processor of processors.splice(0)) await processor.kill();
  });
  afterAll(() => lab.close());

  async function start(changes: ClientChanges = {}): Promise<RecordedClient> {
    const client = await RecordedClient.start(lab.server.url, { wire: version, ...changes });
    clients.push(client);
    return client;
  }

  const quick = (versionOf: ProcessorVersion, changes: LabChanges = {}) =>
    lab.options(versionOf, {
      concurrency: 256,
      ...changes,
      transport: { batch_size: 500, ...changes.transport },
    });

  async function processor(changes: LabChanges = {}): Promise<ProcessorProcess> {
    const started = await ProcessorProcess.start(quick(version, changes));
    processors.push(started);
    return started;
  }

  it("have each their own result when nothing fails", async () => {
    await processor();
    const client = await start();
    expect(await crowd([client], many)).toEqual({ counts: { 200: 5_000 }, strange: [] });
    expect(client.orphans).toEqual([]);
    expect(client.failures).toEqual([]);
    expect(client.client.waiting).toBe(0);
    await until(async () => (await lab.redis.keys("request-active*")).length === 0, { what: "no state" });
  });

  it("have each their own result over two replicas", async () => {
    await processor();
    const both = [await start(), await start()];
    expect(await crowd(both, many)).toEqual({ counts: { 200: 5_000 }, strange: [] });
    expect(both.flatMap(({ orphans }) => orphans)).toEqual([]);
  });

  it("have each their own result by a list and a connection for each, and leave no list behind", async () => {
    await processor();
    const client = await start({ resultLists: "request" });
    expect(await crowd([client], many)).toEqual({ counts: { 200: 5_000 }, strange: [] });
    expect(client.failures).toEqual([]);
    await until(async () => (await lab.redis.keys("resp:{*")).length === 0, { what: "no list" });
  });

  it("have one answer each when the processor is killed and another one takes over", async () => {
    // Claims of the dead one come back soon. Without a death a machine that stands still must not look like one.
    const transport = { claim_lease_ttl_seconds: 1, claim_reclaim_interval_ms: 50 };
    const first = await processor({ transport });
    const client = await start();
    let killed: Promise<unknown> | undefined;
    const outcome = await crowd([client], {
      ...many,
      // What v0.9 had in its hands is gone: those callers wait for their deadline.
      timeoutMs: version === "v0.9" ? 8_000 : 60_000,
      onDone: (done) => {
        if (done === 1_000) killed = first.kill().then(() => processor({ transport }));
      },
    });
    await killed;
    const { 200: answered = 0, deadline_exceeded: late = 0, ...others } = outcome.counts;
    expect(others).toEqual({});
    expect(answered + late).toBe(5_000);
    if (version === "v0.10") expect(late).toBe(0);
    expect(outcome.strange).toEqual([]);
  });

  it.each([
    { what: "loses its memory", args: [] },
    { what: "keeps its data", args: ["--appendonly", "yes", "--appendfsync", "always"] },
  ])("have one answer each when Redis is killed and $what", async ({ args }) => {
    const durable = await Lab.start(kind, args);
    try {
      durable.gateway.answer((response, { body }) => void response.end(body));
      const options = { ...quick(version), transport: { ...quick(version).transport, url: durable.server.url } };
      processors.push(await ProcessorProcess.start(options));
      const own = await RecordedClient.start(durable.server.url, { wire: version });
      clients.push(own);
      let killed: Promise<unknown> | undefined;
      const outcome = await crowd([own], {
        ...many,
        timeoutMs: 8_000,
        onDone: (done) => {
          if (done === 1_000) killed = durable.server.kill().then(() => durable.server.restart());
        },
      });
      await killed;
      const { 200: answered = 0, deadline_exceeded: late = 0, unavailable = 0, lost = 0, ...others } = outcome.counts;
      expect(others).toEqual({});
      expect(answered + late + unavailable + lost).toBe(5_000);
      expect(answered).toBeGreaterThan(0);
      expect(outcome.strange).toEqual([]);
      await until(() => own.client.isConnected, { what: "the client to be back" });
      expect(await own.ask({ payload: Buffer.from('{"back":1}') })).toBe('200 {"back":1}');
    } finally {
      await durable.close();
    }
  });

  it("cannot submit while Redis is away, and those who wait have their results once it is back", async () => {
    const durable = await Lab.start(kind, ["--appendonly", "yes", "--appendfsync", "always"]);
    try {
      const own = await RecordedClient.start(durable.server.url, { wire: version });
      clients.push(own);
      durable.gateway.answer((response, { body }) => void response.end(body));
      const waiting = Promise.all([1, 2, 3].map((n) => own.ask({ payload: Buffer.from(`{"n":${n}}`) })));
      await until(async () => (await durable.redis.zcard("request-sortedset")) === 3, { what: "the queue" });
      // Answered after them on the same connection: Redis has told of all three then.
      own.client.cancel("nobody");
      await until(() => own.cancellations.length === 1, { what: "the answers" });
      await durable.server.kill();
      await until(() => !own.client.isConnected, { what: "the loss to be seen" });
      expect(await own.ask()).toBe("unavailable");
      await durable.server.restart();
      await until(() => own.client.isConnected, { what: "the client to be back" });
      durable.process(version);
      expect(await waiting).toEqual(['200 {"n":1}', '200 {"n":2}', '200 {"n":3}']);
      expect(own.losses).toHaveLength(1);
    } finally {
      await durable.close();
    }
  });
});
