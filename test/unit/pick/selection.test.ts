import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { WorkerId } from "../../../src/fleet/index.ts";
import {
  type Candidate,
  type Constraints,
  choose,
  costTerms,
  estimatedCachedTokens,
  exclusionOf,
  leastPrefillTokens,
  overridePickOptions,
  type PickOverrides,
  type PickRequest,
  preferenceFactor,
  preferenceOf,
  resolvePickOptions,
  softmaxSample,
} from "../../../src/pick/index.ts";
import { candidateOf, rankOf, workerOf } from "./candidates.ts";

interface SelectionCase {
  name: string;
  allowed: number[] | null;
  block_size: number;
  config: Record<string, number | null>;
  override: Record<string, number | null> | null;
  cost_per_worker: [number, number][] | null;
  isl_tokens: number;
  preferred_taints: [string, number][];
  required_taints: string[];
  selected: { error?: string; worker_id: number; dp_rank: number; cost: number; cached_tokens: number };
  shared_ranges: [number, number][] | null;
  taints: [number, string][];
  track_prefill_tokens: boolean;
  worker_type_label: "prefill" | "decode";
  workers: {
    id: number;
    dp_rank: number;
    load_known: boolean;
    device_blocks: number;
    host_blocks: number;
    disk_blocks: number;
    active_prefill_tokens: number;
    active_decode_blocks: number;
    active_requests: number;
    additional_active_blocks: number;
  }[];
}

const file = new URL("../../fixtures/kv/selection.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as {
  cases: SelectionCase[];
  softmax: { costs_in_id_order: number[]; sample: number; selected_id: number; temperature: number }[];
  taint_multiplier: { multiplier: number; weight_sum: number }[];
};

const optionNames: Record<string, string> = {
  overlap_score_credit: "overlapScoreCredit",
  overlap_score_credit_decay: "overlapScoreCreditDecay",
  prefill_load_scale: "prefillLoadScale",
  decode_active_request_weight: "decodeActiveRequestWeight",
  host_cache_hit_weight: "hostCacheHitWeight",
  disk_cache_hit_weight: "diskCacheHitWeight",
  shared_cache_multiplier: "sharedCacheMultiplier",
  router_temperature: "temperature",
};

function named(values: Record<string, number | null> | null): PickOverrides {
  const set = Object.entries(values ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(set.map(([name, value]) => [optionNames[name] ?? name, value]));
}

const optionsOf = (vector: SelectionCase) =>
  overridePickOptions(resolvePickOptions(named(vector.config)), named(vector.override));

function requestOf(vector: SelectionCase): PickRequest {
  return {
    promptTokens: vector.isl_tokens,
    blockSize: vector.block_size,
    phase: vector.worker_type_label,
    tracksPrefill: vector.track_prefill_tokens,
  };
}

function candidatesOf(vector: SelectionCase): Candidate[] {
  const constraints: Constraints = {
    ...(vector.allowed === null ? {} : { allowed: new Set(vector.allowed.map((id) => BigInt(id) as WorkerId)) }),
    requiredTaints: vector.required_taints,
    preferredTaints: new Map(vector.preferred_taints),
  };
  return vector.workers.map((worker) => {
    const taints = new Set(vector.taints.filter(([id]) => id === worker.id).map(([, taint]) => taint));
    const rank = rankOf(workerOf(worker.id, { taints }), worker.dp_rank);
    const shared = (vector.shared_ranges ?? []).map(([from, to]) =>
      Math.max(0, to - Math.max(from, worker.device_blocks)),
    );
    return candidateOf(rank, {
      exclusion: exclusionOf(rank, constraints, false),
      deviceBlocks: worker.device_blocks,
      hostBlocks: worker.host_blocks,
      diskBlocks: worker.disk_blocks,
      sharedCacheBlocks: shared.reduce((sum, blocks) => sum + blocks, 0),
      isLoadKnown: worker.load_known,
      activePrefillTokens: worker.active_prefill_tokens,
      activeDecodeBlocks: worker.active_decode_blocks,
      activeRequests: worker.active_requests,
      blocksNotActive: worker.additional_active_blocks,
      preference: preferenceOf(rank.worker, constraints),
    });
  });
}

describe("costs and choices of Dynamo's default selector", () => {
  it.each(vectors.cases)("$name: the cost of every worker", (vector) => {
    const candidates = candidatesOf(vector);
    for (const [id, cost] of vector.cost_per_worker ?? []) {
      const candidate = candidates.find(({ rank }) => rank.worker.id === BigInt(id));
      if (candidate === undefined) throw new Error(`no worker ${id}`);
      const alone = leastPrefillTokens([candidate]);
      const terms = costTerms(candidate, requestOf(vector), optionsOf(vector), alone);
      expect(Math.abs(terms.cost - cost)).toBeLessThanOrEqual(1e-9);
    }
  });

  it.each(vectors.cases.filter(({ selected }) => selected.error === undefined))("$name: the choice", (vector) => {
    const candidates = candidatesOf(vector);
    const options = optionsOf(vector);
    const { chosen, costs } = choose(candidates, requestOf(vector), options, () => 0);
    const theirs = candidates.findIndex(
      ({ rank }) => rank.worker.id === BigInt(vector.selected.worker_id) && rank.dpRank === vector.selected.dp_rank,
    );
    const least = Math.min(...costs.filter((cost) => !Number.isNaN(cost)));
    expect(costs[chosen]).toBe(least);
    expect(Math.abs((costs[theirs] ?? Number.NaN) - vector.selected.cost)).toBeLessThanOrEqual(1e-9);
    expect(costs[theirs]).toBe(least);
    const candidate = candidates[theirs];
    if (candidate === undefined) throw new Error("no such candidate");
    expect(estimatedCachedTokens(candidate, vector.block_size, options)).toBe(vector.selected.cached_tokens);
  });

  it.each(vectors.cases.filter(({ selected }) => selected.error !== undefined))("$name: the error", (vector) => {
    const pick = () => choose(candidatesOf(vector), requestOf(vector), optionsOf(vector), () => 0);
    expect(pick).toThrow(expect.objectContaining({ code: "no_endpoints", message: vector.selected.error }));
  });

  it("has all 29 cases", () => {
    expect(vectors.cases).toHaveLength(29);
  });

  it.each(vectors.softmax)("softmax at $temperature of $costs_in_id_order with sample $sample", (vector) => {
    const chosen = softmaxSample(Float64Array.from(vector.costs_in_id_order), vector.temperature, vector.sample);
    expect(chosen + 1).toBe(vector.selected_id);
  });

  it.each(vectors.taint_multiplier)("taint weights of $weight_sum", (vector) => {
    expect(Math.abs(preferenceFactor(vector.weight_sum) - vector.multiplier)).toBeLessThanOrEqual(1e-12);
  });
});
