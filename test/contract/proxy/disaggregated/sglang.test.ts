import { afterEach, describe, expect, it } from "vitest";
import { json } from "../../../support/proxy/fake-worker.ts";
import { onlyRequest, PairBench } from "../../../support/proxy/pair-bench.ts";
import { call, chatBody, chatPath } from "../../../support/proxy/raw-client.ts";

const bench = new PairBench();
afterEach(() => bench.close());

const nothing = { requests: 0, decodeBlocks: 0, prefillTokens: 0 };

/** The fields of the room in a body, in order, as text. */
function roomFields(body: Buffer): readonly string[] {
  return body.toString().match(/"bootstrap_\w+":(\[[^\]]*\]|"[^"]*"|[^,}]+)/g) ?? [];
}

function roomsOf(body: Buffer): readonly bigint[] {
  const text = /"bootstrap_room":\[?([\d,]+)/.exec(body.toString())?.[1] ?? "";
  return text.split(",").map(BigInt);
}

describe("a request for two SGLang workers", () => {
  it.each([
    [chatPath, '{"model":"m", "messages":[{"role":"user","content":"hi","x":1.0}],"seed":12345678901234567890 }'],
    ["/v1/completions", '{"model":"m","prompt":"hi","zzz":{"a":[1,2]}}'],
    ["/v1/completions", '{"model":"m","prompt":[1,2,3]}'],
    ["/v1/responses", '{"model":"m","input":"hi"}'],
    ["/v1/messages", '{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}'],
    ["/generate", '{"text":"hi","sampling_params":{"max_new_tokens":3}}'],
    ["/generate", '{"input_ids":[1,2,3]}'],
  ])("goes to both at %s with one room, and no other byte changed", async (path, body) => {
    const { prefill, decode, proxy } = await bench.start({
      protocol: "sglang",
      prefillHandover: "bootstrapPort: 8998",
    });
    decode[0]?.answer((response) => json(response, 200, { from: "decode" }));
    prefill[0]?.answer((response) => json(response, 200, { from: "prefill" }));
    const answer = await call(proxy.url, { path: `${path}?a=b`, body });
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"from":"decode"}']);
    const [first, second] = [onlyRequest(prefill[0]), onlyRequest(decode[0])];
    expect([first.target, second.target]).toEqual([`${path}?a=b`, `${path}?a=b`]);
    expect(first.body).toEqual(second.body);
    const [room] = roomsOf(first.body);
    const end = body.lastIndexOf("}");
    expect(first.body.toString()).toBe(
      `${body.slice(0, end)},"bootstrap_host":"127.0.0.1","bootstrap_port":8998,"bootstrap_room":${room}}`,
    );
    expect(proxy.booked).toEqual(nothing);
  });

  it("has a room of 63 random bits, each digit of it on the wire", async () => {
    const { prefill, proxy } = await bench.start({ protocol: "sglang" });
    for (let i = 0; i < 64; i++) await call(proxy.url, { body: chatBody() });
    const rooms = prefill.flatMap(({ seen }) => seen.flatMap(({ body }) => roomsOf(body)));
    expect(new Set(rooms).size).toBe(64);
    expect(rooms.every((room) => room >= 0n && room < 2n ** 63n)).toBe(true);
    expect(rooms.some((room) => room > 2n ** 53n && room % 2n === 1n)).toBe(true);
  });

  it("has a port of null where none is set, and the host that is set", async () => {
    const { prefill, proxy } = await bench.start({
      protocol: "sglang",
      prefillHandover: "bootstrapHost: prefill.local",
    });
    await call(proxy.url, { body: chatBody() });
    expect(roomFields(onlyRequest(prefill[0]).body).slice(0, 2)).toEqual([
      '"bootstrap_host":"prefill.local"',
      '"bootstrap_port":null',
    ]);
  });

  it.each([
    ["chat with n", chatPath, chatBody({ n: 3 }), 3],
    ["several prompts", "/v1/completions", '{"model":"m","prompt":["a","b"]}', 2],
    ["an array of one prompt", "/v1/completions", '{"model":"m","prompt":["a,]"]}', 1],
    ["several prompts of tokens", "/v1/completions", '{"model":"m","prompt":[[1,2],[3],[4]]}', 3],
    ["several prompts with n", "/v1/completions", '{"model":"m","prompt":["a","b"],"n":2}', 4],
    ["a batch of token ids", "/generate", '{"input_ids":[[1,2],[3]]}', 2],
    ["a batch of texts", "/generate", '{"text":["a","b","c"]}', 3],
  ])("has arrays for %s", async (_, path, body, count) => {
    const { prefill, decode, proxy } = await bench.start({
      protocol: "sglang",
      prefillHandover: "bootstrapPort: 9000",
    });
    expect((await call(proxy.url, { path, body })).status).toBe(200);
    const sent = onlyRequest(decode[0]).body;
    expect(onlyRequest(prefill[0]).body).toEqual(sent);
    const rooms = roomsOf(sent);
    expect(new Set(rooms).size).toBe(count);
    expect(roomFields(sent)).toEqual([
      `"bootstrap_host":[${Array(count).fill('"127.0.0.1"').join(",")}]`,
      `"bootstrap_port":[${Array(count).fill("9000").join(",")}]`,
      `"bootstrap_room":[${rooms.join(",")}]`,
    ]);
  });

  it("of a megabyte is read between others, and goes out as it came but for its room", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang" });
    const body = JSON.stringify({ model: "m", prompt: ["x".repeat(1_200_000), '","'.repeat(9)], max_tokens: 1 });
    expect((await call(proxy.url, { path: "/v1/completions", body })).status).toBe(200);
    const sent = onlyRequest(decode[0]).body;
    expect(sent.equals(onlyRequest(prefill[0]).body)).toBe(true);
    expect(sent.toString().startsWith(body.slice(0, -1))).toBe(true);
    expect(roomsOf(sent.subarray(body.length - 1))).toHaveLength(2);
  });

  it("is refused when it asks for more sequences than are allowed", async () => {
    const { proxy } = await bench.start({ protocol: "sglang", settings: "proxy: { maxSplitSequences: 8 }" });
    const answer = await call(proxy.url, { body: chatBody({ n: 1_000_000_000 }) });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body.toString()).error.code).toBe("invalid_request");
    expect(proxy.booked).toEqual(nothing);
  });

  it("takes the place of a room of the client's", async () => {
    const { prefill, proxy } = await bench.start({ protocol: "sglang", settings: "proxy: { trustClientPins: true }" });
    await call(proxy.url, { body: chatBody({ bootstrap_host: "evil", bootstrap_room: 7 }) });
    expect(onlyRequest(prefill[0]).body.toString()).not.toContain("evil");
    expect(roomsOf(onlyRequest(prefill[0]).body)).not.toEqual([7n]);
  });

  it("names the ranks of workers with several", async () => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang", worker: "dpSize: 2" });
    await call(proxy.url, { body: chatBody() });
    const first = JSON.parse(onlyRequest(prefill[0]).body.toString());
    const second = JSON.parse(onlyRequest(decode[0]).body.toString());
    expect([0, 1]).toContain(first.routed_dp_rank);
    expect(first).not.toHaveProperty("disagg_prefill_dp_rank");
    expect(second.disagg_prefill_dp_rank).toBe(first.routed_dp_rank);
    expect([0, 1]).toContain(second.routed_dp_rank);
  });
});

describe("work of one prefill worker", () => {
  it.each([
    ["/v1/rerank", '{"model":"m","query":"a","documents":["b"]}'],
    ["/v1/messages/count_tokens", '{"model":"m","messages":[{"role":"user","content":"hi"}]}'],
    ["/v1/embeddings", '{"model":"m","input":"x"}'],
    ["/tokenize", '{"model":"m","prompt":"x"}'],
  ])("%s goes there as it came", async (path, body) => {
    const { prefill, decode, proxy } = await bench.start({ protocol: "sglang" });
    expect((await call(proxy.url, { path, body })).status).toBe(200);
    expect(onlyRequest(prefill[0]).body.toString()).toBe(body);
    expect(decode[0]?.seen).toEqual([]);
    expect(proxy.booked).toEqual(nothing);
  });
});

describe("a fleet without a pair", () => {
  it.each([
    ["nobody", 0, 0],
    ["no prefill worker", 0, 1],
    ["no decode worker", 1, 0],
  ])("of %s answers 503", async (_, prefill, decode) => {
    const { proxy } = await bench.start({ protocol: "sglang", prefill, decode });
    for (const path of [chatPath, "/v1/messages", "/v1/responses", "/v1/completions", "/generate"]) {
      const body = {
        model: "m",
        max_tokens: 1,
        messages: [{ role: "user", content: "hi" }],
        input: "hi",
        prompt: "hi",
        text: "a",
      };
      const answer = await call(proxy.url, { path, body });
      expect([path, answer.status, answer.headers["retry-after"]]).toEqual([path, 503, "1"]);
    }
  });
});

describe("stored answers", () => {
  it("are asked of the decode worker that made them, whoever prefills what goes on from them", async () => {
    const { decode, proxy } = await bench.start({ protocol: "sglang", decode: 2, prefill: 2 });
    for (const worker of decode) worker.answer((response) => json(response, 200, { id: "resp_1", object: "response" }));
    await call(proxy.url, { path: "/v1/responses", body: { model: "m", input: "hi" } });
    const owner = decode.findIndex(({ seen }) => seen.length === 1);
    for (let i = 0; i < 3; i++) {
      const body = { model: "m", input: "on", previous_response_id: "resp_1" };
      expect((await call(proxy.url, { path: "/v1/responses", body })).status).toBe(200);
    }
    const got = await call(proxy.url, { method: "GET", path: "/v1/responses/resp_1" });
    expect(got.status).toBe(200);
    expect(decode[owner]?.seen.map(({ method }) => method)).toEqual(["POST", "POST", "POST", "POST", "GET"]);
    expect(decode[1 - owner]?.seen).toEqual([]);
  });
});
