import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { type Answer, QueueFront } from "./support/queue-front.ts";

const body = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';

describe("what a client is told of a result", () => {
  let lab: Lab;
  let front: QueueFront;
  /** Streams are begun while they wait. */
  let lively: QueueFront;
  beforeAll(async () => {
    lab = await Lab.start("redis-server");
    front = await (await QueueFront.start(lab.server.url)).healthy();
    lively = await (await QueueFront.start(lab.server.url, { streaming: "replay", keepAliveMs: 20 })).healthy();
  });
  beforeEach(async () => {
    await lab.redis.del("request-sortedset");
  });
  afterAll(async () => {
    await lively.stop();
    await front.stop();
    await lab.close();
  });

  /** Asks, and pushes what `result` makes of the request's id. */
  async function answerTo(
    result: (id: string) => string,
    path = "/v1/chat/completions",
    text = body,
    headers = {},
  ): Promise<Answer> {
    const asked = front.post(path, text, headers);
    const member = await until(async () => (await lab.redis.zpopmin("request-sortedset", 1))[0], { what: "a request" });
    const { internal, data } = JSON.parse(member);
    await lab.redis.lpush(internal.result_queue_name, result(data.id));
    return await asked;
  }

  const of = (fields: object) => (id: string) => JSON.stringify({ id, ...fields });
  const failed = (error_code: string, error_message: string) =>
    of({ payload: JSON.stringify({ error: error_message }), error_code, error_message });

  it.each([
    { status: 200, payload: '{"big":9007199254740993, "order":1}', type: "application/json" },
    { status: 201, payload: "[]", type: "application/json" },
    { status: 301, payload: "moved", type: "text/plain; charset=utf-8" },
    {
      status: 400,
      payload: '{"error":{"message":"no","type":"x","param":null,"code":null}}',
      type: "application/json",
    },
    { status: 404, payload: "<html>&</html>", type: "text/plain; charset=utf-8" },
    { status: 418, payload: "\u00e9\u{1f600}", type: "text/plain; charset=utf-8" },
    { status: 500, payload: "", type: "text/plain; charset=utf-8" },
    { status: 599, payload: "{}", type: "application/json" },
    { status: 200, payload: 'data: {"x":1}\n\ndata: [DONE]\n\n', type: "text/event-stream" },
  ])("passes a $status with the body $payload on", async ({ status, payload, type }) => {
    const answer = await answerTo(of({ status_code: status, payload }));
    expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([status, payload, type]);
  });

  it.each([204, 205, 304])("passes a %i on without a body", async (status) => {
    const answer = await answerTo(of({ status_code: status, payload: "" }));
    expect([answer.status, answer.text]).toEqual([status, ""]);
    expect((await answerTo(of({ status_code: 200, payload: "{}" }))).text).toBe("{}");
  });

  it.each([204, 304])("keeps the connection in order though a %i has a body", async (status) => {
    expect((await answerTo(of({ status_code: status, payload: "HTTP/1.1 200 OK\r\n\r\n" }))).text).toBe("");
    expect((await answerTo(of({ status_code: 200, payload: "{}" }))).text).toBe("{}");
  });

  it.each([1, 99, 100, 101, 199, 600, 999, 1_000, 2 ** 31, 9_007_199_254_740_991])(
    "answers 502 for the status %i",
    async (status) => {
      const answer = await answerTo(of({ status_code: status, payload: "{}" }));
      expect(answer.status).toBe(502);
      expect(JSON.parse(answer.text).error.code).toBe("worker_failed");
    },
  );

  it.each([
    { code: "GATE_DROPPED", message: "Pool gating dropped request", status: 429, retryAfter: "1" },
    { code: "GATE_ERROR", message: "Pool gating error: x", status: 503, retryAfter: "1" },
    { code: "DEADLINE_EXCEEDED", message: "deadline exceeded", status: 504, retryAfter: null },
    { code: "CANCELLED", message: "cancelled", status: 499, retryAfter: null },
    { code: "INVALID_REQUEST", message: "Failed: deadline", status: 400, retryAfter: null },
    { code: "INFERENCE_ERROR", message: 'Post "http://10.0.0.1/x": EOF', status: 502, retryAfter: null },
    { code: "INFERENCE_ERROR", message: 'Post "http://x": context deadline exceeded', status: 504, retryAfter: null },
    { code: "PAYLOAD_UNAVAILABLE", message: "payload unavailable", status: 502, retryAfter: null },
    { code: "SOMETHING_NEW", message: "x", status: 502, retryAfter: null },
  ])("answers $status for $code ($message)", async ({ code, message, status, retryAfter }) => {
    for (const [path, type] of [
      ["/v1/chat/completions", "openai"],
      ["/v1/messages", "anthropic"],
    ] as const) {
      const answer = await answerTo(failed(code, message), path);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, retryAfter]);
      expect(answer.headers.get("x-should-retry")).toBe(status === 504 ? "false" : null);
      const { error, ...rest } = JSON.parse(answer.text);
      expect(error.message).toEqual(expect.stringMatching(/\S/));
      expect(answer.text).not.toContain("10.0.0.1");
      if (type === "anthropic") expect(rest).toMatchObject({ type: "error" });
      else expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
    }
  });

  it("answers 429 for what the tier's gate dropped", async () => {
    const answer = await answerTo(of({ payload: '{"error": "Too Many Requests", "code": 429}' }));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(JSON.parse(answer.text).error).toMatchObject({ message: "Too Many Requests" });
  });

  it.each([
    { fields: { payload: '{"choices":[]}' }, status: 200 },
    { fields: { payload: "plain" }, status: 200 },
    { fields: { payload: "" }, status: 502 },
    { fields: {}, status: 502 },
    { fields: { payload: null }, status: 502 },
    { fields: { payload: { choices: [] } }, status: 502 },
    { fields: { payload: 7 }, status: 502 },
    { fields: { status_code: 200, payload: { choices: [] } }, status: 502 },
    { fields: { status_code: 200, payload: 7 }, status: 502 },
    { fields: { status_code: 200 }, status: 502 },
    { fields: { status_code: "200", payload: "{}" }, status: 502 },
    { fields: { status_code: 200.5, payload: "{}" }, status: 502 },
    { fields: { status_code: -1, payload: "{}" }, status: 502 },
    { fields: { payload: '{"error":"x","code":"429"}' }, status: 502 },
    { fields: { payload: '{"error":"x","code":99}' }, status: 502 },
    { fields: { payload: '{"error":"x","code":600}' }, status: 502 },
    { fields: { payload: '{"error":"x","code":503}' }, status: 503 },
    { fields: { payload: '{"error":{"message":"x","code":429}}' }, status: 429 },
    { fields: { payload: '{"error":{"message":"x"}}' }, status: 502 },
    { fields: { status_code: 200, error_code: "GATE_DROPPED", payload: "{}" }, status: 200 },
  ])("answers $status for $fields", async ({ fields, status }) => {
    expect((await answerTo(of(fields))).status).toBe(status);
  });

  it("counts what is nobody's, and goes on", async () => {
    const before = await front.metric("pointsman_queue_front_orphan_results_total");
    const asked = front.post("/v1/chat/completions", body);
    const [member = ""] = await until(
      async () => {
        const popped = await lab.redis.zpopmin("request-sortedset", 1);
        return popped.length > 0 && popped;
      },
      { what: "a request" },
    );
    const { internal, data } = JSON.parse(member);
    const list = internal.result_queue_name;
    await lab.redis.lpush(list, "{", '{"id":"x"}', "[]");
    await until(async () => (await front.metric("pointsman_queue_front_orphan_results_total")) === before + 3, {
      what: "the orphans to be counted",
    });
    await lab.redis.lpush(list, JSON.stringify({ id: data.id, status_code: 200, payload: "{}" }));
    expect((await asked).status).toBe(200);
  });

  it.each(["/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"])(
    "ends a stream of %s with its error when the request fails after the first comment",
    async (path) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${lively.url}${path}`, {
        method: "POST",
        headers,
        body: '{"model":"m","stream":true}',
      });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
      const [member = ""] = await lab.redis.zpopmin("request-sortedset", 1);
      const { internal, data } = JSON.parse(member);
      await lab.redis.lpush(internal.result_queue_name, failed("GATE_DROPPED", "dropped")(data.id));
      const text = await answer.text();
      expect(text).toMatch(/^: /);
      expect(text).toContain("dropped");
      expect(text.endsWith("\n\n")).toBe(true);
    },
  );
});
