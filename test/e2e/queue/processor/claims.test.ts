import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ProcessorProcess } from "../../../support/queue-processor/index.ts";
import { redisKinds } from "../../support/redis-server.ts";
import { until } from "../../support/until.ts";
import { Lab } from "../support/lab.ts";

describe.each(redisKinds)("a processor that is killed with a request under way, on a real %s", (kind) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start(kind);
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  it("takes it along in v0.9: nothing is left but the key of its state", async () => {
    lab.gateway.answer(() => undefined);
    const processor = await ProcessorProcess.start(lab.options("v0.9"));
    await lab.submit();
    await lab.seen();
    await processor.kill();
    expect(await lab.keys()).toEqual(["request-active:p1"]);
    expect(await lab.redis.pttl("request-active:p1")).toBeGreaterThan(0);
  });

  it("leaves a claim in v0.10, and another one runs it again", async () => {
    const lease = { claim_lease_ttl_seconds: 1, claim_reclaim_interval_ms: 20 };
    lab.gateway.answer(() => undefined);
    const processor = await ProcessorProcess.start(lab.options("v0.10", { transport: lease }));
    const token = await lab.submit();
    await lab.seen();
    await processor.kill();
    const name = "request-sortedset";
    expect(await lab.keys()).toEqual([
      "request-active:p1",
      `${name}:claim-owners`,
      `${name}:claimed`,
      `${name}:claims-idx`,
    ]);
    expect(await lab.redis.hkeys(`${name}:claimed`)).toEqual([`p1\0${token}`]);
    lab.gateway.answer((response) => void response.end("second"));
    // Its own claim lasts: one that a standstill takes from it would be run again.
    lab.process("v0.10", { transport: { claim_reclaim_interval_ms: 20 } });
    expect(JSON.parse(await lab.result())).toMatchObject({ payload: "second", request_token: token });
    expect(lab.gateway.seen).toHaveLength(2);
    await until(async () => (await lab.keys()).length === 0, { what: "the keys to go" });
  });
});

describe("a processor of v0.10", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start("redis-server");
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  it("takes requests of one deadline in the order of their numbers", async () => {
    const deadline = Math.floor(Date.now() / 1_000) + 30;
    for (const seq of [3, 1, 2]) {
      const member = lab.member(deadline, { id: `r${seq}`, token: "t", payload: `{"n":${seq}}` });
      await lab.redis.zadd("request-sortedset", deadline + seq / 2_097_152, member);
    }
    lab.process("v0.10", { concurrency: 1 });
    for (let i = 0; i < 3; i++) await lab.result();
    expect(lab.gateway.seen.map(({ body }) => `${body}`)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
  });

  it("gives the result list a time to live where it is told one", async () => {
    lab.process("v0.10", { queue: { result_ttl_seconds: 60 } });
    await lab.submit();
    await until(async () => (await lab.redis.ttl("resp:p1")) > 0, { what: "the time to live" });
  });

  it("fetches a payload that has a key of its own, and says where it is missing", async () => {
    const deadline = Math.floor(Date.now() / 1_000) + 30;
    const refers = (ref: string) => {
      const member = lab.member(deadline, { id: "p1", token: "t", payload: "null" });
      return member.replace('"internal":{', `"internal":{"payload_ref":"${ref}",`);
    };
    await lab.redis.set("request-payload:p1:t", '{"big":9007199254740993}');
    lab.process("v0.10");
    await lab.redis.zadd("request-sortedset", deadline, refers("request-payload:p1:t"));
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200 });
    expect((await lab.seen()).body).toBe('{"big":9007199254740993}');
    expect(await lab.redis.exists("request-payload:p1:t")).toBe(0);
    await lab.redis.zadd("request-sortedset", deadline, refers("gone"));
    expect(JSON.parse(await lab.result())).toMatchObject({ error_code: "PAYLOAD_UNAVAILABLE" });
  });
});
