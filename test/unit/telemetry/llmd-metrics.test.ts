import { describe, expect, it } from "vitest";
import { type EngineSample, Metrics, type RankSample } from "../../../src/telemetry/index.ts";

const setup = { names: "current", pool: "my-pool", maxFairnessIds: 2 } as const;

function llmd(names: "current" | "deprecated" | "both" = "current") {
  const all = new Metrics({ models: ["m"], version: "1", llmd: { ...setup, names } });
  if (all.llmd === undefined) throw new Error("llm-d's names are on");
  return { all, llmd: all.llmd };
}

const request = { model: "m", fairnessId: "team-a", priority: 5 };
const labels = 'model_name="m",target_model_name="m",fairness_id="team-a",priority="5"';

describe("llm-d's names", () => {
  it("are not served unless they are wanted", async () => {
    const all = new Metrics({ models: ["m"], version: "1" });
    expect(all.llmd).toBeUndefined();
    expect(await all.render()).not.toMatch(/^(llm_d|inference)_/m);
  });

  it("follow a request from its arrival to its end", async () => {
    const { all, llmd: series } = llmd();
    const own = series.labelsOf(request);
    series.began(own, 2_000);
    series.placed(own);
    expect(await all.render()).toContain(`llm_d_epp_request_running{${labels}} 1\n`);
    series.used(own, { inputTokens: 100, cachedTokens: 64 }, 10, 2_000);
    series.ended(own, 2_500);
    const text = await all.render();
    for (const line of [
      `llm_d_epp_request_total{${labels}} 1`,
      `llm_d_epp_request_running{${labels}} 0`,
      `llm_d_epp_request_size_bytes_sum{${labels}} 2000`,
      `llm_d_epp_request_input_tokens_sum{${labels}} 100`,
      `llm_d_epp_request_cached_tokens_sum{${labels}} 64`,
      `llm_d_epp_request_output_tokens_sum{${labels}} 10`,
      `llm_d_epp_request_ntpot_seconds_sum{${labels}} 0.2`,
      `llm_d_epp_request_duration_seconds_sum{${labels}} 2.5`,
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it.each([
    { status: 400, code: "BadRequest" },
    { status: 413, code: "BadRequest" },
    { status: 404, code: "NotFound" },
    { status: 429, code: "ResourceExhausted" },
    { status: 500, code: "Internal" },
    { status: 503, code: "ServiceUnavailable" },
  ])("call an answer $status $code", async ({ status, code }) => {
    const { all, llmd: series } = llmd();
    series.failed(series.labelsOf(request), status);
    expect(await all.render()).toContain(`llm_d_epp_request_error_total{${labels},error_code="${code}"} 1\n`);
  });

  it("have as many fairness ids and models as the settings say, whatever clients send", async () => {
    const { all, llmd: series } = llmd();
    for (let i = 0; i < 50; i++) series.began(series.labelsOf({ model: `m${i}`, fairnessId: `f${i}`, priority: 0 }), 1);
    const lines = (await all.render()).split("\n").filter((line) => line.startsWith("llm_d_epp_request_total{"));
    expect(lines.map((line) => line.replace(/.*fairness_id="([^"]*)".* (\d+)$/, "$1 $2"))).toEqual([
      "f0 1",
      "f1 1",
      "other 48",
    ]);
    expect(lines.every((line) => line.includes('model_name="other"'))).toBe(true);
  });

  it("are the earlier ones, or both, where that is wanted", async () => {
    const deprecated = llmd("deprecated");
    deprecated.llmd.began(deprecated.llmd.labelsOf(request), 1);
    const text = await deprecated.all.render();
    expect(text).toContain(`inference_objective_request_total{${labels}} 1\n`);
    expect(text).not.toContain("llm_d_epp_");
    const both = llmd("both");
    both.llmd.scored(3);
    const lines = await both.all.render();
    expect(lines).toContain("inference_extension_scheduler_e2e_duration_seconds_sum 0.003\n");
    expect(lines).toContain("llm_d_epp_scheduler_e2e_duration_seconds_sum 0.003\n");
  });
});

describe("the pool by llm-d's names", () => {
  const rank: RankSample = {
    worker: "w",
    dpRank: 0,
    isEligible: true,
    activeRequests: 0,
    activePrefillTokens: 0,
    activeDecodeBlocks: 0,
  };

  async function page(engines: readonly (EngineSample | undefined)[]): Promise<string> {
    const { all } = llmd("both");
    all.sample({
      ranks: () => engines.map((engine, dpRank) => ({ ...rank, dpRank, isEligible: dpRank !== 1, engine })),
      models: () => [],
      reservations: () => ({ booked: 0, leases: 0, leaseEnds: {} }),
      queued: 0,
      sessions: 0,
    });
    return all.render();
  }

  it("is averaged over the engines that report", async () => {
    const engine = { runningRequests: 4, waitingRequests: 2, kvUsage: 0.25 };
    const text = await page([engine, { runningRequests: 8, waitingRequests: 2, kvUsage: undefined }, undefined]);
    for (const line of [
      'llm_d_epp_average_running_requests{name="my-pool"} 6',
      'llm_d_epp_std_dev_running_requests{name="my-pool"} 2',
      'llm_d_epp_average_queue_size{name="my-pool"} 2',
      'llm_d_epp_average_kv_cache_utilization{name="my-pool"} 0.25',
      'llm_d_epp_ready_endpoints{name="my-pool"} 2',
      'inference_pool_average_queue_size{name="my-pool"} 2',
      'inference_pool_ready_pods{name="my-pool"} 2',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it("has no averages where no engine reports, and still tells who is ready", async () => {
    const text = await page([undefined]);
    expect(text).not.toMatch(/^(llm_d_epp|inference_pool)_average_\w+\{/m);
    expect(text).toContain('llm_d_epp_ready_endpoints{name="my-pool"} 1\n');
  });
});
