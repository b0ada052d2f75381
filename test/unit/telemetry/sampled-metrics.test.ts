import { describe, expect, it } from "vitest";
import { Metrics, type RankSample } from "../../../src/telemetry/index.ts";

const rank: RankSample = {
  worker: "w0",
  dpRank: 1,
  isEligible: true,
  activeRequests: 2,
  activePrefillTokens: 300,
  activeDecodeBlocks: 40,
  problems: [{ kind: "prefill_untold" }],
  kvEvents: {
    applied: 10,
    dropped: { unknown_parent: 3 },
    gaps: 1,
    resets: 0,
    lastEventAgeMs: 1500,
    problems: [{ kind: "silent" }],
  },
};

function sampled(ranks: () => Iterable<RankSample>): Metrics {
  const all = new Metrics({ models: ["m"], version: "1" });
  all.sample({
    ranks,
    models: () => [
      {
        model: "m",
        indexBlocks: 77,
        maxIndexBlocks: 100,
        waitingBlocks: 2,
        indexBytes: 7_000,
        evictedBlocks: 3,
        refusedBlocks: 1,
      },
    ],
    reservations: () => ({ booked: 8, leases: 5, leaseEnds: { released: 4, expired: 1 } }),
    queued: 6,
    sessions: 9,
  });
  return all;
}

describe("sampled metrics", () => {
  it("reads loads, events and indexes at each scrape", async () => {
    const text = await sampled(() => [rank]).render();
    const labels = '{worker="w0",dp_rank="1"}';
    for (const line of [
      `pointsman_worker_eligible${labels} 1`,
      `pointsman_worker_active_requests${labels} 2`,
      `pointsman_worker_active_prefill_tokens${labels} 300`,
      `pointsman_worker_active_decode_blocks${labels} 40`,
      `pointsman_kv_events_applied_total${labels} 10`,
      `pointsman_kv_event_gaps_total${labels} 1`,
      `pointsman_kv_event_resets_total${labels} 0`,
      `pointsman_kv_event_age_seconds${labels} 1.5`,
      'pointsman_kv_events_dropped_total{worker="w0",dp_rank="1",reason="unknown_parent"} 3',
      'pointsman_kv_event_problem{worker="w0",dp_rank="1",problem="silent"} 1',
      'pointsman_worker_problem{worker="w0",dp_rank="1",problem="prefill_untold"} 1',
      'pointsman_index_blocks{model="m"} 77',
      'pointsman_index_max_blocks{model="m"} 100',
      'pointsman_index_waiting_blocks{model="m"} 2',
      'pointsman_index_refused_blocks_total{model="m"} 1',
      "pointsman_reservations 8",
      'pointsman_lease_ends_total{end="released"} 4',
      'pointsman_lease_ends_total{end="expired"} 1',
      "pointsman_ready_ranks 1",
      "pointsman_leases 5",
      "pointsman_queued_requests 6",
      "pointsman_sessions 9",
      'pointsman_index_bytes{model="m"} 7000',
      'pointsman_index_evicted_blocks_total{model="m"} 3',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });

  it("tells that nobody is ready when there is no worker at all", async () => {
    expect(await sampled(() => []).render()).toContain("pointsman_ready_ranks 0\n");
    expect(await sampled(() => [{ ...rank, isEligible: false }]).render()).toContain("pointsman_ready_ranks 0\n");
  });

  it("shows what an engine reports beyond the bookings, where it reports", async () => {
    const foreign = { requests: 3, decodeBlocks: 9, ageMs: 500 };
    const text = await sampled(() => [{ ...rank, foreign }]).render();
    const labels = '{worker="w0",dp_rank="1"}';
    expect(text).toContain(`pointsman_engine_foreign_requests${labels} 3\n`);
    expect(text).toContain(`pointsman_engine_foreign_decode_blocks${labels} 9\n`);
    expect(text).toContain(`pointsman_engine_report_age_seconds${labels} 0.5\n`);
    expect(await sampled(() => [rank]).render()).not.toContain("pointsman_engine_foreign_requests{");
  });

  it("gives totals as they are, however often it is scraped", async () => {
    const all = sampled(() => [rank]);
    await all.render();
    expect(await all.render()).toContain('pointsman_kv_events_applied_total{worker="w0",dp_rank="1"} 10\n');
  });

  it("forgets a worker that is gone", async () => {
    let ranks = [rank];
    const all = sampled(() => ranks);
    expect(await all.render()).toContain('worker="w0"');
    ranks = [];
    expect(await all.render()).not.toContain('worker="w0"');
  });

  it("has no event series for a worker whose events are not followed, and no age before the first event", async () => {
    const events = {
      ...rank.kvEvents,
      applied: 0,
      dropped: {},
      gaps: 0,
      resets: 0,
      lastEventAgeMs: undefined,
      problems: [],
    };
    expect(await sampled(() => [{ ...rank, kvEvents: undefined }]).render()).not.toMatch(/^pointsman_kv_event.*w0/m);
    expect(await sampled(() => [{ ...rank, kvEvents: events }]).render()).not.toMatch(/^pointsman_kv_event_age.*w0/m);
  });
});
