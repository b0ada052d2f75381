import { describe, expect, it } from "vitest";
import type { HandoverSettings } from "../../../src/fleet/index.ts";
import { resolveDisaggregation } from "../../../src/router/index.ts";
import { completion, fixture, request } from "./fixture.ts";

const signal = new AbortController().signal;

function handover(servesAlone: boolean): HandoverSettings {
  return {
    protocol: servesAlone ? "nixl" : "sglang",
    bootstrapHost: undefined,
    bootstrapPort: undefined,
    engineId: undefined,
    handshakePort: 1,
    notifyPort: 2,
    tpSize: undefined,
    ignoredOn: new Set(),
    servesAlone,
  };
}

function worker(name: string, role: "prefill" | "decode" | "aggregated", servesAlone = false) {
  const own = role === "aggregated" ? {} : { handover: handover(servesAlone) };
  return { name, endpoint: `10.0.0.${name.charCodeAt(0)}:80`, role, ...own };
}

const [p, d, a] = [worker("p", "prefill"), worker("d", "decode"), worker("a", "aggregated")];
const aggregated = { isAggregated: true } as const;

describe("a decode worker that cannot serve alone", () => {
  it("gets nothing when nobody can prefill", async () => {
    const { router, loads } = fixture({ workers: [d] });
    await expect(router.route(completion("abcdefgh"), signal)).rejects.toMatchObject({ code: "no_endpoints" });
    expect(loads.reservationCount).toBe(0);
  });

  it("leaves what one worker has to serve to those that can", async () => {
    const { router } = fixture({ workers: [p, d, a] });
    const prepared = await router.prepare(completion("abcdefgh"), { signal });
    const whole = { ...prepared, demands: { ...prepared.demands, ...aggregated } };
    for (let i = 0; i < 4; i++) expect(router.place(whole, completion("abcdefgh")).endpoint).toBe(a.endpoint);
  });

  it("keeps short prompts split where nobody else could serve them", async () => {
    const disaggregation = resolveDisaggregation({ maxLocalPrefillTokens: 1_000 });
    const split = await fixture({ workers: [p, d], options: { disaggregation } }).router.route(
      completion("ab"),
      signal,
    );
    expect(split.selection.prefill?.rank.worker.name).toBe("p");
    const local = await fixture({ workers: [p, d, a], options: { disaggregation } }).router.route(
      completion("ab"),
      signal,
    );
    expect([local.endpoint, local.selection.aggregatedReason]).toEqual([a.endpoint, "short_prefill"]);
  });

  it("is unlike one that can", async () => {
    const able = worker("e", "decode", true);
    const { router } = fixture({ workers: [able] });
    expect((await router.route(completion("abcdefgh"), signal)).endpoint).toBe(able.endpoint);
  });
});

describe("a request without a known prompt", () => {
  const load = request("/generate", '{"text":"hi"}');

  it("is split by load when its caller says that it generates", async () => {
    const { router, loads } = fixture({ workers: [p, d] });
    const prepared = await router.prepare(load, { signal });
    const decision = router.place({ ...prepared, demands: { ...prepared.demands, split: "by_load" } }, load);
    expect(decision.selection.prefill?.rank.worker.name).toBe("p");
    expect(loads.reservationCount).toBe(2);
    decision.reservation.release();
    expect(loads.reservationCount).toBe(0);
  });

  it("goes to one prefill worker when it is work of such a one, and to another where there is none", async () => {
    const prepared = await fixture({ workers: [] }).router.prepare(load, { signal });
    const only = { ...prepared, demands: { ...prepared.demands, split: "prefill_only" as const } };
    const decision = fixture({ workers: [p, d, a] }).router.place(only, load);
    expect([decision.endpoint, decision.selection.prefill]).toEqual([p.endpoint, undefined]);
    expect(fixture({ workers: [a] }).router.place(only, load).endpoint).toBe(a.endpoint);
  });
});

describe("a request that only one worker can answer", () => {
  it("is prefilled by any", async () => {
    const others = [worker("q", "prefill"), worker("e", "decode"), worker("f", "decode")];
    const { router } = fixture({ workers: [p, d, ...others] });
    for (let i = 0; i < 4; i++) {
      const asked = { ...completion("abcdefgh"), answeringEndpoint: d.endpoint };
      const { endpoint, selection } = await router.route(asked, signal);
      expect(endpoint).toBe(d.endpoint);
      expect(selection.prefill).toBeDefined();
    }
  });

  it("is refused when that worker is gone", async () => {
    const { router } = fixture({ workers: [p, d] });
    const asked = { ...completion("abcdefgh"), answeringEndpoint: "10.9.9.9:1" };
    await expect(router.route(asked, signal)).rejects.toMatchObject({ code: "no_endpoints" });
  });
});
