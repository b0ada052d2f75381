import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { processorVersions } from "../../../support/queue-processor/index.ts";
import { redisKinds } from "../../support/redis-server.ts";
import { until } from "../../support/until.ts";
import { Lab } from "../support/lab.ts";

const cases = redisKinds.flatMap((kind) => processorVersions.map((version) => ({ kind, version })));

/** What the real processor of v0.9 was seen to do, and what is known of v0.10. */
describe.each(cases)("the model of a processor $version on a real $kind", ({ kind, version }) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start(kind);
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  /** The result's bytes; from v0.10 on the token is in them. */
  const line = (text: string, token: string) =>
    version === "v0.9" ? text : `${text.slice(0, -1)},"request_token":"${token}"}`;

  it("answers with the gateway's status and body, and leaves no key behind", async () => {
    lab.process(version);
    const token = await lab.submit({ data: { endpoint: "/v1/chat/completions", headers: { "x-h": "1" } } });
    const expected = '{"id":"p1","status_code":200,"payload":"{\\"id\\":\\"chatcmpl-fake\\"}"}';
    expect(await lab.result()).toBe(line(expected, token));
    expect(await lab.seen()).toMatchObject({ target: "/v1/chat/completions" });
    expect((await lab.seen()).headers.get("x-h")).toBe("1");
    await until(async () => (await lab.keys()).length === 0, { what: "the keys to go" });
  });

  it.each([400, 401])("passes a %i on as it is", async (status) => {
    lab.gateway.answer((response) => void response.writeHead(status).end("no <&> \u00e9"));
    lab.process(version);
    const token = await lab.submit();
    const expected = `{"id":"p1","status_code":${status},"payload":"no \\u003c\\u0026\\u003e \u00e9"}`;
    expect(await lab.result()).toBe(line(expected, token));
  });

  it("tries again after a 503", async () => {
    const statuses = [503, 429, 200];
    lab.gateway.answer((response) => void response.writeHead(statuses.shift() ?? 500).end("x"));
    lab.process(version);
    const token = await lab.submit();
    expect(await lab.result()).toBe(line('{"id":"p1","status_code":200,"payload":"x"}', token));
    expect(lab.gateway.seen).toHaveLength(3);
  });

  it("fails at once when the connection is reset", async () => {
    lab.gateway.answer((response) => void response.destroy());
    lab.process(version);
    await lab.submit();
    const result = JSON.parse(await lab.result());
    expect(result).toMatchObject({ id: "p1", error_code: "INFERENCE_ERROR" });
    expect(result).not.toHaveProperty("status_code");
    expect(result.error_message).toMatch(/^Failed to send request to inference: Post "http:.*": EOF$/);
    expect(JSON.parse(result.payload)).toEqual({ error: result.error_message });
    expect(lab.gateway.seen).toHaveLength(1);
  });

  it("says that the deadline passed while the gateway had the request", async () => {
    lab.gateway.answer(() => undefined);
    lab.process(version);
    await lab.submit({ inS: 2 });
    const result = JSON.parse(await lab.result());
    if (version === "v0.10") expect(result).toMatchObject({ error_code: "DEADLINE_EXCEEDED" });
    else {
      expect(result.error_code).toBe("INFERENCE_ERROR");
      expect(result.error_message).toMatch(/context deadline exceeded$/);
    }
  });

  it("carries a body of any kind as a text", async () => {
    const body = 'data: {"x":1}\n\ndata: [DONE]\n\n';
    lab.gateway.answer((response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(body));
    lab.process(version);
    await lab.submit();
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200, payload: body });
  });

  it("sends the payload on", async () => {
    const payload =
      '{"seed":9007199254740993,"f":1.0,"e":1e2,"a":"<b>&\u00e9","messages":[{"role":"user","content":"hi"}]}';
    lab.process(version);
    await lab.submit({ payload });
    const encoded =
      '{"a":"\\u003cb\\u003e\\u0026\u00e9","e":100,"f":1,"messages":[{"content":"hi","role":"user"}],"seed":9007199254740992}';
    expect((await lab.seen()).body).toBe(version === "v0.9" ? encoded : payload);
  });

  it.each([
    { endpoint: undefined, target: "/v1/completions" },
    { endpoint: "/v1/x?x=1", target: "/v1/x%3Fx=1" },
    { endpoint: "../../admin", target: "/admin" },
    { endpoint: "http://x/evil", target: "/http:/x/evil" },
  ])("asks for $target when the endpoint is $endpoint", async ({ endpoint, target }) => {
    lab.process(version);
    await lab.submit({ data: { endpoint } });
    expect((await lab.seen()).target).toBe(target);
  });

  it("lets the message's headers stand, but not for the tenant's", async () => {
    lab.process(version, { queue: { inference_objective: "queue" } });
    const headers = {
      "Content-Type": "text/x",
      authorization: "Bearer x",
      "x-gateway-inference-objective": "message",
      "x-llm-d-inference-fairness-id": "message",
    };
    await lab.submit({ data: { headers, metadata: { userid: "alice" } } });
    expect(Object.fromEntries((await lab.seen()).headers)).toMatchObject({
      "content-type": "text/x",
      authorization: "Bearer x",
      "x-gateway-inference-objective": "message",
      "x-llm-d-inference-fairness-id": "alice",
    });
  });

  it("runs a request on that is cancelled while the gateway has it", async () => {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    lab.gateway.answer(async (response) => {
      asked.resolve();
      await held.promise;
      response.end("done");
    });
    lab.process(version);
    await lab.submit();
    await asked.promise;
    expect(await lab.cancel()).toBe(true);
    held.resolve();
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200, payload: "done" });
  });

  it("says that a request was cancelled which waits for its retry", async () => {
    lab.gateway.answer((response) => void response.writeHead(503).end());
    lab.process(version, { backoffBaseS: 0.5 });
    const token = await lab.submit();
    await until(async () => (await lab.redis.zcard("retry-sortedset")) === 1, { what: "the retry queue" });
    await lab.cancel();
    const expected =
      '{"id":"p1","payload":"{\\"error\\":\\"cancelled\\"}","error_code":"CANCELLED","error_message":"cancelled"}';
    expect(await lab.result()).toBe(line(expected, token));
    expect(lab.gateway.seen).toHaveLength(1);
  });

  it("says that a request was cancelled which waited in its queue", async () => {
    await lab.submit({ list: "result-list" });
    expect(await lab.cancel()).toBe(true);
    expect(await lab.cancel("unknown")).toBe(false);
    lab.process(version);
    expect(JSON.parse(await lab.result("result-list"))).toMatchObject({ error_code: "CANCELLED" });
    expect(lab.gateway.seen).toHaveLength(0);
    await until(async () => (await lab.keys()).length === 0, { what: "the keys to go" });
  });

  it("takes no notice of the cancellation of an earlier submission", async () => {
    await lab.submit({ token: "first" });
    await lab.cancel();
    await lab.redis.del("request-sortedset");
    await lab.submit({ token: "second" });
    lab.process(version);
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200 });
  });

  it("runs both requests of one id", async () => {
    await lab.submit({ payload: '{"n":1}' });
    const owner = await lab.submit({ payload: '{"n":2}' });
    expect(await lab.redis.get("request-active:p1")).toBe(owner);
    lab.process(version);
    for (let i = 0; i < 2; i++) expect(JSON.parse(await lab.result())).toMatchObject({ id: "p1", status_code: 200 });
    expect(lab.gateway.seen.map(({ body }) => `${body}`).sort()).toEqual(['{"n":1}', '{"n":2}']);
  });

  it.each([
    { what: "is not JSON", member: "{" },
    { what: "has no request_kind", member: '{"data":{"id":"p1","deadline":9999999999}}' },
    {
      what: "has a deadline that is a text",
      member: '{"request_kind":"redis","data":{"id":"p1","deadline":"9999999999"}}',
    },
    { what: "has no data", member: '{"request_kind":"redis"}' },
    {
      what: "has a payload that is no object",
      member: '{"request_kind":"redis","data":{"id":"p1","deadline":9999999999,"payload":[]}}',
    },
  ])("throws a member away that $what", async ({ member }) => {
    const processor = lab.process(version);
    await lab.redis.zadd("request-sortedset", 1, member);
    await until(() => processor.destroyed.length === 1, { what: "the member to go" });
    expect(await lab.keys()).toEqual([]);
  });

  it("sends null for a payload that is absent", async () => {
    lab.process(version);
    await lab.submit({ payload: "null" });
    expect((await lab.seen()).body).toBe("null");
  });

  it("takes a request of kind plain", async () => {
    lab.process(version);
    await lab.submit({ kind: "plain" });
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200 });
  });

  it(
    version === "v0.9"
      ? "says nothing of a deadline that passed behind a closed gate"
      : "tells of a deadline that passed behind a closed gate",
    async () => {
      await lab.redis.set("dispatch-gate-budget", "0");
      const processor = lab.process(version, { queue: { gate_type: "redis" } });
      const token = await lab.submit({ inS: -2 });
      expect(await lab.redis.zcard("request-sortedset")).toBe(1);
      await lab.redis.set("dispatch-gate-budget", "1");
      if (version === "v0.9") {
        await until(() => processor.destroyed.length === 1, { what: "the request to go" });
        await until(async () => (await lab.keys()).join() === "dispatch-gate-budget", { what: "its keys to go" });
      } else {
        const expected =
          '{"id":"p1","payload":"{\\"error\\":\\"deadline exceeded\\"}","error_code":"DEADLINE_EXCEEDED","error_message":"deadline exceeded"}';
        expect(await lab.result()).toBe(line(expected, token));
      }
      expect(lab.gateway.seen).toHaveLength(0);
    },
  );

  it("pushes to the queue's own list, not to the message's", async () => {
    lab.process(version, { queue: { result_queue_name: "fixed" } });
    await lab.submit();
    expect(JSON.parse(await lab.result("fixed"))).toMatchObject({ status_code: 200 });
    expect(await lab.redis.exists("resp:p1")).toBe(0);
  });

  it("pushes to the transport's list when neither names one", async () => {
    lab.process(version);
    await lab.submit({ list: "" });
    expect(JSON.parse(await lab.result("result-list"))).toMatchObject({ status_code: 200 });
  });

  it("parks what its drain cannot wait for, and runs it after its restart", async () => {
    const asked = Promise.withResolvers<void>();
    lab.gateway.answer(() => asked.resolve());
    const first = lab.process(version, { drainTimeoutMs: 10 });
    await lab.submit();
    await asked.promise;
    await first.drain();
    const [parked, moved] = [await lab.redis.zcard("retry-sortedset"), await lab.redis.zcard("request-sortedset")];
    expect(parked + moved).toBe(1);
    lab.gateway.answer((response) => void response.end("again"));
    lab.process(version);
    expect(JSON.parse(await lab.result())).toMatchObject({ payload: "again" });
  });

  it("delivers what ends while it drains", async () => {
    const asked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    lab.gateway.answer(async (response) => {
      asked.resolve();
      await held.promise;
      response.end("late");
    });
    const processor = lab.process(version);
    await lab.submit();
    await asked.promise;
    const drained = processor.drain();
    held.resolve();
    await drained;
    expect(JSON.parse(await lab.result())).toMatchObject({ payload: "late" });
  });
});
