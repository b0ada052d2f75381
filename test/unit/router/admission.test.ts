import { describe, expect, it } from "vitest";
import { AdmissionQueue } from "../../../src/load/index.ts";
import { flowOf } from "../../../src/router/flow.ts";
import { FakeTimers } from "../load/admission/fake-timers.ts";
import { completion, fixture, headers } from "./fixture.ts";

const never = new AbortController().signal;
const workers = ["a", "b"].map((name, i) => ({ name, endpoint: `10.0.0.${i + 1}:80` }));

function setup(thresholds = {}, isQueueing = true) {
  const timers = new FakeTimers();
  const queue = new AdmissionQueue(
    { maxQueued: 4, maxWaitMs: 1_000 },
    { now: () => timers.now(), after: (ms, task) => timers.after(ms, task), waited: () => undefined },
  );
  const made = fixture({
    workers,
    thresholds: { maxPrefillTokens: 0, maxKvUsage: 0, maxRequests: 1, ...thresholds },
    ...(isQueueing ? { queue } : {}),
    options: {
      admission: {
        priorities: new Map([
          ["batch", -1],
          ["chat", 5],
        ]),
      },
    },
  });
  made.loads.onLoadFell(() => queue.loadFell());
  made.catalogue.subscribe({ onUpdated: () => queue.loadFell() });
  const ask = (text: string, sent: Record<string, string> = {}, more = {}) =>
    made.router.route({ ...completion(text), headers: headers(sent), ...more }, never);
  return { ...made, timers, queue, ask };
}

describe("admission of requests", () => {
  it("gives no worker more than its limit, and says which were over it", async () => {
    const { ask, decisions } = setup({}, false);
    const endpoints = await Promise.all(["x", "y"].map(async (text) => (await ask(text)).endpoint));
    expect(new Set(endpoints).size).toBe(2);
    await expect(ask("z", { "x-request-id": "r" })).rejects.toMatchObject({ code: "saturated" });
    const { answering } = decisions.find(decisions.recent(1, "r")[0]?.number ?? 0)?.explanation ?? {};
    expect(answering?.candidates.map(({ exclusion }) => exclusion)).toEqual(["overloaded", "overloaded"]);
  });

  it("holds requests until one is over", async () => {
    const { ask, queue, decisions } = setup();
    const running = await Promise.all([ask("x"), ask("y")]);
    const waiting = ask("z", { "x-request-id": "r" });
    await expect.poll(() => queue.size).toBe(1);
    running[0]?.reservation.release();
    expect((await waiting).endpoint).toBe(running[0]?.endpoint);
    expect(decisions.recent(9).map(({ outcome }) => outcome)).toEqual(["picked", "picked", "picked"]);
  });

  it("holds requests until a prompt is prefilled", async () => {
    const { ask, queue } = setup({ maxRequests: 0, maxPrefillTokens: 3 });
    const running = await Promise.all([ask("abcdef"), ask("ghijkl")]);
    const waiting = ask("mnop");
    await expect.poll(() => queue.size).toBe(1);
    running[1]?.reservation.prefillComplete();
    expect((await waiting).endpoint).toBe(running[1]?.endpoint);
  });

  it("looks again when a worker comes back", async () => {
    const { ask, queue, catalogue } = setup();
    const [a] = [...catalogue.workers()];
    if (a === undefined) throw new Error("two workers are configured");
    catalogue.setDraining(a, true);
    await ask("x");
    const waiting = ask("y");
    await expect.poll(() => queue.size).toBe(1);
    catalogue.setDraining(a, false);
    expect((await waiting).endpoint).toBe(a.endpoint);
  });

  it("logs a wait in vain once, with who was busy", async () => {
    const { ask, queue, timers, decisions } = setup();
    await Promise.all([ask("x"), ask("y")]);
    const waiting = ask("z", { "x-request-id": "r" });
    await expect.poll(() => queue.size).toBe(1);
    queue.loadFell();
    timers.advance(1_000);
    await expect(waiting).rejects.toMatchObject({ code: "queue_timeout" });
    expect(decisions.recent(9).map(({ outcome }) => outcome)).toEqual(["queue_timeout", "picked", "picked"]);
  });

  it("goes by the objective's priority; batch work does not wait", async () => {
    const { ask, queue } = setup();
    const running = await Promise.all([ask("x"), ask("y")]);
    const first = ask("1");
    await expect.poll(() => queue.size).toBe(1);
    const chat = ask("2", { "x-gateway-inference-objective": "chat" });
    await expect.poll(() => queue.size).toBe(2);
    await expect(ask("3", { "x-llm-d-inference-objective": "batch" })).rejects.toMatchObject({ code: "saturated" });
    running[0]?.reservation.release();
    (await chat).reservation.release();
    await first;
  });

  it("does not hold up others for one that may go only where it is full", async () => {
    const { ask, queue } = setup();
    const running = await Promise.all([ask("x"), ask("y")]);
    const [endpoint = "", other = ""] = running.map((decision) => decision.endpoint);
    const picky = ask("1", {}, { subset: [endpoint] });
    await expect.poll(() => queue.size).toBe(1);
    const plain = ask("2", { "x-llm-d-inference-fairness-id": "g" });
    await expect.poll(() => queue.size).toBe(2);
    running[1]?.reservation.release();
    expect((await plain).endpoint).toBe(other);
    running[0]?.reservation.release();
    expect((await picky).endpoint).toBe(endpoint);
  });
});

describe("the flow of a request", () => {
  const priorities = new Map([["chat", 5]]);

  it.each([
    [{}, { priority: 0, fairnessId: "default-flow" }],
    [{ "x-gateway-inference-objective": "chat" }, { priority: 5, fairnessId: "default-flow" }],
    [{ "x-gateway-inference-objective": "unheard" }, { priority: 0, fairnessId: "default-flow" }],
    [
      { "x-llm-d-inference-objective": "none", "x-gateway-inference-objective": "chat" },
      { priority: 0, fairnessId: "default-flow" },
    ],
    [{ "x-gateway-inference-fairness-id": "t1" }, { priority: 0, fairnessId: "t1" }],
    [
      { "x-llm-d-inference-fairness-id": "t2", "x-gateway-inference-fairness-id": "t1" },
      { priority: 0, fairnessId: "t2" },
    ],
    [{ "x-llm-d-inference-fairness-id": " " }, { priority: 0, fairnessId: "default-flow" }],
  ])("with %o is %o", (sent, flow) => {
    expect(flowOf(headers(sent as Record<string, string>), priorities)).toEqual(flow);
  });

  it("cuts off an id that a client made long", () => {
    expect(flowOf(headers({ "x-llm-d-inference-fairness-id": "x".repeat(999) }), priorities).fairnessId).toHaveLength(
      128,
    );
  });
});
