import { describe, expect, it } from "vitest";
import { completion, fixture, request } from "./fixture.ts";

const twoWorkers = [
  { name: "a", endpoint: "10.0.0.1:80", id: "11" },
  { name: "b", endpoint: "10.0.0.2:80", id: "18446744073709551615" },
];
const signal = new AbortController().signal;

describe("placing a request", () => {
  it("goes where the longest prefix is held, and says how much of it", async () => {
    const { router, hold } = fixture({ workers: twoWorkers });
    hold("a", "aaaa");
    hold("b", "aaaabbbb");
    const decision = await router.route(completion("aaaabbbbccc"), signal);
    expect(decision).toMatchObject({ endpoint: "10.0.0.2:80", inputTokens: 11, predictedCachedTokens: 8 });
  });

  it("spreads simultaneous requests of one prompt: each choice is charged before the next is made", async () => {
    const { router } = fixture({ workers: twoWorkers });
    const decisions = await Promise.all(Array.from({ length: 8 }, () => router.route(completion("abcdefgh"), signal)));
    const onA = decisions.filter((decision) => decision.endpoint === "10.0.0.1:80").length;
    expect(onA).toBe(4);
  });

  it("charges a worker until the request is released", async () => {
    const { router, loads } = fixture({ workers: twoWorkers.slice(0, 1) });
    const { reservation } = await router.route(completion("abcdefgh"), signal);
    expect(loads.activePrefillTokens(0)).toBe(8);
    expect(loads.activeDecodeBlocks(0)).toBe(2);
    reservation.prefillComplete();
    expect(loads.activePrefillTokens(0)).toBe(0);
    reservation.release();
    reservation.release();
    expect(loads.activeDecodeBlocks(0)).toBe(0);
    expect(loads.activeRequests(0)).toBe(0);
  });

  it("books nothing for a client that left while its prompt was tokenized", async () => {
    const { router, loads } = fixture({ workers: twoWorkers });
    const gone = new AbortController();
    const routed = router.route(completion("abcd"), gone.signal);
    gone.abort(new Error("client left"));
    await expect(routed).rejects.toThrow("client left");
    expect(loads.reservationCount).toBe(0);
  });

  it("moves the load to the worker that served instead", async () => {
    const { router, loads, catalogue } = fixture({ workers: twoWorkers });
    const decision = await router.route(completion("abcdefgh"), signal);
    const other = [...catalogue.workers()].find((worker) => worker.endpoint !== decision.endpoint);
    expect(decision.reservation.servedBy(decision.endpoint)).toBe(false);
    expect(decision.reservation.servedBy(other?.endpoint ?? "")).toBe(true);
    expect(loads.activeRequests(other?.ranks[0]?.slot ?? -1)).toBe(1);
    expect(loads.activeRequests(catalogue.byEndpoint(decision.endpoint)?.ranks[0]?.slot ?? -1)).toBe(0);
  });

  it("reports a server that is in no catalogue as another one", async () => {
    const { router } = fixture({ workers: twoWorkers });
    const { reservation } = await router.route(completion("abcd"), signal);
    expect(reservation.servedBy("10.9.9.9:80")).toBe(true);
  });
});

describe("who may be picked", () => {
  it.each([
    { name: "an endpoint", subset: ["10.0.0.2:80"], endpoint: "10.0.0.2:80" },
    { name: "an address", subset: ["10.0.0.2"], endpoint: "10.0.0.2:80" },
  ])("is never outside of a subset hint by $name", async ({ subset, endpoint }) => {
    const { router, hold } = fixture({ workers: twoWorkers });
    hold("a", "abcdefgh");
    const decision = await router.route({ ...completion("abcdefgh"), subset }, signal);
    expect(decision.endpoint).toBe(endpoint);
  });

  it.each([{ subset: [] }, { subset: ["10.9.9.9"] }])("nobody matches $subset: no endpoints", async ({ subset }) => {
    const { router } = fixture({ workers: twoWorkers });
    await expect(router.route({ ...completion("a"), subset }, signal)).rejects.toMatchObject({ code: "no_endpoints" });
    const headersOnly = { ...request("/v1/models", ""), subset };
    await expect(router.route(headersOnly, signal)).rejects.toMatchObject({ code: "no_endpoints" });
  });

  it("is a healthy worker; none at all is no endpoints", async () => {
    const { router, catalogue } = fixture({ workers: twoWorkers });
    const [a, b] = [...catalogue.workers()];
    if (a === undefined || b === undefined) throw new Error("two workers are configured");
    catalogue.setHealth(a, "unhealthy");
    expect((await router.route(completion("abcd"), signal)).endpoint).toBe(b.endpoint);
    catalogue.setHealth(b, "unhealthy");
    await expect(router.route(completion("abcd"), signal)).rejects.toMatchObject({ code: "no_endpoints" });
  });

  it("is the worker that a trusted client pinned, by its exact u64 id", async () => {
    const { router } = fixture({ workers: twoWorkers });
    const body = '{"model":"m","prompt":"abcd","nvext":{"backend_instance_id":18446744073709551615}}';
    const decision = await router.route({ ...request("/v1/completions", body), trustClient: true }, signal);
    expect(decision.endpoint).toBe("10.0.0.2:80");
  });
});

describe("routing headers and fallbacks", () => {
  it("names the worker to a Dynamo frontend, and offers no second choice", async () => {
    const { router } = fixture({ workers: twoWorkers.slice(0, 1), options: { maxFallbacks: 2 } });
    const decision = await router.route(completion("abcd"), signal);
    expect(decision.headers).toEqual([
      ["x-dynamo-worker-instance-id", "11"],
      ["x-dynamo-dp-rank", "0"],
      ["x-dynamo-routing-mode", "aggregated"],
    ]);
    expect(decision.fallbacks).toEqual([]);
  });

  it("lists the next best workers for engines, as many as the setting allows", async () => {
    const workers = [...twoWorkers, { name: "c", endpoint: "10.0.0.3:80" }];
    const { router, hold } = fixture({ workers, profile: "vllm", options: { maxFallbacks: 2 } });
    hold("c", "abcdefgh");
    hold("b", "abcd");
    const decision = await router.route(completion("abcdefgh"), signal);
    expect([decision.endpoint, ...decision.fallbacks]).toEqual(["10.0.0.3:80", "10.0.0.2:80", "10.0.0.1:80"]);
    expect(decision.headers).toEqual([]);
  });

  it("sends the dp rank only to workers that ask for it", async () => {
    const workers = [{ name: "a", endpoint: "10.0.0.1:80", dpRankStart: 2, dpSize: 2, sendsDataParallelRank: true }];
    const { router } = fixture({ workers, profile: "vllm" });
    const ranks = await Promise.all([
      router.route(completion("abcd"), signal),
      router.route(completion("abcd"), signal),
    ]);
    expect(ranks.map(({ headers }) => headers)).toEqual(
      expect.arrayContaining([[["x-data-parallel-rank", "2"]], [["x-data-parallel-rank", "3"]]]),
    );
  });
});

describe("prefill and decode apart", () => {
  const pair = [
    { name: "p", endpoint: "10.0.0.1:80", id: "1", role: "prefill" as const },
    { name: "d", endpoint: "10.0.0.2:80", id: "2", role: "decode" as const, sendsPrefillHost: true },
  ];

  it("books the prompt on the one and the blocks on the other", async () => {
    const { router, loads, catalogue } = fixture({ workers: pair });
    const slotOf = (endpoint: string) => catalogue.byEndpoint(endpoint)?.ranks[0]?.slot ?? -1;
    const [p, d] = [slotOf("10.0.0.1:80"), slotOf("10.0.0.2:80")];
    const decision = await router.route(completion("abcdefgh"), signal);
    expect(decision.endpoint).toBe("10.0.0.2:80");
    expect(Object.fromEntries(decision.headers)).toMatchObject({
      "x-dynamo-routing-mode": "disaggregated",
      "x-dynamo-worker-instance-id": "2",
      "x-dynamo-prefill-instance-id": "1",
      "x-dynamo-prefill-dp-rank": "0",
    });
    expect([loads.activePrefillTokens(p), loads.activePrefillTokens(d)]).toEqual([8, 0]);
    decision.reservation.prefillComplete();
    expect(loads.activeRequests(p)).toBe(0);
    expect(loads.activeDecodeBlocks(d)).toBe(2);
    decision.reservation.release();
    expect(loads.reservationCount).toBe(0);
  });

  it("names the prefill worker to an engine's sidecar that asks for it", async () => {
    const { router } = fixture({ workers: pair, profile: "vllm" });
    const decision = await router.route(completion("abcdefgh"), signal);
    expect(decision.headers).toEqual([["x-prefiller-host-port", "10.0.0.1:80"]]);
  });

  it("frees the prefill worker when nobody can decode", async () => {
    const { router, loads } = fixture({ workers: pair.slice(0, 1) });
    await expect(router.route(completion("abcdefgh"), signal)).rejects.toMatchObject({ code: "no_endpoints" });
    expect(loads.reservationCount).toBe(0);
  });
});
