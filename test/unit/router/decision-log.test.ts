import { describe, expect, it } from "vitest";
import { DecisionLog } from "../../../src/router/index.ts";
import { completion, fixture, headers } from "./fixture.ts";

const signal = new AbortController().signal;
const workers = ["a", "b"].map((name, i) => ({ name, endpoint: `10.0.0.${i + 1}:80` }));

describe("the log of decisions", () => {
  const of = (decisions: DecisionLog, requestId: string) => {
    const [latest] = decisions.recent(1, requestId);
    return latest && decisions.find(latest.number);
  };
  const asked = (text: string, id: string) => ({ ...completion(text), headers: headers({ "x-request-id": id }) });

  it("keeps who was looked at, what each held and cost, and who was picked", async () => {
    const { router, decisions, hold } = fixture({ workers });
    hold("b", "abcdefgh");
    await router.route(asked("abcdefghij", "r1"), signal);
    const logged = of(decisions, "r1");
    expect(logged).toMatchObject({ number: 1, atMs: 1_000, requestId: "r1", outcome: "picked" });
    expect(logged).toMatchObject({ promptBlocks: 2, heldBlocks: 2 });
    const { answering, promptTokens, promptBlocks } = logged?.explanation ?? {};
    expect({ promptTokens, promptBlocks }).toEqual({ promptTokens: 10, promptBlocks: 2 });
    expect(answering?.candidates[answering.chosen ?? -1]).toMatchObject({
      workerName: "b",
      overlapBlocks: { device: 2, host: 0, disk: 0 },
      terms: { cost: 2.5 },
    });
  });

  it("keeps refusals, with what kept each worker out", async () => {
    const { router, decisions, catalogue } = fixture({ workers });
    const [a, b] = [...catalogue.workers()];
    if (a === undefined || b === undefined) throw new Error("two workers are configured");
    catalogue.setDraining(a, true);
    catalogue.setHealth(b, "unhealthy");
    await expect(router.route(asked("abcd", "r1"), signal)).rejects.toMatchObject({ code: "no_endpoints" });
    const logged = of(decisions, "r1");
    expect(logged?.outcome).toBe("no_endpoints");
    expect(logged?.explanation.answering.candidates.map(({ exclusion }) => exclusion).sort()).toEqual([
      "draining",
      "unhealthy",
    ]);
    expect(logged?.explanation.answering.chosen).toBeUndefined();
  });

  it("shows both halves of a pair, and what the distance between them costs", async () => {
    const pair = [
      { name: "p", endpoint: "10.0.1.1:80", role: "prefill" as const, labels: { zone: "x" } },
      { name: "d", endpoint: "10.0.1.2:80", role: "decode" as const, labels: { zone: "y" } },
    ];
    const disaggregation = {
      maxLocalPrefillTokens: 0,
      maxLocalPrefillRatio: 0,
      topology: { label: "zone", enforcement: "prefer" as const, crossDomainWeight: 3 },
    };
    const { router, decisions } = fixture({ workers: pair, options: { disaggregation } });
    await router.route(asked("abcdefgh", "r1"), signal);
    const { answering, prefill } = of(decisions, "r1")?.explanation ?? {};
    expect(prefill?.candidates.find(({ workerName }) => workerName === "p")).toMatchObject({ exclusion: undefined });
    expect(answering?.candidates.find(({ workerName }) => workerName === "d")).toMatchObject({ pairBlocks: 6 });
    expect(answering?.candidates.find(({ workerName }) => workerName === "p")).toMatchObject({
      exclusion: "wrong_role",
    });
  });

  it("keeps the latest ones, the newest first", async () => {
    const { router, decisions } = fixture({ workers });
    for (let i = 1; i <= 6; i++) (await router.route(asked("abcd", `r${i}`), signal)).reservation.release();
    expect(decisions.recent(2).map(({ requestId }) => requestId)).toEqual(["r6", "r5"]);
    expect(decisions.recent(99).map(({ number }) => number)).toEqual([6, 5, 4, 3]);
    expect(decisions.recent(0)).toEqual([]);
    expect(of(decisions, "r2")).toBeUndefined();
  });

  it("sums a decision up: when, about what, and who was picked", async () => {
    const { router, decisions } = fixture({ workers });
    await router.route(asked("abcd", "r1"), signal);
    const [summary] = decisions.recent(9);
    expect(summary).toMatchObject({ number: 1, atMs: 1_000, outcome: "picked", api: "completions", promptTokens: 4 });
    expect(summary?.picked).toMatchObject({ workerName: expect.stringMatching(/^[ab]$/), dpRank: 0 });
    expect(summary?.prefill).toBeUndefined();
    expect(decisions.find(1)).toMatchObject({ ...summary, explanation: { promptTokens: 4 } });
    expect([decisions.find(0), decisions.find(2), decisions.find(Number.NaN)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("keeps no queries, and nothing of the prompt but its lengths", async () => {
    const { router, decisions } = fixture({ workers });
    const prepared = await router.prepare(asked("\u4e01\u4e02\u4e03\u4e04\u4e05", "r1"));
    const anywhere = { subset: undefined, requestedEndpoints: undefined };
    const selection = router.select(prepared, anywhere);
    expect(decisions.recent(9)).toEqual([]);
    router.book(selection);
    const logged = of(decisions, "r1");
    const text = JSON.stringify(logged, (_, value) => (typeof value === "bigint" ? String(value) : value));
    const secrets = [...(prepared.prompt?.tokenIds ?? []), ...(prepared.hashes?.sequence ?? [])].filter(
      (n) => n > 9_999,
    );
    expect(secrets.length).toBeGreaterThan(5);
    for (const secret of [...secrets, "\u4e01"]) expect(text).not.toContain(String(secret));
  });

  it("cuts off a request id that a client made long", async () => {
    const { router, decisions } = fixture({ workers });
    await router.route(asked("abcd", "x".repeat(5_000)), signal);
    expect(decisions.recent(1)[0]?.requestId).toHaveLength(128);
  });

  it("is bounded by candidates as well", async () => {
    const { router } = fixture({ workers });
    const selection = router.select(await router.prepare(completion("abcd")), {
      subset: undefined,
      requestedEndpoints: undefined,
    });
    const explainable = {
      ...selection,
      api: "chat" as const,
      model: "m",
      promptTokens: 1,
      promptBlocks: 0,
      loadOnlyReason: undefined,
    };
    const log = new DecisionLog({ maxDecisions: 100, maxCandidates: 5 }, () => 0);
    for (let i = 0; i < 9; i++) log.add(undefined, "picked", explainable);
    expect(log.recent(100)).toHaveLength(2);
    const none = new DecisionLog({ maxDecisions: 0 }, () => 0);
    none.add(undefined, "picked", explainable);
    expect(none.recent(1)).toEqual([]);
  });

  it.each([{ maxDecisions: -1 }, { maxCandidates: Number.NaN }])("refuses the settings %o", (options) => {
    expect(() => new DecisionLog(options, () => 0)).toThrow(RangeError);
  });
});
