import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PoolOptions, processorVersions, type QueueOptions } from "../../../support/queue-processor/index.ts";
import { until } from "../../support/until.ts";
import { Lab } from "../support/lab.ts";

describe.each(processorVersions)("the gates and policies of a processor %s", (version) => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start("redis-server");
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  /** The gateway holds what comes until it is let go. */
  function holding(): { readonly release: () => void } {
    const held = Promise.withResolvers<void>();
    lab.gateway.answer(async (response) => {
      await held.promise;
      response.end("held");
    });
    return { release: held.resolve };
  }

  const classifying = {
    gate_type: "redis-quota",
    gate_params: { attribute: "team", mode: "concurrency", limit: 1, gating_mode: "classifying" },
    labels: { tier: "interactive" },
  };
  const byTier: PoolOptions = { merge_policy: "tier-priority", fairness_attribute: "team" };
  const ofTeam = (id: string) => ({ id, list: `resp:${id}`, data: { metadata: { team: "a" } } });
  const classified = async () =>
    await until(async () => (await lab.redis.get("quota:team:a")) === "1", { what: "the reservation" });

  it("mark who is over the quota, in the lane's number and with the tenant's name", async () => {
    const gateway = holding();
    lab.process(version, { queue: classifying, pools: { default: byTier } });
    await lab.submit(ofTeam("first"));
    await lab.seen(0);
    await lab.submit(ofTeam("second"));
    const [first, second] = [await lab.seen(0), await lab.seen(1)];
    expect([first, second].map(({ headers }) => headers.get("x-gateway-priority"))).toEqual(["0", "3"]);
    expect(first.headers.get("x-llm-d-inference-fairness-id")).toBe("a");
    gateway.release();
    await lab.result("resp:first");
    await lab.result("resp:second");
    await until(async () => (await lab.redis.exists("quota:team:a")) === 0, { what: "the quota to be free" });
  });

  const saturated: PoolOptions = {
    ...byTier,
    gate_type: "tier-priority-admission",
    gate_params: { saturation_gate: "redis", saturation_gate_params: { budget_key: "saturation" } },
  };

  it("drop what is interactive and over its quota, with neither status nor code", async () => {
    await lab.redis.set("saturation", "0");
    await lab.redis.set("quota:team:a", "1");
    lab.process(version, { queue: classifying, pools: { default: saturated } });
    const token = await lab.submit({ ...ofTeam("d1"), list: "resp:p1" });
    const text = '{"id":"d1","payload":"{\\"error\\": \\"Too Many Requests\\", \\"code\\": 429}"';
    expect(await lab.result()).toBe(version === "v0.9" ? `${text}}` : `${text},"request_token":"${token}"}`);
  });

  it("let what is reserved wait for its deadline", async () => {
    await lab.redis.set("saturation", "0");
    lab.process(version, { queue: classifying, pools: { default: saturated } });
    await lab.submit({ ...ofTeam("p1"), inS: 1 });
    await classified();
    expect(JSON.parse(await lab.result())).toMatchObject({ error_code: "DEADLINE_EXCEEDED" });
  });

  it("send what is reserved on once there is room", async () => {
    await lab.redis.set("saturation", "0");
    lab.process(version, { queue: classifying, pools: { default: saturated } });
    await lab.submit(ofTeam("p1"));
    await classified();
    await lab.redis.del("saturation");
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200 });
  });

  it("put what is refused back until it may go", async () => {
    const gate = { gate_type: "redis-quota", gate_params: { attribute: "team", mode: "concurrency", limit: 1 } };
    await lab.redis.set("quota:team:a", "1");
    lab.process(version, { queue: gate });
    await lab.submit(ofTeam("p1"));
    await until(async () => (await lab.redis.ttl("quota:team:a")) > 0, { what: "the gate to be asked" });
    expect(lab.gateway.seen).toHaveLength(0);
    await lab.redis.del("quota:team:a");
    expect(JSON.parse(await lab.result())).toMatchObject({ status_code: 200 });
  });

  it("count requests in a window", async () => {
    const gate_params = { attribute: "team", mode: "rate-limit", limit: 2, window: "1h", gating_mode: "classifying" };
    lab.process(version, { queue: { ...classifying, gate_params }, pools: { default: byTier } });
    for (const id of ["a", "b", "c"]) {
      await lab.submit(ofTeam(id));
      await lab.result(`resp:${id}`);
    }
    const seen = await Promise.all([0, 1, 2].map((i) => lab.seen(i)));
    expect(seen.map(({ headers }) => headers.get("x-gateway-priority"))).toEqual(["0", "0", "3"]);
  });

  it("say that a pool's gate failed", async () => {
    const gate_params = { address: "127.0.0.1:1", attribute: "team", mode: "concurrency", limit: 1 };
    lab.process(version, { pools: { default: { gate_type: "redis-quota", gate_params } } });
    await lab.submit(ofTeam("p1"));
    const result = JSON.parse(await lab.result());
    expect(result.error_code).toBe("GATE_ERROR");
    expect(result.error_message).toMatch(/^Pool gating error: /);
  });

  it("hold no more at once than they may, and wait where they are told to", async () => {
    const gateway = holding();
    const local = { gate_type: "local-max-concurrency", gate_params: { limit: 2 } };
    const gates = [{ gate_type: "constant" }, { gate_type: "wait-on-refuse", gate_params: { gate: local } }];
    lab.process(version, { pools: { default: { gate_type: "composite", gate_params: { gates } } } });
    for (const id of ["a", "b", "c"]) await lab.submit(ofTeam(id));
    await lab.seen(1);
    await until(async () => (await lab.redis.zcard("request-sortedset")) === 0, { what: "all to be taken" });
    expect(lab.gateway.seen).toHaveLength(2);
    gateway.release();
    for (const id of ["a", "b", "c"]) await lab.result(`resp:${id}`);
  });

  it("take queues by their tier", async () => {
    const gateway = holding();
    const queue = (tier: string): QueueOptions => ({
      queue_name: tier,
      igw_base_url: lab.gatewayUrl,
      labels: { tier },
    });
    const tiers = ["batch", "async", "interactive"];
    await lab.submit({ id: "first", list: "resp:first", queue: "batch" });
    lab.process(version, { concurrency: 1, queues: tiers.map(queue), pools: { default: byTier } });
    await lab.seen(0);
    for (const tier of tiers) await lab.submit({ id: tier, list: `resp:${tier}`, queue: tier });
    for (const tier of tiers)
      await until(async () => (await lab.redis.zcard(tier)) === 0, { what: `${tier} to be taken` });
    gateway.release();
    for (const tier of tiers) await lab.result(`resp:${tier}`);
    const seen = await Promise.all([1, 2, 3].map((i) => lab.seen(i)));
    expect(seen.map(({ headers }) => headers.get("x-gateway-priority"))).toEqual(["3", "4", "5"]);
  });
});
