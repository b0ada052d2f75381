import { describe, expect, it } from "vitest";
import { resolveDisaggregation } from "../../../src/router/index.ts";
import { completion, fixture, request } from "./fixture.ts";

const signal = new AbortController().signal;
const prefill = { name: "p", endpoint: "10.0.0.1:80", id: "1", role: "prefill" as const };
const decode = { name: "d", endpoint: "10.0.0.2:80", id: "2", role: "decode" as const };
const both = { name: "b", endpoint: "10.0.0.3:80", id: "3", role: "aggregated" as const };
const encode = { name: "e", endpoint: "10.0.0.4:80", id: "4", role: "encode" as const };

type Setup = Parameters<typeof fixture>[0];

async function placed(setup: Setup, text = "abcdefgh", more = {}) {
  const made = fixture(setup);
  const decision = await made.router.route({ ...completion(text, more), trustClient: true }, signal);
  const { prefill: pair, aggregatedReason } = decision.selection;
  return { ...made, decision, prefill: pair?.rank.worker.name, reason: aggregatedReason, endpoint: decision.endpoint };
}

const conditional = (maxLocalPrefillTokens: number, maxLocalPrefillRatio = 0) => ({
  disaggregation: resolveDisaggregation({ maxLocalPrefillTokens, maxLocalPrefillRatio }),
});

describe("which requests are split", () => {
  it("all with a prompt, by default", async () => {
    expect(await placed({ workers: [prefill, decode] }, "a")).toMatchObject({ prefill: "p", reason: undefined });
  });

  it("none without a prompt", async () => {
    const { router } = fixture({ workers: [prefill, decode] });
    const { selection } = await router.route(request("/v1/models", ""), signal);
    expect(selection).toMatchObject({ prefill: undefined, aggregatedReason: "no_prompt" });
  });

  it("none where nobody prefills alone", async () => {
    expect(await placed({ workers: [decode] })).toMatchObject({ prefill: undefined, reason: "no_prefill_worker" });
  });

  it("none whose prefill workers are all away", async () => {
    const { router, catalogue } = fixture({ workers: [prefill, decode] });
    for (const worker of catalogue.workers()) if (worker.name === "p") catalogue.setDraining(worker, true);
    const { selection } = await router.route(completion("abcdefgh"), signal);
    expect(selection.aggregatedReason).toBe("no_prefill_worker");
  });

  it.each([
    { name: "short prompts stay on one worker", text: "abcdefg", reason: "short_prefill" },
    { name: "longer ones are split", text: "abcdefgh", reason: undefined },
  ])("$name", async ({ text, reason }) => {
    expect((await placed({ workers: [prefill, decode], options: conditional(8) }, text)).reason).toBe(reason);
  });

  it.each([
    { name: "what the decode worker mostly holds stays there", held: "abcdefgh", reason: "short_prefill" },
    { name: "what it holds too little of is split", held: "abcd", reason: undefined },
  ])("$name", async ({ held, reason }) => {
    const { router, hold } = fixture({ workers: [prefill, decode], options: conditional(8) });
    hold("d", held);
    const { selection, endpoint } = await router.route(completion("abcdefghijkl"), signal);
    expect(selection.aggregatedReason).toBe(reason);
    expect(endpoint).toBe("10.0.0.2:80");
  });

  it.each([
    { ratio: 0.7, held: "abcd", reason: "short_prefill" },
    { ratio: 0.7, held: "", reason: undefined },
    { ratio: 0, held: "", reason: "short_prefill" },
  ])("with the ratio $ratio and $held held: $reason", async ({ ratio, held, reason }) => {
    const { router, hold } = fixture({ workers: [prefill, decode], options: conditional(100, ratio) });
    if (held !== "") hold("d", held);
    const { selection } = await router.route(completion("abcdefgh"), signal);
    expect(selection.aggregatedReason).toBe(reason);
  });
});

describe("which workers make a pair", () => {
  it("one that only decodes, where there is one", async () => {
    expect(await placed({ workers: [prefill, decode, both] })).toMatchObject({ endpoint: "10.0.0.2:80", prefill: "p" });
  });

  it("else one that does all", async () => {
    expect(await placed({ workers: [prefill, both] })).toMatchObject({ endpoint: "10.0.0.3:80", prefill: "p" });
  });

  it("never one that encodes", async () => {
    expect(await placed({ workers: [encode, both] })).toMatchObject({ endpoint: "10.0.0.3:80", prefill: undefined });
    await expect(placed({ workers: [encode] })).rejects.toMatchObject({ code: "no_endpoints" });
  });

  it("of one zone, where that is required; else the decode worker does it all", async () => {
    const topology = { label: "zone", enforcement: "require" as const, crossDomainWeight: 1 };
    const options = { disaggregation: resolveDisaggregation({ topology }) };
    const near = { ...decode, name: "n", id: "5", endpoint: "10.0.0.5:80", labels: { zone: "x" } };
    const workers = [
      { ...prefill, labels: { zone: "x" } },
      { ...decode, labels: { zone: "y" } },
    ];
    expect(await placed({ workers: [...workers, near], options })).toMatchObject({
      endpoint: near.endpoint,
      prefill: "p",
    });
    expect(await placed({ workers, options })).toMatchObject({ prefill: undefined, reason: "no_pair" });
  });

  it("the prefill worker by overlap and queue, the decode worker by load", async () => {
    const second = { ...prefill, name: "q", id: "5", endpoint: "10.0.0.5:80" };
    const idle = { ...decode, name: "i", id: "6", endpoint: "10.0.0.6:80" };
    const { router, hold, loads, catalogue } = fixture({ workers: [prefill, second, decode, idle] });
    hold("q", "abcdefgh");
    hold("d", "abcdefgh");
    const slot = catalogue.byEndpoint("10.0.0.2:80")?.ranks[0]?.slot ?? -1;
    loads.reserve(slot, { promptTokens: 4, cachedTokens: 4, sequence: Uint32Array.of(1, 1), count: 1 });
    const { selection, endpoint } = await router.route(completion("abcdefgh"), signal);
    expect(selection.prefill?.rank.worker.name).toBe("q");
    expect(endpoint).toBe("10.0.0.6:80");
  });
});

describe("workers that a trusted client names", () => {
  const second = { ...prefill, name: "q", id: "5", endpoint: "10.0.0.5:80" };
  const workers = [prefill, second, decode, { ...decode, name: "i", id: "6", endpoint: "10.0.0.6:80" }];

  it.each([
    { nvext: { prefill_worker_id: 5, decode_worker_id: 6 }, endpoint: "10.0.0.6:80", prefill: "q" },
    { nvext: { prefill_worker_id: 5 }, endpoint: "10.0.0.2:80", prefill: "q" },
    { nvext: { decode_worker_id: 6 }, endpoint: "10.0.0.6:80", prefill: "p" },
    { nvext: { backend_instance_id: 6 }, endpoint: "10.0.0.6:80", prefill: undefined },
  ])("serve it: $nvext", async ({ nvext, endpoint, prefill: name }) => {
    expect(await placed({ workers }, "abcdefgh", { nvext })).toMatchObject({ endpoint, prefill: name });
  });

  it("are not replaced by others", async () => {
    const gone = placed({ workers }, "abcdefgh", { nvext: { prefill_worker_id: 99 } });
    await expect(gone).rejects.toMatchObject({ code: "no_endpoints" });
  });
});

describe("properties that a trusted client asks for", () => {
  const workers = [
    { ...both, taints: ["gpu-a"] },
    { ...both, name: "c", id: "7", endpoint: "10.0.0.7:80", taints: ["gpu-b", "eu"] },
  ];

  it.each([
    { constraints: { required_taints: ["gpu-b"] }, endpoint: "10.0.0.7:80" },
    { constraints: { required_taints: ["gpu-a"] }, endpoint: "10.0.0.3:80" },
    { constraints: { preferred_taints: { eu: 1 } }, endpoint: "10.0.0.7:80" },
    { constraints: { preferred_taints: { eu: -1 } }, endpoint: "10.0.0.3:80" },
  ])("are honoured: $constraints", async ({ constraints, endpoint }) => {
    expect((await placed({ workers }, "abcd", { nvext: { routing_constraints: constraints } })).endpoint).toBe(
      endpoint,
    );
  });

  it("that no worker has leave no worker", async () => {
    const constraints = { required_taints: ["gpu-a", "eu"] };
    const none = placed({ workers }, "abcd", { nvext: { routing_constraints: constraints } });
    await expect(none).rejects.toMatchObject({ code: "no_endpoints" });
  });

  it.each(["/v1/embeddings", "/v1/completions"])("count on %s", async (path) => {
    const { router } = fixture({ workers });
    const body = '{"model":"m","prompt":"abcd","nvext":{"routing_constraints":{"required_taints":["eu"]}}}';
    const decision = await router.route({ ...request(path, body), trustClient: true }, signal);
    expect(decision.endpoint).toBe("10.0.0.7:80");
  });

  it("are refused from any other client", async () => {
    const { router } = fixture({ workers });
    const asked = completion("abcd", { nvext: { routing_constraints: { required_taints: ["eu"] } } });
    await expect(router.route(asked, signal)).rejects.toMatchObject({
      code: "invalid_request",
      field: "nvext.routing_constraints",
    });
    const empty = completion("abcd", { nvext: { routing_constraints: { required_taints: [], preferred_taints: {} } } });
    expect((await router.route(empty, signal)).endpoint).toBeDefined();
  });

  it.each([
    { body: '"required_taints":5', field: "nvext.routing_constraints.required_taints" },
    { body: '"taints":[]', field: "nvext.routing_constraints.taints" },
  ])("are refused where malformed, on any path: $body", async ({ body, field }) => {
    const { router } = fixture({ workers });
    const asked = request("/v1/embeddings", `{"model":"m","nvext":{"routing_constraints":{${body}}}}`);
    await expect(router.route({ ...asked, trustClient: true }, signal)).rejects.toMatchObject({
      code: "invalid_request",
      field,
    });
  });

  it("are bounded in number", async () => {
    const many = Array.from({ length: 65 }, (_, i) => `t${i}`);
    const asked = placed({ workers }, "abcd", { nvext: { routing_constraints: { required_taints: many } } });
    await expect(asked).rejects.toMatchObject({ code: "invalid_request", field: "nvext.routing_constraints" });
  });
});
