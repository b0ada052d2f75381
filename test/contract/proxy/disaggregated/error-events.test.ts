import { afterEach, describe, expect, it } from "vitest";
import { json, sse } from "../../../support/proxy/fake-worker.ts";
import { PairBench } from "../../../support/proxy/pair-bench.ts";
import { call, chatBody, open } from "../../../support/proxy/raw-client.ts";

const bench = new PairBench();
afterEach(() => bench.close());

const nothing = { requests: 0, decodeBlocks: 0, prefillTokens: 0 };
const role = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n';

/** As SGLang's server writes them. */
const errors = [
  [
    "/v1/chat/completions",
    'data: {"error": {"object": "error", "message": "x", "type": "BadRequest", "code": 500}}\n\n',
  ],
  ["/generate", 'data: {"error": {"message": "x"}}\n\n'],
  ["/v1/messages", 'event: error\ndata: {"type": "error", "error": {"type": "api_error", "message": "x"}}\n\n'],
  ["/v1/responses", 'event: response.failed\ndata: {"type": "response.failed", "response": {}}\n\n'],
] as const;

const body = {
  model: "m",
  messages: [{ role: "user", content: "hi" }],
  text: "hi",
  input: "hi",
  max_tokens: 5,
  stream: true,
};

describe("an error event in a prefill worker's stream", () => {
  it.each(errors)("of %s is the failure of that leg: another pair is asked", async (path, event) => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang", prefill: 2, decode: 2 });
    let failures = 0;
    for (const worker of prefill) {
      worker.answer((response) => {
        sse(response);
        if (failures++ > 0) return void response.end("data: [DONE]\n\n");
        response.write(event.slice(0, 20));
        setImmediate(() => response.end(event.slice(20)));
      });
    }
    for (const worker of decode) {
      worker.answer((response) => (failures <= 1 ? undefined : json(response, 200, { ok: true })));
    }
    const answer = await call(proxy.url, { path, body });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"ok":true}']);
    expect(await proxy.metric('pointsman_proxy_attempts_total{outcome="error_event"}')).toBe(1);
    expect(proxy.booked).toEqual(nothing);
  });

  it("is told within the client's stream once that has begun, and ends the decode worker's work", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang", prefill: 1, decode: 1 });
    decode[0]?.answer((response) => {
      sse(response);
      response.write(role);
    });
    let fail = (): void => undefined;
    prefill[0]?.answer((response) => {
      sse(response);
      fail = () => void response.end(errors[0][1]);
    });
    const response = await open(proxy.url, { body: chatBody({ stream: true }) });
    let text = await new Promise<string>((resolve) => response.once("data", (chunk) => resolve(String(chunk))));
    fail();
    for await (const chunk of response) text += String(chunk);
    expect(text).toContain('"worker_failed"');
    expect(await decode[0]?.seen[0]?.ended).toBe("left");
    expect(proxy.booked).toEqual(nothing);
  });

  it("after the first content does no harm, nor does the word in generated text", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang", prefill: 1, decode: 1 });
    prefill[0]?.answer((response) => {
      sse(response);
      response.end(
        'data: {"choices":[{"index":0,"delta":{"content":"\\"error\\": 1"}}],"error":null}\n\ndata: [DONE]\n\n',
      );
    });
    decode[0]?.answer((response) => {
      sse(response);
      response.end(`${role}data: [DONE]\n\n`);
    });
    const answer = await call(proxy.url, { body: chatBody({ stream: true }) });
    expect(answer.body.toString()).toBe(`${role}data: [DONE]\n\n`);
  });
});
