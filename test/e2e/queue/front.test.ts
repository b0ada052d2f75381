import { createHash } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RedisServer } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { HandProcessor, type Member } from "./hand-processor.ts";
import { RunningFront } from "./running-front.ts";

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
};
const chat = { model: "m", messages: [{ role: "user", content: "hello" }] };
const ok = { status_code: 200, payload: JSON.stringify(completion) };
const paths = ["/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/v1/embeddings"];

let server: RedisServer;
let processor: HandProcessor;
const open: RunningFront[] = [];

beforeAll(async () => {
  server = await RedisServer.start("redis-server");
});
afterAll(() => server.stop());
beforeEach(async () => {
  processor = new HandProcessor(server.url);
  await processor.redis.flushall();
});
afterEach(async () => {
  for (const front of open.splice(0)) await front.close();
  processor.close();
});

async function start(settings = ""): Promise<RunningFront> {
  const front = await RunningFront.start(server.url, settings);
  open.push(front);
  return front;
}

/** Sends a request, works it as a processor, and gives what both saw. */
async function served(
  front: RunningFront,
  result: object,
  {
    path = paths[0] as string,
    body = chat as object | string,
    headers = {} as Record<string, string>,
    queue = "request-sortedset",
  } = {},
): Promise<{ readonly response: Response; readonly member: Member }> {
  const sent = front.post(path, body, { headers });
  const member = await processor.next(queue);
  await processor.answer(member, result);
  return { response: await sent, member };
}

describe("a request through the queue", () => {
  it.each(paths)("of %s goes to that path, and its answer comes back as it is", async (path) => {
    const front = await start();
    const { response, member } = await served(front, { status_code: 200, payload: '{ "any":1 }' }, { path });
    expect([response.status, await response.text()]).toEqual([200, '{ "any":1 }']);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(member.data.endpoint).toBe(path);
    expect(member.data.deadline - member.data.created).toBeGreaterThanOrEqual(60);
  });

  it("keeps the body's bytes", async () => {
    const front = await start();
    const body = ' {"seed":9007199254740993,"f":1.0,"e":1e2,"a":"<b>&é\\u00e9","model":"m"}\n';
    const sent = front.post("/v1/chat/completions", body);
    await until(async () => (await processor.redis.zcard("request-sortedset")) === 1, { what: "the request" });
    const popped = await processor.pop();
    expect(popped?.text).toContain(`"payload":${body.trim()},`);
    await processor.answer(popped?.member as Member, ok);
    expect((await sent).status).toBe(200);
  });

  it.each([
    ["GET", "/v1/chat/completions", 405],
    ["POST", "/v1/chat/completions/../../admin", 404],
    ["POST", "/v1/audio/speech", 404],
    ["GET", "/v1/requests/x", 404],
  ])("%s %s is answered %i", async (method, path, status) => {
    const front = await start();
    const response = await fetch(`${front.url}${path}`, { method });
    expect(response.status).toBe(status);
    expect(await processor.redis.dbsize()).toBeLessThanOrEqual(1);
  });

  it.each([
    ["no JSON", "{"],
    ["no object", "[1]"],
    ["nothing", ""],
    ["two values", "{} {}"],
    ["a number that Go does not read", '{"x":1e400}'],
    ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]).toString("latin1")],
  ])("a body with %s is refused", async (what, body) => {
    const front = await start();
    const bytes = what.startsWith("bytes") ? Buffer.from(body, "latin1") : body;
    const response = await fetch(`${front.url}/v1/messages`, { method: "POST", body: bytes });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(await processor.redis.zcard("request-sortedset")).toBe(0);
  });

  it("is told to send its body where it waits for that", async () => {
    const front = await start();
    const sent = request(`${front.url}/v1/chat/completions`, { method: "POST", headers: { expect: "100-continue" } });
    sent.once("continue", () => sent.end(JSON.stringify(chat)));
    sent.flushHeaders();
    const answered = once(sent, "response");
    await processor.answer(await processor.next(), ok);
    const [response] = (await answered) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it("is refused when it asks for a stream", async () => {
    const front = await start();
    const response = await front.post("/v1/chat/completions", { ...chat, stream: true });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: "stream" } });
  });

  it("is answered 504 in time, without being sent again, and cancelled", async () => {
    const front = await start();
    const response = await front.post("/v1/chat/completions", chat, {
      headers: { "x-request-timeout-seconds": "0.2" },
    });
    expect(response.status).toBe(504);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject({ error: { type: "timeout_error", code: "deadline_exceeded" } });
    const member = await processor.next();
    await until(() => processor.isCancelled(member), { what: "the cancellation" });
    await expect.poll(() => front.metric('pointsman_queue_front_cancellations_total{reason="deadline"}')).toBe(1);
  });

  it.each(["0", "-1", "soon", "1e3"])("is refused with a time of %s", async (seconds) => {
    const front = await start();
    const response = await front.post(paths[0] as string, chat, { headers: { "x-request-timeout-seconds": seconds } });
    expect(response.status).toBe(400);
  });

  it("is cancelled when its client leaves", async () => {
    const front = await start();
    const client = new AbortController();
    const sent = front.post("/v1/chat/completions", chat, { signal: client.signal });
    const member = await processor.next();
    client.abort();
    await expect(sent).rejects.toThrow();
    await until(() => processor.isCancelled(member), { what: "the cancellation" });
    await processor.answer(member, ok);
    await until(
      async () => (await front.metric('pointsman_queue_front_orphan_results_total{reason="unknown"}')) === 1,
      {
        what: "the orphan",
      },
    );
  });

  it("is answered 503 at once while Redis is away", async () => {
    const front = await RunningFront.start("", 'redis: { url: "redis://127.0.0.1:1" }');
    open.push(front);
    const response = await front.post("/v1/chat/completions", chat);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await fetch(`${front.url}/health`)).status).toBe(503);
  });

  it("is answered 429 when as many wait as may", async () => {
    const front = await start("maxWaiters: 1");
    const sent = front.post("/v1/chat/completions", chat);
    const member = await processor.next();
    const refused = await front.post("/v1/chat/completions", chat);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    await processor.answer(member, ok);
    expect((await sent).status).toBe(200);
  });

  it("is told at the end of the process", async () => {
    const front = await start();
    const sent = front.post("/v1/messages", chat);
    const member = await processor.next();
    await front.drain(50);
    const response = await sent;
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "overloaded_error" } });
    await until(() => processor.isCancelled(member), { what: "the cancellation" });
  });
});

/** Expected: the table of the contract (llm-d-async `api/api.go`, tier-priority-admission's shed requests, results before v0.9). */
describe("a result", () => {
  it.each([
    ["of an answer", { status_code: 404, payload: '{"error":{"message":"x"}}' }, 404],
    ["with status and code", { status_code: 200, payload: "{}", error_code: "CANCELLED" }, 200],
    ["GATE_DROPPED", { payload: "{}", error_code: "GATE_DROPPED" }, 429],
    ["GATE_ERROR", { payload: "{}", error_code: "GATE_ERROR" }, 503],
    ["DEADLINE_EXCEEDED", { payload: "{}", error_code: "DEADLINE_EXCEEDED" }, 504],
    ["CANCELLED", { payload: "{}", error_code: "CANCELLED" }, 499],
    ["INVALID_REQUEST", { payload: "{}", error_code: "INVALID_REQUEST" }, 400],
    [
      "INFERENCE_ERROR",
      { payload: "{}", error_code: "INFERENCE_ERROR", error_message: "Failed to send request to inference: EOF" },
      502,
    ],
    [
      "INFERENCE_ERROR of time",
      { payload: "{}", error_code: "INFERENCE_ERROR", error_message: 'Post "http://gw": context deadline exceeded' },
      504,
    ],
    ["PAYLOAD_UNAVAILABLE", { payload: "{}", error_code: "PAYLOAD_UNAVAILABLE" }, 502],
    ["of a code to come", { payload: "{}", error_code: "SOMETHING" }, 502],
    ["of a shed request", { payload: '{"error": "Too Many Requests", "code": 429}' }, 429],
    ["that is empty", { payload: "" }, 502],
    ["with an impossible status", { status_code: 100, payload: "{}" }, 502],
    ["before v0.9", { payload: JSON.stringify(completion) }, 200],
  ])("%s", async (_name, result, status) => {
    const front = await start();
    const { response } = await served(front, result);
    expect(response.status).toBe(status);
    const isTemporary = status === 429 || status === 503;
    expect(response.headers.get("retry-after")).toBe(isTemporary ? "1" : null);
    expect(await response.text()).not.toContain("http://gw");
  });

  it.each([
    ["<html>", "text/plain; charset=utf-8"],
    ["data: {}\n\n", "text/event-stream"],
    ['"text"', "application/json"],
  ])("%j is sent as %s", async (payload, type) => {
    const front = await start();
    const { response } = await served(front, { status_code: 200, payload });
    expect([response.headers.get("content-type"), await response.text()]).toEqual([type, payload]);
  });
});

describe("who calls", () => {
  const sha256 = createHash("sha256").update("sk-a").digest("hex");
  const keys = `apiKeys: [{ name: a, sha256: ${sha256}, tenant: t1, tier: gold, requestsPerMinute: 2 }]`;
  const routes = "routes: [{ tiers: [gold], queue: gold-queue }, { models: [big], queue: big-queue }]";

  it("needs a key where there are keys, and has its quota", async () => {
    const front = await start(`${keys}, ${routes}`);
    const anonymous = await front.post("/v1/messages", chat);
    expect(anonymous.status).toBe(401);
    expect(await anonymous.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
    for (const headers of [{ authorization: "Bearer sk-a" }, { "x-api-key": "sk-a" }]) {
      const { response, member } = await served(front, ok, { headers: headers as never, queue: "gold-queue" });
      expect(response.status).toBe(200);
      expect(member.data.metadata).toEqual({ userid: "t1" });
      expect(member.data.headers?.["authorization"]).toBeUndefined();
    }
    expect((await front.post("/v1/messages", chat, { headers: { "x-api-key": "sk-a" } })).status).toBe(429);
  });

  it("is told by headers where they are trusted, but never against the key", async () => {
    const front = await start(`trustHeaders: true, ${routes}`);
    const headers = { "x-tenant-id": "t2", "x-team": "blue", "x-tier": "gold" };
    const { member } = await served(front, ok, { headers, queue: "gold-queue" });
    expect(member.data.metadata).toEqual({ team: "blue", userid: "t2" });
    const other = await front.post("/v1/messages", chat, { headers: { "x-tenant-id": "a:b" } });
    expect(other.status).toBe(400);
  });

  it("is nobody by headers that are not trusted, and chooses no lane by reserved ones", async () => {
    const front = await start(routes);
    const headers = {
      "x-tier": "gold",
      "x-tenant-id": "t2",
      "x-llm-d-inference-fairness-id": "x",
      "x-gateway-inference-objective": "x",
      "x-gateway-priority": "0",
      "x-request-id": "r-1",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    };
    const { member, response } = await served(front, ok, {
      headers,
      body: { ...chat, model: "big" },
      queue: "big-queue",
    });
    expect(member.data.metadata).toEqual({ traceparent: headers.traceparent });
    expect(member.data.headers).toEqual({ "x-request-id": "r-1" });
    expect(response.headers.get("x-request-id")).toBe("r-1");
  });

  it.each([
    ["", 405, null],
    ['cors: { origins: ["https://a.example"] }', 204, "https://a.example"],
  ])("is a page of another origin where those may call: %s", async (settings, status, allowed) => {
    const front = await start(settings);
    const headers = { origin: "https://a.example", "access-control-request-method": "POST" };
    const response = await fetch(`${front.url}/v1/messages`, { method: "OPTIONS", headers });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([status, allowed]);
  });

  it("is told of the models, and of no others", async () => {
    const front = await start("models: [m, n]");
    const list = (await (await fetch(`${front.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(["m", "n"]);
    expect((await front.post("/v1/chat/completions", { ...chat, model: "x" })).status).toBe(404);
  });
});

describe("requests that come more than once", () => {
  const headers = { "idempotency-key": "k" };

  it("share one result with their key, and get it again", async () => {
    const front = await start("idempotency: { enabled: true }");
    const sent = [front.post(paths[0] as string, chat, { headers }), front.post(paths[0] as string, chat, { headers })];
    const member = await processor.next();
    await until(async () => (await front.metric("pointsman_queue_front_requests")) === 2, { what: "both requests" });
    await processor.answer(member, ok);
    const again = await front.post(paths[0] as string, chat, { headers });
    const texts = await Promise.all([...(await Promise.all(sent)), again].map((response) => response.text()));
    expect(texts).toEqual([ok.payload, ok.payload, ok.payload]);
    expect(await processor.pop()).toBeUndefined();
    expect((await front.post(paths[0] as string, { ...chat, n: 2 }, { headers })).status).toBe(409);
  });

  it("are cancelled when the last client has left, not before", async () => {
    const front = await start("idempotency: { enabled: true }");
    const leaving = new AbortController();
    const first = front.post(paths[0] as string, chat, { headers, signal: leaving.signal });
    const member = await processor.next();
    const second = front.post(paths[0] as string, chat, { headers });
    await until(async () => (await front.metric("pointsman_queue_front_requests")) === 2, { what: "both requests" });
    leaving.abort();
    await expect(first).rejects.toThrow();
    await processor.answer(member, ok);
    expect((await second).status).toBe(200);
    expect(await front.metric('pointsman_queue_front_cancellations_total{reason="caller"}')).toBe(0);
  });

  it("are sent again after a failure", async () => {
    const front = await start("idempotency: { enabled: true }");
    const { response } = await served(front, { payload: "{}", error_code: "GATE_DROPPED" }, { headers });
    expect(response.status).toBe(429);
    expect((await served(front, ok, { headers })).response.status).toBe(200);
  });
});

describe("requests whose results are asked for later", () => {
  it("are pending, and then done", async () => {
    const front = await start("requests: { enabled: true }");
    const headers = { "x-ap-mode": "enqueue", "x-request-id": "job-1" };
    const sent = await front.post(paths[0] as string, chat, { headers });
    expect([sent.status, await sent.json()]).toEqual([202, { id: "job-1", status: "pending" }]);
    expect((await fetch(`${front.url}/v1/requests/job-1`)).status).toBe(202);
    await processor.answer(await processor.next(), ok);
    await until(async () => (await fetch(`${front.url}/v1/requests/job-1`)).status === 200, { what: "the result" });
    expect(await (await fetch(`${front.url}/v1/requests/job-1`)).json()).toEqual(completion);
    expect((await fetch(`${front.url}/v1/requests/job-2`)).status).toBe(410);
  });

  it("can be cancelled", async () => {
    const front = await start("requests: { enabled: true }");
    const sent = front.post(paths[0] as string, chat, { headers: { "x-request-id": "job-1" } });
    const member = await processor.next();
    expect((await fetch(`${front.url}/v1/requests/job-1`, { method: "DELETE" })).status).toBe(200);
    expect((await sent).status).toBe(499);
    await until(() => processor.isCancelled(member), { what: "the cancellation" });
  });
});

describe("a canary at the start", () => {
  it("keeps requests out until results come back, where it must", async () => {
    const front = await start("canary: { mode: require, timeoutMs: 60000 }");
    const member = await processor.next();
    expect((await front.post(paths[0] as string, chat)).status).toBe(503);
    await processor.answer(member, { payload: "{}", error_code: "CANCELLED" });
    await until(async () => (await fetch(`${front.url}/health`)).status === 200, { what: "readiness" });
    expect((await served(front, ok)).response.status).toBe(200);
  });

  it("says what to change where they go elsewhere", async () => {
    const front = await start("canary: { mode: warn, timeoutMs: 60000 }");
    await processor.answer(await processor.next(), { payload: "{}", error_code: "CANCELLED" }, "result-list");
    await until(() => front.log.some((line) => line.includes("result_queue_name") && line.includes("result-list")), {
      what: "the error",
    });
  });
});

describe("a request that is to be asked for later", () => {
  it("is answered 503 when it does not get into the queue", async () => {
    const front = await RunningFront.start("", 'redis: { url: "redis://127.0.0.1:1" }, requests: { enabled: true }');
    open.push(front);
    const response = await front.post(paths[0] as string, chat, { headers: { "x-ap-mode": "enqueue" } });
    expect(response.status).toBe(503);
  });
});
