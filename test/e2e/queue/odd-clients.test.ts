import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeMember } from "../../support/queue-processor/envelope.ts";
import { processorVersions } from "../../support/queue-processor/index.ts";
import { RawExchange, type RawResponse } from "../support/raw-http.ts";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { QueueFront } from "./support/queue-front.ts";

const chat = "/v1/chat/completions";

describe("what odd clients send", () => {
  let lab: Lab;
  let front: QueueFront;
  let trusting: QueueFront;
  beforeAll(async () => {
    lab = await Lab.start("redis-server");
    front = await (await QueueFront.start(lab.server.url, { defaultTimeoutMs: 60_000 })).healthy();
    trusting = await (await QueueFront.start(lab.server.url, { trustHeaders: true, streaming: "replay" })).healthy();
  });
  beforeEach(() => lab.reset());
  afterAll(async () => {
    await front.stop();
    await trusting.stop();
    await lab.close();
  });

  /** The member that a body becomes; its request is answered then. `undefined` when the front refuses it. */
  async function memberOf(body: string | Buffer, headers = {}, path = chat, to = front): Promise<Submitted> {
    const exchange = await RawExchange.open(to.port);
    const length = { "content-length": `${Buffer.byteLength(body)}`, "content-type": "application/json" };
    exchange.head("POST", path, { ...length, ...headers }).write(body);
    let refused: RawResponse | undefined;
    const answered = exchange.response();
    answered.then(
      (response) => {
        refused = response;
      },
      () => undefined,
    );
    const look = async () => refused ?? (await lab.redis.zpopmin("request-sortedset", 1))[0];
    const found = await until(look, { what: "a request or a refusal", intervalMs: 2 });
    if (typeof found !== "string") {
      exchange.abort();
      return { status: found.status, text: found.body.toString(), member: undefined };
    }
    const member = found;
    const { internal, data } = JSON.parse(member);
    await lab.redis.lpush(internal.result_queue_name, JSON.stringify({ id: data.id, status_code: 200, payload: "{}" }));
    const { status, body: text } = await answered;
    exchange.abort();
    return { status, text: text.toString(), member };
  }

  const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  it.each([
    { what: "nothing", body: "" },
    { what: "null", body: "null" },
    { what: "a list", body: "[]" },
    { what: "a text", body: '"{}"' },
    { what: "half an object", body: '{"model":' },
    { what: "two objects", body: '{"a":1}{"b":2}' },
    { what: "an object and a rest", body: "{}x" },
    { what: "a BOM", body: "\ufeff{}" },
    { what: "a trailing comma", body: '{"a":1,}' },
    { what: "a comment", body: '{/**/"a":1}' },
    { what: "single quotes", body: "{'a':1}" },
    { what: "NaN", body: '{"a":NaN}' },
    { what: "a number with a leading zero", body: '{"a":01}' },
    { what: "a number that no float holds", body: '{"a":1e400}' },
    { what: "a number of 400 digits", body: `{"a":${"9".repeat(400)}}` },
    { what: "a control character in a text", body: '{"a":"\n"}' },
    { what: "a NUL", body: '{"a":"\u0000"}' },
    { what: "bytes that are no UTF-8", body: Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]) },
    { what: "an overlong form", body: Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc0, 0x80, 0x22, 0x7d]) },
    { what: "too deep an object", body: nested(9_999) },
    { what: "a very deep object", body: nested(1_000_000) },
    { what: "a bad escape", body: '{"a":"\\x"}' },
    { what: "half of a pair of escapes", body: '{"a":"\\ud83d"}' },
    { what: "half an escape", body: '{"a":"\\u12"}' },
  ])("is refused with 400 when it is $what", async ({ body }) => {
    const { status, text, member } = await memberOf(body);
    expect([status, member]).toEqual([400, undefined]);
    expect(JSON.parse(text).error.message).toEqual(expect.stringMatching(/\S/));
  });

  it.each([
    { what: "an empty object", body: "{}" },
    { what: "spaces around it", body: " \r\n\t{ } \n" },
    { what: "keys in no order, and twice", body: '{"z":1,"a":{"y":1,"b":2},"z":2}' },
    { what: "big integers", body: '{"seed":9007199254740993,"x":123456789012345678901234567890}' },
    { what: "numbers in odd forms", body: '{"a":1.0,"b":1E2,"c":-0,"d":1e-400,"e":0.1e+1}' },
    { what: "line separators", body: '{"a":"\u2028\u2029<>&"}' },
    { what: "keys that mean something in JavaScript", body: '{"__proto__":{"x":1},"constructor":1,"toString":2}' },
    { what: "what looks like an envelope", body: '{"payload":"$&","internal":{"request_token":"x"},"data":"$1"}' },
    { what: "a deep object", body: nested(100) },
    { what: "stream as a text", body: '{"stream":"true"}' },
    { what: "a model that is a number", body: '{"model":7}' },
  ])("goes into the queue byte for byte when it is $what", async ({ body }) => {
    const { status, member = "" } = await memberOf(body);
    expect(status).toBe(200);
    expect(decodeMember(member, "v0.10").payload).toBe(body.trim());
    expect(JSON.parse(decodeMember(member, "v0.9").payload)).toBeTypeOf("object");
  });

  it("is read by every processor, whatever it is, where it is not refused", async () => {
    const json = fc.json({ noUnicodeString: false } as never);
    const text = fc.oneof(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()).map((value) => JSON.stringify(value)),
      json.map((value) => `{"a":${value}}`),
      fc.tuple(json, fc.nat(), fc.string({ maxLength: 2 })).map(([value, at, put]) => {
        const whole = `{"a":${value}}`;
        const place = at % whole.length;
        return whole.slice(0, place) + put + whole.slice(place + 1);
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const { status, member } = await memberOf(body);
        expect(status).toBe(member === undefined ? 400 : 200);
        if (member === undefined) return;
        for (const version of processorVersions) decodeMember(member, version);
        expect(decodeMember(member, "v0.10").payload).toBe(Buffer.from(body).toString().trim());
      }),
      { numRuns: 150 },
    );
  });

  it.each(["0", "-1", "abc", "1e3", "0x10", "Infinity", "NaN", "1,5", "1 2"])(
    "has its deadline refused when it is %s",
    async (seconds) => {
      expect((await memberOf("{}", { "x-request-timeout-seconds": seconds })).status).toBe(400);
    },
  );

  it("has a deadline of at most what may be asked for", async () => {
    const { member = "" } = await memberOf("{}", { "x-request-timeout-seconds": "999999999" });
    const { created, deadline } = JSON.parse(member).data;
    expect(deadline - created).toBeGreaterThanOrEqual(3_600);
    expect(deadline - created).toBeLessThanOrEqual(3_601);
  });

  it("has no say in headers that are the processor's", async () => {
    const headers = {
      "x-gateway-inference-objective": "mine",
      "x-gateway-priority": "0",
      "x-llm-d-inference-fairness-id": "mine",
      "x-llm-d-inference-objective": "mine",
      authorization: "Bearer secret",
      cookie: "secret",
      "x-tenant-id": "mine",
      "x-team": "mine",
      "x-tier": "interactive",
      "content-encoding": "identity",
      "x-request-id": "abc",
      "anthropic-version": "1",
    };
    const { member = "" } = await memberOf("{}", headers);
    const { data, internal } = JSON.parse(member);
    expect(data.headers).toEqual({ "x-request-id": "abc", "anthropic-version": "1" });
    expect(data.metadata).toBeUndefined();
    expect(internal).not.toHaveProperty("labels");
    expect(member).not.toContain("secret");
  });

  it.each(["a:b", "a b", "\u00e9", "x".repeat(257)])(
    "has a tenant refused that gates cannot count by: %s",
    async (tenant) => {
      expect((await memberOf("{}", { "x-tenant-id": tenant }, chat, trusting)).status).toBe(400);
      const { member = "" } = await memberOf("{}", { "x-tenant-id": "alice" }, chat, trusting);
      expect(JSON.parse(member).data.metadata).toEqual({ userid: "alice" });
    },
  );

  it.each([
    { path: `${chat}?x=1`, endpoint: chat },
    { path: `${chat}?../../admin`, endpoint: chat },
    { path: `http://elsewhere${chat}`, endpoint: chat },
  ])("goes to $endpoint when its path is $path", async ({ path, endpoint }) => {
    const { member = "" } = await memberOf("{}", {}, path);
    expect(JSON.parse(member).data.endpoint).toBe(endpoint);
  });

  it.each([
    "/v1/chat/completions/",
    "//v1/chat/completions",
    "/v1/chat/completions/../../admin",
    "/v1/chat%2fcompletions",
    "/V1/chat/completions",
    "/v1/chat/completions;x",
    "/admin",
    "*",
    "http://elsewhere/admin",
    "/v1/requests/x",
    "/metrics",
  ])("is not found when its path is %s", async (path) => {
    expect((await memberOf("{}", {}, path)).status).toBe(404);
  });

  it.each(["gzip", "deflate", "br", "x"])("is not read when it is encoded with %s", async (encoding) => {
    expect((await memberOf("{}", { "content-encoding": encoding })).status).toBe(415);
  });

  it("is too long", async () => {
    const { status } = await memberOf(`{"a":"${"x".repeat(8 * 1_048_576)}"}`);
    expect(status).toBe(413);
  });

  it("asks for an answer by request id like anybody's text", async () => {
    const { status, text } = await memberOf("{", { "x-request-id": '"><script>' });
    expect(status).toBe(400);
    expect(text).not.toContain("<script>");
  });

  it("stops in the middle of its body, and nothing is left", async () => {
    const exchange = await RawExchange.open(front.port);
    exchange.head("POST", chat, { "content-length": "1000" }).write('{"model":');
    await until(async () => (await front.metric("pointsman_queue_front_requests")) === 1, { what: "the request" });
    exchange.abort();
    await until(async () => (await front.metric("pointsman_queue_front_requests")) === 0, { what: "it to be gone" });
    expect(await front.metric("pointsman_queue_front_held_body_bytes")).toBe(0);
    expect(await lab.redis.zcard("request-sortedset")).toBe(0);
  });

  it("sends the next request on the same connection before the answer", async () => {
    lab.gateway.answer((response, { body }) => void response.end(body));
    lab.process("v0.9");
    const exchange = await RawExchange.open(front.port);
    for (const n of [1, 2]) exchange.head("POST", chat, { "content-length": "7" }).write(`{"n":${n}}`);
    await exchange.receive('{"n":2}');
    const text = exchange.received.toString();
    expect(text.indexOf('{"n":1}')).toBeLessThan(text.indexOf('{"n":2}'));
    exchange.abort();
  });
});

interface Submitted {
  readonly status: number;
  readonly text: string;
  /** Undefined: the front refused it. */
  readonly member: string | undefined;
}
