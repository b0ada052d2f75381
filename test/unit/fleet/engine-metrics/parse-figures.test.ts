import { describe, expect, it } from "vitest";
import { parseEngineFigures } from "../../../../src/fleet/engine-metrics/parse-figures.ts";

/** As vLLM 0.26 and SGLang 0.5 write their pages, shortened. */
const vllm = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-8B"} 5.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen3-8B"} 2.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="Qwen/Qwen3-8B",reason="capacity"} 2.0
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen3-8B"} 0.25
vllm:cache_config_info{block_size="16",cache_dtype="auto",engine="0",num_gpu_blocks="4000",num_gpu_blocks_override="None"} 1.0
process_cpu_seconds_total 12.5
`;
const sglangLabels = 'model_name="m",tp_rank="0",pp_rank="0",priority=""';
const sglang = `sglang:num_running_reqs{${sglangLabels}} 3.0
sglang:num_queue_reqs{${sglangLabels}} 7.0
sglang:token_usage{${sglangLabels}} 0.5
sglang:num_pages{${sglangLabels}} 62500.0
sglang:page_size{${sglangLabels}} 1.0
sglang:num_running_reqs{model_name="m",tp_rank="1",pp_rank="0",priority=""} 3.0
sglang:num_running_reqs{model_name="m",tp_rank="0",pp_rank="1",priority=""} 3.0
sglang:num_queue_reqs{model_name="m",tp_rank="0",pp_rank="0",priority="5"} 6.0
`;
const nothing = {
  runningRequests: undefined,
  waitingRequests: undefined,
  kvUsage: undefined,
  totalKvBlocks: undefined,
  blockTokens: undefined,
};

describe("an engine's metrics page", () => {
  it("of vLLM", () => {
    const figures = { runningRequests: 5, waitingRequests: 2, kvUsage: 0.25, totalKvBlocks: 4_000, blockTokens: 16 };
    expect([...parseEngineFigures(vllm)]).toEqual([[0, figures]]);
  });

  it("of SGLang, each rank of an engine and each priority counted once", () => {
    const figures = { runningRequests: 3, waitingRequests: 7, kvUsage: 0.5, totalKvBlocks: 62_500, blockTokens: 1 };
    expect([...parseEngineFigures(sglang)]).toEqual([[0, figures]]);
  });

  it.each([
    ['vllm:gpu_cache_usage_perc{model_name="m"} 0.35', { kvUsage: 0.35 }],
    ['sglang:cache_config_info{page_size="64",num_pages="100"} 1', { totalKvBlocks: 100, blockTokens: 64 }],
    ["vllm:num_requests_running 4", { runningRequests: 4 }],
    ["vllm:num_requests_running\t4\r", { runningRequests: 4 }],
    ["vllm:num_requests_running{} 4 1700000000000", { runningRequests: 4 }],
    [
      'vllm:num_requests_running{model_name="a"} 1\nvllm:num_requests_running{model_name="b"} 2',
      { runningRequests: 3 },
    ],
    ['vllm:kv_cache_usage_perc{model_name="a"} 0.1\nvllm:kv_cache_usage_perc{model_name="b"} 0.2', { kvUsage: 0.2 }],
    ["vllm:kv_cache_usage_perc 55", { kvUsage: 1 }],
    ['vllm:num_requests_running{model_name="odd } {\\\\\\" name"} 4', { runningRequests: 4 }],
    ['vllm:cache_config_info{num_gpu_blocks="None",block_size="16"} 1', { blockTokens: 16 }],
    ["vllm:num_requests_running NaN", {}],
    ["vllm:num_requests_running -3", {}],
    ["vllm:num_requests_running +Inf", {}],
  ])("with the line %s", (page, figures) => {
    expect(parseEngineFigures(page).get(0)).toEqual({ ...nothing, ...figures });
  });

  it("tells data-parallel ranks apart", () => {
    const page = ["0", "1", "x", "-1", "99999"].map(
      (rank) => `vllm:num_requests_running{engine="${rank}"} ${rank.length}`,
    );
    expect([...parseEngineFigures(page.join("\n")).keys()]).toEqual([0, 1]);
    expect(parseEngineFigures('sglang:num_queue_reqs{dp_rank="3"} 9').get(3)?.waitingRequests).toBe(9);
  });

  it.each(["", "\n\n", "vllm:", "sglang:num_queue_reqs", "vllm:num_requests_running{", "<html>no metrics here</html>"])(
    "that is none: %j",
    (page) => {
      expect(parseEngineFigures(page).size).toBe(0);
    },
  );

  it("of 4 MB is read", () => {
    const page = `${'vllm:request_latency_bucket{le="0.1",model_name="m"} 5\n'.repeat(70_000)}${vllm}`;
    expect(parseEngineFigures(page).get(0)?.runningRequests).toBe(5);
  });
});
