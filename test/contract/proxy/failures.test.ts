import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { FakeWorker, json, reset, resetLater, sse } from "../../support/proxy/fake-worker.ts";
import { call, chatBody, chatPath, open as openCall } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setUp(count: number, settings = ""): Promise<{ workers: FakeWorker[]; proxy: RunningProxy }> {
  const workers = await Promise.all(Array.from({ length: count }, () => FakeWorker.start()));
  open.push(...workers);
  const proxy = await RunningProxy.start({ workers, settings });
  open.push(proxy);
  return { workers, proxy };
}

function hits(workers: readonly FakeWorker[]): readonly number[] {
  return workers.map(({ seen }) => seen.length);
}

const manyTries = "proxy: { retries: { maxAttempts: 10 } }";

describe("before the client has got a byte", () => {
  it("a 500 of all workers is passed on after one try of each", async () => {
    const { workers, proxy } = await setUp(4, manyTries);
    for (const worker of workers) worker.behave = (response) => json(response, 500, { error: { message: "broken" } });
    const answer = await call(proxy.url, { body: chatBody() });
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).toBe('{"error":{"message":"broken"}}');
    expect(hits(workers)).toEqual([1, 1, 1, 1]);
    expect(proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
  });

  it.each([500, 502, 503, 504])("a %i of one worker is answered by another", async (status) => {
    const { workers, proxy } = await setUp(2);
    let failures = 0;
    for (const worker of workers) {
      worker.behave = (response) => (failures++ === 0 ? json(response, status, {}) : json(response, 200, { ok: true }));
    }
    const answer = await call(proxy.url, { body: chatBody() });
    expect(answer.status).toBe(200);
    expect(hits(workers)).toEqual([1, 1]);
  });

  it.each([400, 401, 404, 408, 409, 413, 422, 429, 501])("a %i is passed on as it is", async (status) => {
    const { workers, proxy } = await setUp(2);
    for (const worker of workers) worker.behave = (response) => json(response, status, { detail: "its own words" });
    const answer = await call(proxy.url, { body: chatBody() });
    expect(answer.status).toBe(status);
    expect(answer.body.toString()).toBe('{"detail":"its own words"}');
    expect(hits(workers).reduce((a, b) => a + b)).toBe(1);
  });

  it("a reset is answered by another worker, and names no address when there is none", async () => {
    const { workers, proxy } = await setUp(2);
    for (const worker of workers) worker.behave = reset;
    const answer = await call(proxy.url, { body: chatBody() });
    expect(answer.status).toBe(502);
    expect(JSON.parse(answer.body.toString())).toEqual({
      error: { message: "the worker broke the connection", type: "server_error", code: "worker_failed", param: null },
    });
    expect(hits(workers)).toEqual([1, 1]);
    expect(`${answer.rawHeaders}${answer.body}`).not.toContain("127.0.0.1");
  });

  it("a dead worker is replaced", async () => {
    const { workers, proxy } = await setUp(2);
    await workers[0]?.close();
    open.shift();
    for (let i = 0; i < 4; i++) expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect(workers[1]?.seen).toHaveLength(4);
    expect(await proxy.metric('pointsman_proxy_attempts_total{outcome="unreachable"}')).toBe(1);
  });

  it("an answer that breaks off while it is held is given by another worker", async () => {
    const { workers, proxy } = await setUp(2);
    let first = true;
    for (const worker of workers) {
      worker.behave = (response) => {
        if (!first) return json(response, 200, { ok: true });
        first = false;
        response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
        response.write('{"half":');
        setImmediate(() => reset(response));
      };
    }
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"ok":true}']);
  });

  it("retries end with their budget", async () => {
    const settings = "proxy: { retries: { budgetRatio: 0, budgetPerSecond: 0 } }";
    const { workers, proxy } = await setUp(2, settings);
    for (const worker of workers) worker.behave = (response) => json(response, 500, {});
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(500);
    expect(hits(workers).reduce((a, b) => a + b)).toBe(1);
    expect(await proxy.metric('pointsman_proxy_retries_total{outcome="no_budget"}')).toBe(1);
  });

  it("no worker at all is 503 with Retry-After", async () => {
    const { proxy } = await setUp(0);
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
    expect(JSON.parse(answer.body.toString()).error.code).toBe("no_endpoints");
  });
});

const delta = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';

describe("within a stream", () => {
  it.each([
    [
      "/v1/chat/completions",
      `${delta}data: {"error":{"message":"the worker broke the connection","type":"server_error","code":"worker_failed","param":null}}\n\ndata: [DONE]\n\n`,
    ],
    [
      "/v1/completions",
      `${delta}data: {"error":{"message":"the worker broke the connection","type":"server_error","code":"worker_failed","param":null}}\n\ndata: [DONE]\n\n`,
    ],
    [
      "/v1/responses",
      `${delta}event: error\ndata: {"type":"error","code":"worker_failed","message":"the worker broke the connection","param":null,"sequence_number":0}\n\n`,
    ],
    [
      "/v1/messages",
      `${delta}event: error\ndata: {"type":"error","error":{"type":"api_error","message":"the worker broke the connection"}}\n\n`,
    ],
  ])("a reset on %s is told in the API's own words, and the stream ends", async (path, expected) => {
    const { workers, proxy } = await setUp(2);
    for (const worker of workers) {
      worker.behave = (response) => {
        sse(response);
        // The beginning of an event that does not end must not reach the client.
        response.write(`${delta}data: {"cho`);
        resetLater(response, 20);
      };
    }
    const body = JSON.stringify({
      model: "m",
      max_tokens: 9,
      messages: [{ role: "user", content: "a" }],
      prompt: "a",
      input: "a",
      stream: true,
    });
    const answer = await call(proxy.url, { path, body });
    expect(answer.isWhole).toBe(true);
    expect(answer.body.toString()).toBe(expected);
    expect(hits(workers).reduce((a, b) => a + b)).toBe(1);
    expect(proxy.booked.requests).toBe(0);
    expect(await proxy.metric('pointsman_proxy_cut_answers_total{reason="reset"}')).toBe(1);
  });

  it("a reset after the last event is the end", async () => {
    const { workers, proxy } = await setUp(1);
    for (const worker of workers) {
      worker.behave = (response) => {
        sse(response);
        response.write(`${delta}data: [DONE]\n\n`);
        resetLater(response, 20);
      };
    }
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect([answer.isWhole, answer.body.toString()]).toEqual([true, `${delta}data: [DONE]\n\n`]);
  });

  /** Milliseconds from the client's leaving to the end at the worker; the least of some, since this machine has other things to do. */
  async function leastMs(leave: (proxy: RunningProxy, worker: FakeWorker) => Promise<() => void>): Promise<number> {
    const { workers, proxy } = await setUp(1);
    const [worker] = workers as [FakeWorker];
    const times: number[] = [];
    for (let i = 0; i < 5; i++) {
      const goes = await leave(proxy, worker);
      expect(proxy.booked.requests).toBe(1);
      const leftMs = performance.now();
      goes();
      expect(await worker.seen.at(-1)?.ended).toBe("left");
      times.push(performance.now() - leftMs);
      expect(proxy.booked.requests).toBe(0);
    }
    return Math.min(...times);
  }

  it("a client that leaves ends the worker's work at once", async () => {
    const ms = await leastMs(async (proxy, worker) => {
      worker.behave = (response) => {
        sse(response);
        response.write(delta);
      };
      const answer = await openCall(proxy.url, { body: chatBody({ stream: true }) });
      await once(answer, "data");
      return () => answer.destroy();
    });
    expect(ms).toBeLessThan(50);
  });

  it("a client that leaves before the head ends the worker's work at once", async () => {
    const ms = await leastMs(async (proxy, worker) => {
      const came = new Promise<void>((resolve) => {
        worker.behave = () => resolve();
      });
      const request = httpRequest(`${proxy.url}${chatPath}`, { method: "POST", agent: false });
      request.on("error", () => undefined);
      request.end(chatBody());
      await came;
      return () => request.destroy();
    });
    expect(ms).toBeLessThan(50);
  });
});
