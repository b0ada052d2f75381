import { afterEach, describe, expect, it } from "vitest";
import { FakeWorker, json, sse } from "../../support/proxy/fake-worker.ts";
import { call, chatBody } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setUp(settings = ""): Promise<{ worker: FakeWorker; proxy: RunningProxy }> {
  const worker = await FakeWorker.start();
  open.push(worker);
  const proxy = await RunningProxy.start({ workers: [worker], settings });
  open.push(proxy);
  return { worker, proxy };
}

describe("a request", () => {
  it("reaches the worker byte for byte", async () => {
    const { worker, proxy } = await setUp();
    const body = `{ "model":"m",\n "messages": [{"role":"user","content":"h\\u00e9\\/","x_unknown":1.0}], "n":12345678901234567890, "stream" : false }`;
    const answer = await call(proxy.url, {
      path: "/v1/chat/completions?a=%20b&c",
      headers: ["X-Custom", "a; b", "Cookie", "k=v", "X-Custom", "second", "User-Agent", "me"],
      body,
    });
    expect(answer.status).toBe(200);
    expect(worker.seen).toHaveLength(1);
    const [seen] = worker.seen;
    expect(seen?.target).toBe("/v1/chat/completions?a=%20b&c");
    expect(seen?.body.toString()).toBe(body);
    const raw = seen?.rawHeaders.join("\n") ?? "";
    expect(raw).toContain("X-Custom\na; b\nCookie\nk=v\nX-Custom\nsecond\nUser-Agent\nme");
    expect(raw).toContain(`content-length\n${Buffer.byteLength(body)}`);
    expect(raw).toContain(worker.endpoint);
  });

  it("streams", async () => {
    const { worker, proxy } = await setUp();
    worker.behave = (response) => {
      sse(response);
      response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
      response.end("data: [DONE]\n\n");
    };
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect(answer.body.toString()).toBe('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n');
    expect(proxy.booked.requests).toBe(0);
  });

  it("passes a 429 on", async () => {
    const { worker, proxy } = await setUp();
    worker.behave = (response) => json(response, 429, { error: { message: "slow down" } });
    const answer = await call(proxy.url, { body: chatBody() });
    expect(answer.status).toBe(429);
    expect(worker.seen).toHaveLength(1);
  });
});
