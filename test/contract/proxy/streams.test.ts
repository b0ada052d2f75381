import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { json, reset, sse } from "../../support/proxy/fake-worker.ts";
import { call, chatBody, chatPath, open } from "../../support/proxy/raw-client.ts";
import { ProxyBench } from "../../support/proxy/set-up.ts";
import { untilWritable } from "../../support/proxy/writable.ts";

const bench = new ProxyBench();
afterEach(() => bench.close());

const delta = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const quick =
  "fleet: { circuit: { badAnswers: 0 } }\nproxy: { headTimeoutMs: 300, stallTimeoutMs: 300, connectTimeoutMs: 300 }";

async function textOf(answer: IncomingMessage): Promise<string> {
  return Buffer.concat((await answer.toArray()) as Buffer[]).toString();
}

describe("a stream", () => {
  it("passes each event when it comes, and the head before any", async () => {
    const { proxy, worker } = await bench.start(1);
    const came = new Promise<ServerResponse>((resolve) => {
      worker.behave = (response) => {
        sse(response);
        resolve(response);
      };
    });
    const answer = await open(proxy.url, { body: chatBody({ stream: true }) });
    const response = await came;
    expect(answer.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    for (const event of ["data: 1\n\n", "event: x\r\ndata: 2\r\n\r\n", ": ping\n\n"]) {
      response.write(event);
      expect(String((await once(answer, "data"))[0])).toBe(event);
    }
    response.end();
    await once(answer, "end");
  });

  it("is the same bytes however the worker cuts it", async () => {
    const { proxy, worker } = await bench.start(1);
    const text = `${delta}${": comment\n\n"}${delta.repeat(3)}data: [DONE]\n\n`;
    worker.behave = async (response) => {
      sse(response);
      for (let at = 0; at < text.length; at += 7) {
        response.write(text.slice(at, at + 7));
        await new Promise(setImmediate);
      }
      response.end();
    };
    expect(await textOf(await open(proxy.url, { body: chatBody({ stream: true }) }))).toBe(text);
  });

  it("passes a part of an event whose rest takes long", async () => {
    const { proxy, worker } = await bench.start(1);
    const came = new Promise<ServerResponse>((resolve) => {
      worker.behave = (response) => {
        sse(response);
        response.write("data: slow");
        resolve(response);
      };
    });
    const answer = await open(proxy.url, { body: chatBody({ stream: true }) });
    expect(String((await once(answer, "data"))[0])).toBe("data: slow");
    // Now nothing can be said in a way that the client would understand.
    reset(await came);
    await expect(answer.toArray()).rejects.toThrow();
  });

  it("waits for a reader that is slow, and holds back the worker", async () => {
    const { proxy, worker } = await bench.start(1);
    const event = `data: ${"x".repeat(16_000)}\n\n`;
    let written = 0;
    worker.behave = async (response) => {
      sse(response);
      for (let i = 0; i < 4_000 && !response.destroyed; i++) {
        written += event.length;
        if (!response.write(event)) await untilWritable(response);
      }
      response.end();
    };
    const answer = await open(proxy.url, { body: chatBody({ stream: true }) });
    answer.pause();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    // What the sockets' buffers hold, far from the 64 MB of the whole.
    expect(written).toBeLessThan(24_000_000);
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    expect(bytes).toBe(4_000 * event.length);
  });

  it("of a client that reads nothing for too long is cut", async () => {
    const { proxy, worker } = await bench.start(1, { settings: "proxy: { clientStallTimeoutMs: 300 }" });
    worker.behave = async (response) => {
      sse(response);
      while (!response.destroyed) {
        if (!response.write(`data: ${"x".repeat(60_000)}\n\n`)) await untilWritable(response);
      }
    };
    const answer = await open(proxy.url, { body: chatBody({ stream: true }) });
    answer.pause();
    expect(await worker.seen[0]?.ended).toBe("left");
    expect(proxy.booked.requests).toBe(0);
    answer.destroy();
  });
});

describe("time", () => {
  it("a head that does not come in time is another worker's to give", async () => {
    const { proxy, workers } = await bench.start(2, { settings: quick });
    let first = true;
    for (const worker of workers) {
      worker.behave = (response) => {
        if (!first) json(response, 200, { ok: true });
        first = false;
      };
    }
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    expect(await proxy.metric('pointsman_proxy_attempts_total{outcome="head_timeout"}')).toBe(1);
  });

  it("a head that comes from nobody is 504", async () => {
    const { proxy, workers } = await bench.start(2, { settings: quick });
    for (const worker of workers) worker.behave = () => undefined;
    const answer = await call(proxy.url, { body: chatBody() });
    expect([answer.status, JSON.parse(answer.body.toString()).error.code]).toEqual([504, "worker_timeout"]);
  });

  it("a stream that stops is told and ended", async () => {
    const { proxy, worker } = await bench.start(1, { settings: quick });
    worker.behave = (response) => {
      sse(response);
      response.write(delta);
    };
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect(answer.isWhole).toBe(true);
    expect(answer.body.toString()).toContain('"code":"worker_timeout"');
    expect(await worker.seen[0]?.ended).toBe("left");
  });
});

describe("the Responses API", () => {
  const made = { id: "resp_abc", object: "response", status: "completed", output: [] };

  it.each([false, true])("answers belong to the worker that made them (stream: %j)", async (stream) => {
    const { proxy, workers } = await bench.start(3);
    for (const worker of workers) {
      worker.behave = (response, { method }) => {
        if (method !== "POST" || !stream) return json(response, 200, made);
        sse(response);
        response.end(
          `event: response.created\ndata: ${JSON.stringify({ type: "response.created", response: made })}\n\n`,
        );
      };
    }
    const path = "/v1/responses";
    await call(proxy.url, { path, body: { model: "m", input: "a", stream } });
    const owner = workers.find(({ seen }) => seen.length === 1);
    for (let i = 0; i < 4; i++) {
      await call(proxy.url, { path, body: { model: "m", input: "b", previous_response_id: "resp_abc" } });
    }
    const got = await call(proxy.url, { method: "GET", path: `${path}/resp_abc?include=x` });
    expect([got.status, owner?.seen.length]).toEqual([200, 6]);
    expect(owner?.seen.at(-1)?.target).toBe("/v1/responses/resp_abc?include=x");
    expect((await call(proxy.url, { method: "DELETE", path: `${path}/resp_abc` })).status).toBe(200);
    expect((await call(proxy.url, { method: "GET", path: `${path}/resp_abc` })).status).toBe(404);
    const gone = await call(proxy.url, { path, body: { model: "m", input: "b", previous_response_id: "resp_abc" } });
    expect([gone.status, JSON.parse(gone.body.toString()).error.code]).toEqual([404, "unknown_response"]);
  });

  it("remembers as many as it may, the latest", async () => {
    const { proxy, worker } = await bench.start(1, { settings: "proxy: { maxStoredResponses: 2 }" });
    let last = 0;
    worker.behave = (response, { method }) => json(response, 200, { id: method === "POST" ? `resp_${++last}` : "x" });
    for (let i = 0; i < 3; i++) await call(proxy.url, { path: "/v1/responses", body: { model: "m", input: "a" } });
    const statuses: number[] = [];
    for (const id of [1, 2, 3]) {
      statuses.push((await call(proxy.url, { method: "GET", path: `/v1/responses/resp_${id}` })).status);
    }
    expect(statuses).toEqual([404, 200, 200]);
  });
});

describe("two hundred streams", () => {
  it("whose workers are killed all end properly, and nothing is left", async () => {
    const settings = "proxy: { retries: { budgetPerSecond: 1000 } }";
    const { proxy, workers } = await bench.start(4, { settings });
    for (const worker of workers) {
      worker.behave = (response) => {
        sse(response);
        response.write(delta);
      };
    }
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => open(proxy.url, { body: chatBody({ stream: true }) })),
    );
    await Promise.all(answers.map((answer) => once(answer, "data")));
    expect(proxy.booked.requests).toBe(200);
    const texts = answers.map(textOf);
    for (const worker of workers.slice(0, 2)) worker.resetAll();
    const left = new Set(answers.filter((_, at) => at % 4 === 3));
    for (const answer of left) answer.destroy();
    for (const worker of workers.slice(2)) worker.resetAll();
    const ends = await Promise.allSettled(texts);
    for (const [at, end] of ends.entries()) {
      if (left.has(answers[at] as IncomingMessage)) continue;
      expect(end.status === "fulfilled" && end.value.endsWith("data: [DONE]\n\n")).toBe(true);
    }
    expect(proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
    await expect.poll(() => workers.reduce((sum, worker) => sum + worker.connections, 0)).toBe(0);
    expect(await proxy.metric("pointsman_proxy_requests")).toBe(0);
    expect(await proxy.metric("pointsman_proxy_held_body_bytes")).toBe(0);
    expect((await call(proxy.url, { path: chatPath, body: "{}" })).status).toBe(400);
  });
});
