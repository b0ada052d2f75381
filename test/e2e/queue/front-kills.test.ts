import { Agent, request } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ProcessorProcess, type TransportOptions } from "../../support/queue-processor/index.ts";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { QueueFront } from "./support/queue-front.ts";

/** Each server and each version once: what the client does with any two of them is seen without HTTP. */
const cases = [
  { kind: "redis-server", version: "v0.9" },
  { kind: "valkey-server", version: "v0.10" },
] as const;

/** What came of many requests over HTTP. */
interface Counted {
  readonly counts: Readonly<Record<string, number>>;
  readonly strange: readonly string[];
}

interface Crowd {
  readonly total: number;
  readonly atOnce: number;
  readonly timeoutS: number;
  readonly onDone?: (done: number) => void;
}

/** Each caller asks the next front; a connection that breaks counts as `broken`. */
async function crowd(fronts: readonly QueueFront[], { total, atOnce, timeoutS, onDone }: Crowd): Promise<Counted> {
  const dispatcher = new Agent({ connections: atOnce, headersTimeout: 0, bodyTimeout: 0 });
  const counts: Record<string, number> = {};
  const strange: string[] = [];
  let next = 0;
  let done = 0;
  const ask = async (n: number): Promise<string> => {
    const body = `{"model":"m","n":${n}}`;
    const headers = { "content-type": "application/json", "x-request-timeout-seconds": `${timeoutS}` };
    try {
      const url = `${fronts[n % fronts.length]?.url}/v1/chat/completions`;
      const answer = await request(url, { method: "POST", headers, body, dispatcher });
      const text = await answer.body.text();
      if (answer.statusCode === 200 && text !== body) strange.push(text);
      return `${answer.statusCode}`;
    } catch {
      return "broken";
    }
  };
  const caller = async () => {
    while (next < total) {
      const kind = await ask(next++);
      counts[kind] = (counts[kind] ?? 0) + 1;
      onDone?.(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  await dispatcher.close();
  return { counts, strange };
}

const many = { total: 5_000, atOnce: 1_000, timeoutS: 60 };

describe.each(cases)("a thousand clients, a processor $version, a real $kind", ({ kind, version }) => {
  let lab: Lab;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    lab = await Lab.start(kind);
  });
  beforeEach(async () => {
    await lab.reset();
    // As a v0.9 processor writes it anew.
    lab.gateway.answer((response, { body }) => void response.end(body));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => lab.close());

  async function front(settings = {}): Promise<QueueFront> {
    const started = await QueueFront.start(lab.server.url, { wire: version, ...settings });
    closing.push(() => started.stop());
    return await started.healthy();
  }

  async function processor(claims: Partial<TransportOptions> = {}): Promise<ProcessorProcess> {
    const transport = { batch_size: 500, ...claims };
    const started = await ProcessorProcess.start(lab.options(version, { concurrency: 256, transport }));
    closing.push(() => started.kill());
    return started;
  }

  it("have each their own answer when nothing fails, over two replicas", async () => {
    await processor();
    const fronts = [await front(), await front()];
    expect(await crowd(fronts, many)).toEqual({ counts: { 200: 5_000 }, strange: [] });
    for (const each of fronts) expect(await each.metric("pointsman_queue_front_orphan_results_total")).toBe(0);
  });

  it("have one answer each when the processor is killed and another one takes over", async () => {
    // Claims of the dead one come back soon. Without a death a machine that stands still must not look like one.
    const claims = { claim_lease_ttl_seconds: 1, claim_reclaim_interval_ms: 50 };
    const first = await processor(claims);
    const only = await front();
    let killed: Promise<unknown> | undefined;
    const outcome = await crowd([only], {
      ...many,
      timeoutS: version === "v0.9" ? 5 : 60,
      onDone: (done) => {
        if (done === 1_000) killed = first.kill().then(() => processor(claims));
      },
    });
    await killed;
    const { 200: answered = 0, 504: late = 0, ...others } = outcome.counts;
    expect([others, answered + late, outcome.strange]).toEqual([{}, 5_000, []]);
    if (version === "v0.10") expect(late).toBe(0);
  });

  it("have one answer each, 200, 503 or 504, when Redis is killed and loses its memory", async () => {
    await processor();
    const only = await front();
    let killed: Promise<unknown> | undefined;
    const outcome = await crowd([only], {
      ...many,
      timeoutS: 5,
      onDone: (done) => {
        if (done === 1_000) killed = lab.server.kill().then(() => lab.server.restart());
      },
    });
    await killed;
    const { 200: answered = 0, 503: unavailable = 0, 504: late = 0, ...others } = outcome.counts;
    expect([others, answered + unavailable + late, outcome.strange]).toEqual([{}, 5_000, []]);
    await only.healthy();
    expect((await only.post("/v1/chat/completions", '{"model":"m"}')).text).toBe('{"model":"m"}');
  });

  it("of a front that is killed are cut off, those of the other go on, and what it left is removed", async () => {
    await processor();
    const quick = { heartbeatMs: 20, lateResultMs: 300, defaultTimeoutMs: 5_000, maxTimeoutMs: 5_000 };
    const fronts = [await front(quick), await front(quick)] as const;
    const names = await lab.redis.zrange("resp:instances", 0, "-1");
    expect(names).toHaveLength(2);
    let killed: Promise<unknown> | undefined;
    const outcome = await crowd(fronts, {
      ...many,
      timeoutS: 5,
      onDone: (done) => {
        if (done === 1_000) killed = fronts[0].stop("SIGKILL");
      },
    });
    await killed;
    const { 200: answered = 0, 504: late = 0, broken = 0, ...others } = outcome.counts;
    expect([others, answered + late + broken, outcome.strange]).toEqual([{}, 5_000, []]);
    expect(broken).toBeLessThanOrEqual(2_500);
    await until(async () => (await lab.redis.zcard("resp:instances")) === 1, { what: "the dead one to be missed" });
    await until(async () => (await lab.redis.keys("resp:{*")).length === 0, { what: "its list to go" });
    // Those that nobody waited for any longer; on a slow machine there are some.
    expect(await fronts[1].metric("pointsman_queue_front_orphan_results_total")).toBeLessThanOrEqual(late);
  });
});

describe("a front that is told to stop", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start("redis-server");
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  const waiting = () => until(async () => (await lab.redis.zcard("request-sortedset")) === 1, { what: "the request" });

  it("lets those who wait have their results", async () => {
    const front = await (
      await QueueFront.start(lab.server.url, {}, { shutdown: { drainTimeoutMs: 20_000 } })
    ).healthy();
    const asked = front.post("/v1/chat/completions", '{"model":"m"}');
    await waiting();
    const stopped = front.stop();
    await until(async () => !(await front.isHealthy().catch(() => false)), { what: "the front to be closing" });
    lab.process("v0.9");
    expect((await asked).status).toBe(200);
    expect(await stopped).toBe("exit code 0");
    await until(async () => (await lab.redis.keys("resp:{*")).length === 0, { what: "its list to go" });
  });

  it("answers 503 to those whose results take longer, and cancels their requests", async () => {
    const front = await (await QueueFront.start(lab.server.url, {}, { shutdown: { drainTimeoutMs: 300 } })).healthy();
    const asked = front.post("/v1/chat/completions", '{"model":"m"}');
    await waiting();
    const stopped = front.stop();
    const answer = await asked;
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await stopped).toBe("exit code 0");
    expect(await lab.redis.keys("request-cancel:*")).toHaveLength(1);
  });

  it("answers 503 at once while Redis is away, and is healthy again when it is back", async () => {
    const front = await (await QueueFront.start(lab.server.url)).healthy();
    await lab.server.kill();
    await until(async () => !(await front.isHealthy()), { what: "the loss" });
    const answer = await front.post("/v1/chat/completions", '{"model":"m"}');
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    await lab.server.restart();
    await front.healthy();
    lab.process("v0.9");
    expect((await front.post("/v1/chat/completions", '{"model":"m"}')).status).toBe(200);
    await front.stop();
  });

  it("starts while Redis is away, and serves once it is there", async () => {
    await lab.server.kill();
    const front = await QueueFront.start(lab.server.url);
    expect((await front.post("/v1/chat/completions", '{"model":"m"}')).status).toBe(503);
    await lab.server.restart();
    await front.healthy();
    lab.process("v0.9");
    expect((await front.post("/v1/chat/completions", '{"model":"m"}')).status).toBe(200);
    await front.stop();
  });
});
