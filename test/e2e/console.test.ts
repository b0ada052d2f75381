import { expect, it } from "vitest";
import type { ConsoleState, ExplainedPick, PickList, PickSummary } from "../../src/surface/admin/index.ts";
import { pathByApi } from "../support/load/index.ts";
import { describeOn } from "./suite/describe-on.ts";
import { ask, askBody } from "./support/client.ts";
import { consoleJson, consoleState, eventOf } from "./support/console-client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import { streamsPerConnection } from "./support/envoy-patches.ts";
import { freePorts } from "./support/free-ports.ts";
import { idle } from "./support/picker-metrics.ts";
import { continued, opening } from "./support/prompts.ts";
import { RawExchange } from "./support/raw-http.ts";

const [one = 0, ofShards = 0] = await freePorts(2);
const gatewayKind = { kind: { bodies: "full-duplex", hosts: "override-host" }, launcher: envoyBinary } as const;

function admin(port: number) {
  return { listen: `127.0.0.1:${port}`, updateIntervalMs: 100, historyIntervalMs: 1_000 };
}

/** Of all ranks together. */
function held({ workers }: ConsoleState): number {
  return workers.flatMap(({ ranks }) => ranks).reduce((sum, { heldBlocks }) => sum + heldBlocks.device, 0);
}

describeOn("a picker with a console", { ...gatewayKind, workers: 2, picker: { admin: admin(one) } }, (gateway) => {
  it("shows its workers and what it has picked, and why", async () => {
    const first = opening(21_000);
    const { requestId, worker, status } = await ask(gateway(), first);
    expect(status).toBe(200);
    await expect.poll(async () => held(await consoleState(one))).toBeGreaterThan(0);
    const next = await ask(gateway(), continued(first, "A short answer.", "And then?"));
    expect(next.worker).toBe(worker);
    await idle(gateway());
    const state = await consoleState(one);
    expect(state.ready).toEqual({ isReady: true, reasons: [] });
    expect(state.modes).toEqual(["ext-proc"]);
    expect(state.workers.map(({ name }) => name)).toEqual(["worker-0", "worker-1"]);
    expect(state.models.map(({ tokens }) => tokens)).toContain("exact");
    const shown = state.workers.find(({ name }) => name === worker);
    expect(shown?.ranks[0]).toMatchObject({
      booked: { requests: 0, prefillTokens: 0, decodeBlocks: 0 },
      requestsTotal: 2,
      kvEvents: { state: "live", gaps: 0, problems: [] },
    });
    expect(shown?.ranks[0]?.heldBlocks.device).toBe(shown?.ranks[0]?.heldBlocks.total);
    const lag = shown?.ranks[0]?.kvEvents?.lagMs ?? Number.NaN;
    expect(Math.abs(lag)).toBeLessThan(60_000);
    expect(state.totals).toMatchObject({ picks: 2, refusals: 0 });
    expect(state.totals.heldBlocks).toBeGreaterThan(0);
    const [latest, before] = state.picks;
    expect(before).toMatchObject({ requestId, outcome: "picked", heldBlocks: 0, picked: { workerName: worker } });
    expect(latest?.heldBlocks).toBe(state.totals.heldBlocks);
    const { picks } = await consoleJson<PickList>(one, `/api/picks?requestId=${requestId}`);
    expect(picks).toEqual([before]);
    const { explanation, ...summary } = await consoleJson<ExplainedPick>(one, `/api/picks/${latest?.id}`);
    expect(summary).toEqual(latest);
    const { candidates, chosen = -1 } = explanation.answering;
    expect(candidates).toHaveLength(2);
    expect(candidates[chosen]).toMatchObject({ workerName: worker, overlapBlocks: { device: latest?.heldBlocks } });
  });

  it("tells of picks as they come, and keeps their history", async () => {
    const before = (await consoleState(one)).totals.picks;
    const heard = eventOf<PickSummary>(one, "pick", () => true);
    await expect
      .poll(async () => (await gateway().picker.metricsText()).includes("pointsman_console_readers 1"))
      .toBe(true);
    const { requestId } = await ask(gateway(), opening(22_000));
    expect((await heard).requestId).toBe(requestId);
    const counted = async () => (await consoleState(one)).history.picks.reduce((sum, each) => sum + each, 0);
    await expect.poll(counted).toBe(before + 1);
    await expect
      .poll(async () => (await gateway().picker.metricsText()).includes("pointsman_console_readers 0"))
      .toBe(true);
  });

  it("tells why a request was refused before any choice, and nothing of its prompt", async () => {
    const talk = opening(25_000);
    const { status, requestId } = await ask(gateway(), talk, { model: "no-such-model" });
    expect(status).toBe(404);
    await expect.poll(async () => (await consoleState(one)).totals.refusals).toBe(1);
    const state = await consoleState(one);
    expect(state.refusals).toEqual([
      {
        id: "1",
        atMs: expect.any(Number),
        surface: "ext-proc",
        status: 404,
        code: "unknown_model",
        field: "model",
        reason: expect.stringContaining('"no-such-model" is not served here'),
        requestId,
      },
    ]);
    expect(JSON.stringify(state)).not.toContain(talk.question);
  });

  it("says that it drains, and ends", async () => {
    const draining = eventOf<ConsoleState>(one, "state", ({ ready }) =>
      ready.reasons.some((r) => r.includes("draining")),
    );
    const body = askBody(opening(23_000), { outputTokens: 60_000, stream: true });
    const running = await RawExchange.post(gateway().ports.gateway, pathByApi.chat, body);
    await expect
      .poll(async () => (await consoleState(one)).workers.some(({ ranks }) => (ranks[0]?.booked.requests ?? 0) > 0))
      .toBe(true);
    const ended = gateway().stopPicker("SIGTERM");
    expect((await draining).ready.isReady).toBe(false);
    running.abort();
    expect(await ended).toBe("exit code 0");
    await expect(consoleState(one)).rejects.toThrow();
    await gateway().startPicker();
    expect((await consoleState(one)).totals.picks).toBe(0);
  });
});

const sharded = {
  ...gatewayKind,
  workers: 2,
  picker: { shards: { count: 2, restartMinMs: 50 }, admin: admin(ofShards) },
  patches: [streamsPerConnection(4)],
};

describeOn("two shards with one console", sharded, (gateway) => {
  it("are shown together", async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(gateway(), opening(24_000 + i))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    await idle(gateway());
    await expect.poll(async () => (await consoleState(ofShards)).totals.picks).toBe(40);
    const state = await consoleState(ofShards);
    expect(state.ready).toEqual({ isReady: true, reasons: [] });
    expect(state.shards).toMatchObject([
      { shard: 0, isReady: true, isTold: true, restarts: 0 },
      { shard: 1, isReady: true, isTold: true, restarts: 0 },
    ]);
    const byShard = (state.shards ?? []).map(({ totals }) => totals?.picks ?? 0);
    expect(byShard.reduce((sum, picks) => sum + picks, 0)).toBe(40);
    expect(Math.min(...byShard)).toBeGreaterThan(0);
    const requests = state.workers.flatMap(({ ranks }) => ranks).map(({ requestsTotal }) => requestsTotal);
    expect(requests.reduce((sum, each) => sum + each, 0)).toBe(40);
    expect(state.workers).toHaveLength(2);
    expect(state.replicas).toBeUndefined();
    expect(state.picks).toHaveLength(40);
    expect(new Set(state.picks.map(({ id }) => id.split("-")[0]))).toEqual(new Set(["0", "1"]));
    const [latest] = state.picks;
    const { explanation, ...summary } = await consoleJson<ExplainedPick>(ofShards, `/api/picks/${latest?.id}`);
    expect(summary).toEqual(latest);
    expect(explanation.answering.candidates).toHaveLength(2);
    const { picks } = await consoleJson<PickList>(ofShards, `/api/picks?requestId=${latest?.requestId}`);
    expect(picks).toEqual([latest]);
  });

  it("are sent to readers, decision by decision", async () => {
    const heard = eventOf<PickSummary>(ofShards, "pick", () => true);
    const metrics = () => gateway().picker.metricsText();
    await expect.poll(async () => /pointsman_console_readers\S* 1/.test(await metrics())).toBe(true);
    const { requestId } = await ask(gateway(), opening(25_000));
    const pick = await heard;
    expect([pick.requestId, /^[01]-\d+$/.test(pick.id)]).toEqual([requestId, true]);
  });

  it("tell what each of them has refused", async () => {
    const { requestId } = await ask(gateway(), opening(26_000), { model: "no-such-model" });
    const refusal = { id: expect.stringMatching(/^[01]-1$/), code: "unknown_model", requestId };
    await expect.poll(async () => (await consoleState(ofShards)).refusals).toMatchObject([refusal]);
  });
});
