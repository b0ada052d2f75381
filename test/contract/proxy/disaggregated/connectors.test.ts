import { afterEach, describe, expect, it } from "vitest";
import { type Behaviour, type FakeWorker, json } from "../../../support/proxy/fake-worker.ts";
import { onlyRequest, PairBench } from "../../../support/proxy/pair-bench.ts";
import { call, chatBody, chatPath } from "../../../support/proxy/raw-client.ts";

const bench = new PairBench();
afterEach(() => bench.close());

const nothing = { requests: 0, decodeBlocks: 0, prefillTokens: 0 };
const returned =
  '{"do_remote_prefill":true,"remote_block_ids":[[1,2]],  "remote_engine_id":"e","remote_port":5600,"x":1.0}';

/** Answers as a prefill worker does, with these parameters as they stand. */
function prefilled(params: string): Behaviour {
  return (response) => {
    const body = `{"id":"a","choices":[{"text":"kv_transfer_params"}],"kv_transfer_params":${params},"usage":null}`;
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  };
}

function headerOf(worker: FakeWorker | undefined, name: string): string | undefined {
  const { rawHeaders } = onlyRequest(worker);
  const at = rawHeaders.findIndex((each, i) => i % 2 === 0 && each.toLowerCase() === name);
  return at < 0 ? undefined : rawHeaders[at + 1];
}

const nixlPrefill = '"kv_transfer_params":{"do_remote_decode":true,"do_remote_prefill":false}';

describe("a request for two vLLM workers over NIXL", () => {
  it.each([
    [
      "chat",
      chatPath,
      '{"model":"m","messages":[{"role":"user","content":"hi","q":1.0}],"max_tokens":90,"stream":true,"stream_options":{"include_usage":true},"min_tokens":5}',
      `{"model":"m","messages":[{"role":"user","content":"hi","q":1.0}],"max_tokens":1,"stream":false,${nixlPrefill}}`,
    ],
    [
      "chat with the newer limit",
      chatPath,
      '{"max_tokens":90,"max_completion_tokens":80,"model":"m","messages":[{"role":"user","content":"hi"}]}',
      `{"max_completion_tokens":1,"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false,${nixlPrefill}}`,
    ],
    [
      "a completion with n of 1",
      "/v1/completions",
      '{"n":1,"model":"m","prompt":"hi"}',
      `{"n":1,"model":"m","prompt":"hi","stream":false,${nixlPrefill},"max_tokens":1}`,
    ],
    [
      "a response",
      "/v1/responses",
      '{"model":"m","input":"hi","max_output_tokens":9}',
      `{"model":"m","input":"hi","max_output_tokens":1,"stream":false,${nixlPrefill}}`,
    ],
    [
      "a message",
      "/v1/messages",
      '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stream":false}',
      `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}],"stream":false,${nixlPrefill}}`,
    ],
    ["generate", "/generate", '{"prompt":"hi"}', `{"prompt":"hi","stream":false,${nixlPrefill},"max_tokens":1}`],
  ])(
    "goes to the prefill worker for one token, then to the decode worker with what that returned: %s",
    async (_, path, body, first) => {
      const { prefill, decode, proxy } = await bench.start({ protocol: "nixl" });
      prefill[0]?.answer(prefilled(returned));
      decode[0]?.answer((response) => json(response, 200, { from: "decode" }));
      const answer = await call(proxy.url, { path: `${path}?a=b`, body });
      expect([answer.status, answer.body.toString()]).toEqual([200, '{"from":"decode"}']);
      expect(onlyRequest(prefill[0]).target).toBe(`${path}?a=b`);
      expect(onlyRequest(prefill[0]).body.toString()).toBe(first);
      expect(onlyRequest(decode[0]).target).toBe(`${path}?a=b`);
      expect(onlyRequest(decode[0]).body.toString()).toBe(`${body.slice(0, -1)},"kv_transfer_params":${returned}}`);
      expect(headerOf(prefill[0], "x-request-id")).toBe(headerOf(decode[0], "x-request-id"));
      expect(headerOf(prefill[0], "x-request-id")).toMatch(/^[\da-f-]{36}$/);
      expect(proxy.booked).toEqual(nothing);
    },
  );

  it("asks the decode worker only when the prefill worker has answered in full", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "nixl" });
    let finish: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      prefill[0]?.answer((response, request) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write("{");
        finish = () => void response.end(`"kv_transfer_params":${returned}}`);
        if (request !== undefined) resolve();
      });
    });
    const answer = call(proxy.url, { body: chatBody() });
    await reached;
    expect(decode[0]?.seen).toEqual([]);
    expect(proxy.booked.requests).toBe(2);
    finish();
    expect((await answer).status).toBe(200);
    expect(decode[0]?.seen).toHaveLength(1);
  });

  it.each([
    ["null", "null"],
    ["no JSON", "{oops"],
  ])("without parameters (%s) is computed by the decode worker", async (_, params) => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "nixl" });
    prefill[0]?.answer(prefilled(params));
    const body = chatBody();
    expect((await call(proxy.url, { body })).status).toBe(200);
    expect(onlyRequest(decode[0]).body.toString()).toBe(body);
    expect(await proxy.metric('pointsman_proxy_splits_total{protocol="nixl",outcome="no_params"}')).toBe(1);
  });

  it.each([
    ["several answers", chatPath, chatBody({ n: 2 })],
    ["several prompts", "/v1/completions", '{"model":"m","prompt":["a","b"]}'],
    ["a beam search", "/v1/completions", '{"model":"m","prompt":"a","use_beam_search":true}'],
  ])("for %s goes to the decode worker as it came", async (_, path, body) => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "nixl" });
    expect((await call(proxy.url, { path, body })).status).toBe(200);
    expect(onlyRequest(decode[0]).body.toString()).toBe(body);
    expect(prefill[0]?.seen).toEqual([]);
    expect(await proxy.metric('pointsman_proxy_splits_total{protocol="nixl",outcome="alone_batch"}')).toBe(1);
    expect(proxy.booked).toEqual(nothing);
  });

  it("has its answer uncompressed where the proxy has to read it", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "nixl" });
    prefill[0]?.answer(prefilled(returned));
    await call(proxy.url, { headers: ["accept-encoding", "gzip"], body: chatBody() });
    expect(headerOf(prefill[0], "accept-encoding")).toBe("identity");
    expect(headerOf(decode[0], "accept-encoding")).toBe("gzip");
  });

  it("is served by the decode worker when nobody can prefill", async () => {
    const { decode, proxy } = await bench.start({ protocol: "nixl", prefill: 0 });
    const body = chatBody();
    expect((await call(proxy.url, { body })).status).toBe(200);
    expect(onlyRequest(decode[0]).body.toString()).toBe(body);
  });

  it("names each worker's own rank where the workers want it", async () => {
    const worker = "dpSize: 4, headers: { dataParallelRank: true }";
    const { prefill, decode, proxy } = await bench.start({ protocol: "nixl", worker });
    prefill[0]?.answer(prefilled(returned));
    await call(proxy.url, { body: chatBody() });
    for (const each of [prefill[0], decode[0]]) expect(headerOf(each, "x-data-parallel-rank")).toMatch(/^[0-3]$/);
  });
});

describe("a request for two vLLM workers over Mooncake", () => {
  it("has one transfer id, and the decode worker learns where to ask", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "mooncake", prefillHandover: "engineId: eng" });
    expect((await call(proxy.url, { body: chatBody() })).status).toBe(200);
    const sent = JSON.parse(onlyRequest(prefill[0]).body.toString()).kv_transfer_params;
    expect(sent).toEqual({
      do_remote_decode: true,
      do_remote_prefill: false,
      transfer_id: expect.stringMatching(/^xfer-[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    });
    expect(JSON.parse(onlyRequest(decode[0]).body.toString()).kv_transfer_params).toEqual({
      do_remote_decode: false,
      do_remote_prefill: true,
      transfer_id: sent.transfer_id,
      remote_engine_id: "eng",
      remote_bootstrap_addr: "http://127.0.0.1:8998",
    });
  });

  it("names the engine of the rank that prefilled", async () => {
    const prefillHandover = "engineId: eng, bootstrapHost: pod-7, bootstrapPort: 9100";
    const { decode, proxy } = await bench.start({ protocol: "mooncake", prefillHandover, worker: "dpSize: 2" });
    await call(proxy.url, { body: chatBody() });
    const sent = JSON.parse(onlyRequest(decode[0]).body.toString()).kv_transfer_params;
    expect(sent.remote_engine_id).toMatch(/^eng_dp[01]$/);
    expect(sent.remote_bootstrap_addr).toBe("http://pod-7:9100");
  });
});

describe("a request for two vLLM workers over MoRI-IO", () => {
  it("may not end before its one token, and passes on what came back", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "moriio", handover: "tpSize: 8" });
    prefill[0]?.answer(prefilled(returned));
    const body = chatBody({ stop: ["x"] });
    await call(proxy.url, { body });
    const sent = JSON.parse(onlyRequest(prefill[0]).body.toString());
    expect(sent).toMatchObject({ ignore_eos: true, max_tokens: 1, stream: false });
    expect(sent).not.toHaveProperty("stop");
    expect(sent.kv_transfer_params).toEqual({
      do_remote_decode: true,
      do_remote_prefill: false,
      remote_engine_id: null,
      remote_block_ids: null,
      transfer_id: expect.stringMatching(/^tx-[\da-f]{12}7[\da-f]{19}$/),
      remote_dp_size: 1,
      remote_tp_size: 8,
    });
    expect(onlyRequest(decode[0]).body.toString()).toBe(`${body.slice(0, -1)},"kv_transfer_params":${returned}}`);
  });

  it("that writes gets both told at once where the other is", async () => {
    const handover = "tpSize: 8, notifyPort: 6400";
    const { prefill, decode, proxy } = await bench.start({ protocol: "moriio-write", handover, worker: "dpSize: 2" });
    const reached = new Promise<void>((resolve) =>
      decode[0]?.answer((response) => {
        json(response, 200, { from: "decode" });
        resolve();
      }),
    );
    prefill[0]?.answer(async (response) => {
      await reached;
      json(response, 200, {});
    });
    const answer = await call(proxy.url, { body: chatBody({ stream: false }) });
    expect(answer.body.toString()).toBe('{"from":"decode"}');
    const first = JSON.parse(onlyRequest(prefill[0]).body.toString());
    const shared = {
      remote_engine_id: null,
      remote_block_ids: null,
      transfer_id: first.kv_transfer_params.transfer_id,
      remote_dp_size: 2,
      remote_dp_rank: expect.toBeOneOf([0, 1]),
      remote_tp_size: 8,
      remote_host: "127.0.0.1",
      remote_handshake_port: 6301,
      remote_notify_port: 6400,
    };
    expect(first).toMatchObject({ max_tokens: 1, ignore_eos: true });
    expect(first.kv_transfer_params).toEqual({ do_remote_decode: true, do_remote_prefill: false, ...shared });
    expect(JSON.parse(onlyRequest(decode[0]).body.toString()).kv_transfer_params).toEqual({
      do_remote_decode: false,
      do_remote_prefill: true,
      ...shared,
    });
  });

  it("on another API than its own goes to one worker", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "moriio" });
    await call(proxy.url, { path: "/v1/responses", body: { model: "m", input: "hi" } });
    expect([prefill[0]?.seen.length, decode[0]?.seen.length]).toEqual([0, 1]);
    expect(await proxy.metric('pointsman_proxy_splits_total{protocol="moriio",outcome="alone_route"}')).toBe(1);
  });

  it.each([
    ["field", [], { request_id: "___prefill_addr_evil:1___decode_addr_x:2_1" }],
    ["header", ["x-request-id", "a___decode_addr_evil:1"], {}],
  ])("is refused when the client's id names workers: %s", async (_, headers, extra) => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "moriio" });
    const answer = await call(proxy.url, { headers, body: chatBody(extra) });
    expect(answer.status).toBe(400);
    expect([prefill[0]?.seen.length, decode[0]?.seen.length]).toEqual([0, 0]);
    expect(proxy.booked).toEqual(nothing);
  });
});

describe("a request for two vLLM workers with a shared store", () => {
  it("tells them nothing", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "store" });
    const body = chatBody({ n: 2 });
    await call(proxy.url, { body });
    expect(JSON.parse(onlyRequest(prefill[0]).body.toString())).not.toHaveProperty("kv_transfer_params");
    expect(JSON.parse(onlyRequest(prefill[0]).body.toString())).toMatchObject({ n: 1, max_tokens: 1 });
    expect(onlyRequest(decode[0]).body.toString()).toBe(body);
  });
});

describe("an API whose fields the engine ignores", () => {
  it("is refused when nobody serves alone", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang", handover: "ignoredOn: [messages]" });
    const body = { model: "m", max_tokens: 1, messages: [{ role: "user", content: "hi" }] };
    const answer = await call(proxy.url, { path: "/v1/messages", body });
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
    expect(JSON.parse(answer.body.toString()).error.message).toContain("none can serve it alone");
    expect([prefill[0]?.seen.length, decode[0]?.seen.length]).toEqual([0, 0]);
    expect(proxy.booked).toEqual(nothing);
  });

  it("goes to a worker that serves alone, and the metric says so", async () => {
    const handover = "ignoredOn: [messages, responses]";
    const { prefill, decode, aggregated, proxy } = await bench.start({ protocol: "sglang", handover, aggregated: 1 });
    const body = '{"model":"m","input":"hi"}';
    expect((await call(proxy.url, { path: "/v1/responses", body })).status).toBe(200);
    expect(onlyRequest(aggregated[0]).body.toString()).toBe(body);
    expect([prefill[0]?.seen.length, decode[0]?.seen.length]).toEqual([0, 0]);
    expect(await proxy.metric('pointsman_proxy_splits_total{protocol="sglang",outcome="alone_ignored"}')).toBe(1);
    await call(proxy.url, { body: chatBody() });
    expect([prefill[0]?.seen.length, decode[0]?.seen.length]).toEqual([1, 1]);
    expect(proxy.booked).toEqual(nothing);
  });
});
