import { describe, expect, it } from "vitest";
import { Metrics } from "../../../src/telemetry/index.ts";

const pick = {
  model: "m",
  api: "chat",
  mode: "buffered",
  bodyBytes: 2000,
  durationMs: 0.3,
  inputTokens: 100,
  predictedCachedTokens: 64,
};

function metrics(): Metrics {
  return new Metrics({ models: ["m"], version: "1.2.3" });
}

/** The sample lines of one metric. */
async function linesOf(all: Metrics, name: string): Promise<readonly string[]> {
  return (await all.render()).split("\n").filter((line) => line.startsWith(name));
}

describe("RequestMetrics", () => {
  it("counts picks by API, model and mode", async () => {
    const all = metrics();
    all.requests.picked(pick);
    all.requests.picked(pick);
    all.requests.picked({ ...pick, api: "completions" });
    expect(await linesOf(all, "pointsman_picks_total")).toEqual([
      'pointsman_picks_total{api="chat",model="m",mode="buffered"} 2',
      'pointsman_picks_total{api="completions",model="m",mode="buffered"} 1',
    ]);
  });

  it("tells its totals, over all labels", () => {
    const { requests } = metrics();
    expect(requests.totals()).toEqual({ picks: 0, refusals: 0, promptBlocks: 0, heldBlocks: 0 });
    requests.picked(pick);
    requests.told({ ...pick, mode: "query", model: "another" });
    requests.failed({ code: "no_endpoints", durationMs: 1 });
    requests.failed({ code: "saturated", durationMs: 1 });
    const choice = { model: "m", heldBlocks: 3, session: undefined, aggregatedReason: undefined };
    requests.chosen({ ...choice, promptBlocks: 5 });
    requests.chosen({ ...choice, promptBlocks: 2 });
    requests.chosen({ ...choice, promptBlocks: undefined });
    expect(requests.totals()).toEqual({ picks: 2, refusals: 2, promptBlocks: 7, heldBlocks: 5 });
  });

  it("tells why prompts of a model were not known", () => {
    const { requests } = metrics();
    requests.inexact("m", "an image");
    requests.inexact("m", "an image");
    requests.inexact("m", "loading");
    requests.inexact("another", "an image");
    expect(requests.inexactOf("m")).toEqual({ "an image": 2, loading: 1 });
    expect(requests.inexactOf("none of them")).toEqual({ "an image": 1 });
  });

  it("makes no series from model names that clients invent", async () => {
    const all = metrics();
    for (let i = 0; i < 100; i++) all.requests.picked({ ...pick, model: `invented-${i}` });
    all.requests.picked({ ...pick, model: undefined });
    expect(await linesOf(all, "pointsman_picks_total")).toEqual([
      'pointsman_picks_total{api="chat",model="other",mode="buffered"} 100',
      'pointsman_picks_total{api="chat",model="none",mode="buffered"} 1',
    ]);
  });

  it("observes times in seconds, apart for picked and failed requests and for each stage", async () => {
    const all = metrics();
    all.requests.picked(pick);
    all.requests.failed({ code: "saturated", durationMs: 2 });
    all.requests.stage("prepare", 4);
    expect(await linesOf(all, "pointsman_pick_duration_seconds_sum")).toEqual([
      'pointsman_pick_duration_seconds_sum{outcome="picked"} 0.0003',
      'pointsman_pick_duration_seconds_sum{outcome="failed"} 0.002',
    ]);
    expect(await linesOf(all, "pointsman_errors_total")).toEqual(['pointsman_errors_total{code="saturated"} 1']);
    expect(await linesOf(all, "pointsman_pick_stage_duration_seconds_sum")).toEqual([
      'pointsman_pick_stage_duration_seconds_sum{stage="prepare"} 0.004',
    ]);
  });

  it("counts what callers were told apart from what passed through, without times", async () => {
    const all = metrics();
    all.requests.told({ model: "m", api: "chat", mode: "query", inputTokens: 100, predictedCachedTokens: 64 });
    all.requests.told({ model: "m", api: "chat", mode: "reserve", inputTokens: 5, predictedCachedTokens: 0 });
    expect(await linesOf(all, "pointsman_picks_total")).toEqual([
      'pointsman_picks_total{api="chat",model="m",mode="query"} 1',
      'pointsman_picks_total{api="chat",model="m",mode="reserve"} 1',
    ]);
    expect(await linesOf(all, "pointsman_input_tokens_sum")).toEqual(['pointsman_input_tokens_sum{model="m"} 105']);
    expect(await linesOf(all, "pointsman_pick_duration_seconds_count")).toEqual([]);
  });

  it("counts the blocks of prompts, and which of them the picked worker held", async () => {
    const all = metrics();
    const alone = { model: "m", session: undefined, aggregatedReason: "no_prefill_worker" };
    all.requests.chosen({ ...alone, promptBlocks: 10, heldBlocks: 4 });
    all.requests.chosen({ ...alone, promptBlocks: 3, heldBlocks: 9 });
    all.requests.chosen({ ...alone, promptBlocks: undefined, heldBlocks: 0 });
    expect(await linesOf(all, "pointsman_prompt_blocks_total")).toEqual([
      'pointsman_prompt_blocks_total{model="m",kind="prompt"} 13',
      'pointsman_prompt_blocks_total{model="m",kind="held"} 7',
    ]);
  });

  it("observes no tokens where they are not known", async () => {
    const all = metrics();
    all.requests.picked({ ...pick, inputTokens: undefined, predictedCachedTokens: undefined });
    expect(await linesOf(all, "pointsman_input_tokens_count")).toEqual([]);
    expect(await linesOf(all, "pointsman_predicted_cached_tokens_count")).toEqual([]);
  });

  it("compares predicted and reported cached tokens over the requests that have both", async () => {
    const all = metrics();
    const usage = { model: "m", inputTokens: 100, cachedTokens: 48, outputTokens: 7, predictedCachedTokens: 64 };
    all.requests.usage(usage);
    all.requests.usage({ ...usage, cachedTokens: undefined });
    all.requests.usage({ ...usage, predictedCachedTokens: undefined });
    expect(await linesOf(all, "pointsman_compared_cached_tokens_total")).toEqual([
      'pointsman_compared_cached_tokens_total{model="m",kind="predicted"} 64',
      'pointsman_compared_cached_tokens_total{model="m",kind="reported"} 48',
    ]);
    expect(await linesOf(all, "pointsman_cached_tokens_error_sum")).toEqual([
      'pointsman_cached_tokens_error_sum{model="m"} 16',
    ]);
    expect(await linesOf(all, "pointsman_served_cached_tokens_count")).toEqual([
      'pointsman_served_cached_tokens_count{model="m"} 2',
    ]);
    expect(await linesOf(all, "pointsman_served_input_tokens_total")).toEqual([
      'pointsman_served_input_tokens_total{model="m"} 300',
    ]);
  });

  it.each([Number.NaN, -5, Number.POSITIVE_INFINITY])("survives a worker that reports %s", async (nonsense) => {
    const all = metrics();
    all.requests.usage({
      model: "m",
      inputTokens: nonsense,
      cachedTokens: nonsense,
      outputTokens: nonsense,
      predictedCachedTokens: 3,
    });
    expect(await linesOf(all, "pointsman_served_input_tokens_total")).toEqual([
      'pointsman_served_input_tokens_total{model="m"} 0',
    ]);
  });

  it("holds the totals of the moment", async () => {
    const all = metrics();
    all.requests.inFlight({ streams: 3, picks: 2, bodyBytes: 10 });
    all.requests.inFlight({ streams: 1, picks: 0, bodyBytes: 0 });
    expect(await linesOf(all, "pointsman_open_streams")).toEqual(["pointsman_open_streams 1"]);
    expect(await linesOf(all, "pointsman_held_body_bytes")).toEqual(["pointsman_held_body_bytes 0"]);
  });

  it("counts mismatches, aborts, unread usage and inexact requests", async () => {
    const all = metrics();
    all.requests.mismatch({ picked: "10.0.0.1:80", served: "10.0.0.2:80" });
    all.requests.aborted({ phase: "response" });
    all.requests.usageUnread("encoded");
    all.requests.inexact("m", "the prompt has an image");
    const text = await all.render();
    expect(text).toContain("pointsman_endpoint_mismatches_total 1\n");
    expect(text).toContain('pointsman_aborted_total{phase="response"} 1\n');
    expect(text).toContain('pointsman_usage_unread_total{reason="encoded"} 1\n');
    expect(text).toContain('pointsman_inexact_total{model="m",reason="the prompt has an image"} 1\n');
  });
});
