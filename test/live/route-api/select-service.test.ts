import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureOraclePython, OracleFolder } from "../../../scripts/oracle/environment.ts";
import { SelectService } from "../../../scripts/oracle/select-service.ts";
import { type Answer, callAt, dynamoRouting, RunningApi } from "../../contract/route-api/running-api.ts";
import { FakeEngine } from "../../unit/kv-events/fake-engine.ts";
import { blockSize, type RandomCall, RandomCalls, type RandomEvents, seededRandom, tokenOf } from "./random-calls.ts";

const seed = Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_129);
const steps = 600;
const workerIds = [1, 2, 3, 18_446_744_073_709_551n];

/** One rank of the fleet, and the engine that publishes for it. */
interface Rank {
  readonly worker: number | bigint;
  readonly engine: FakeEngine;
}

describe("a random sequence of calls", () => {
  let folder: OracleFolder;
  let theirs: SelectService;
  let ours: RunningApi;
  const ranks: Rank[] = [];
  let markers = 0;

  beforeAll(async () => {
    folder = await OracleFolder.make();
    theirs = await SelectService.start(await ensureOraclePython(), folder);
    ours = await RunningApi.start(`mode: reserve\n${dynamoRouting}reservations: { leaseMs: 600000 }\n`);
    for (const worker of workerIds) ranks.push({ worker, engine: await FakeEngine.start({ replay: "plain" }) });
    for (const [i, { worker, engine }] of ranks.entries()) {
      const { events, replay } = engine.endpoints;
      await both({
        method: "POST",
        path: "/workers",
        body: {
          worker_id: worker,
          endpoint: `http://10.0.0.${i + 1}:8000`,
          kv_events_endpoint: events,
          replay_endpoint: replay,
          block_size: blockSize,
          taints: i === 0 ? ["fast"] : [],
        },
      });
    }
  });

  afterAll(async () => {
    await theirs?.stop();
    await ours?.close();
    for (const { engine } of ranks) await engine.stop();
    await folder?.remove();
  });

  it("is answered as the released dynamo.select_service answers it", async () => {
    const calls = new RandomCalls(
      seededRandom(seed),
      ranks.map((_, i) => Number(ranks[i]?.worker)),
    );
    for (let step = 0; step < steps; step++) {
      if (step % 25 === 0) await publish(calls.events());
      const call = calls.next();
      const status = await compare(call, `step ${step} of seed ${seed}: ${call.method} ${call.path}`);
      calls.noteAnswer(call, status);
      if (step % 10 === 0) await compare({ method: "GET", path: "/loads" }, `loads after step ${step} of seed ${seed}`);
    }
  });

  async function both(call: RandomCall): Promise<readonly [Answer, Answer]> {
    const body = call.body;
    return [await callAt(theirs.address, call.method, call.path, body), await ours.call(call.method, call.path, body)];
  }

  /** A block for the worker's cache, and a mark by which both services show that they have seen it. */
  async function publish({ worker, family, blocks }: RandomEvents): Promise<void> {
    const rank = ranks.find((each) => Number(each.worker) === worker);
    if (rank === undefined) throw new Error(`no worker ${worker}`);
    const mark = 900_000_000 + markers++;
    const marker = Array.from({ length: blockSize }, () => mark);
    await rank.engine.publish([...storesOf(family, blocks), storeOf(mark, undefined, marker)]);
    await expect
      .poll(async () => {
        const answers = await both({ method: "POST", path: "/overlap_scores", body: { token_ids: marker } });
        return answers.map(({ body }) =>
          body.workers.some(
            (each: { worker_id: unknown; device_blocks: number }) =>
              Number(each.worker_id) === worker && each.device_blocks === 1,
          ),
        );
      })
      .toEqual([true, true]);
  }

  /** @returns the status that both gave */
  async function compare(call: RandomCall, what: string): Promise<number> {
    const their = await callAt(theirs.address, call.method, call.path, call.body);
    const isChoice = call.path.startsWith("/select") && their.status === 200;
    if (isChoice) await expectCheapest(call, their, what);
    const our = await ours.call(call.method, call.path, isChoice ? pinnedTo(call, their) : call.body);
    expect({ what, call: call.body, status: our.status, error: our.status >= 400 ? our.text : "" }).toEqual({
      what,
      call: call.body,
      status: their.status,
      error: our.status >= 400 ? our.text : "",
    });
    if (their.status < 400)
      expect({ what, call: call.body, body: comparable(our.body, call) }).toEqual({
        what,
        call: call.body,
        body: comparable(their.body, call),
      });
    return their.status;
  }

  /** Their choice among equals is random: it has to be one of the cheapest by our costs. */
  async function expectCheapest(call: RandomCall, their: Answer, what: string): Promise<void> {
    const { selection_id: _id, router_config_override: override, ...body } = call.body ?? {};
    const rules = withoutWeights(override);
    const { body: our } = await ours.call("POST", "/route", { ...body, router_config_override: rules, explain: true });
    const candidates = our.explanation.answering.candidates as readonly {
      worker_id: string;
      dp_rank: number;
      exclusion?: string;
      terms?: { cost: number };
    }[];
    const costs = candidates.flatMap(({ terms }) => (terms === undefined ? [] : [terms.cost]));
    const chosen = candidates.find(
      ({ worker_id, dp_rank }) => worker_id === String(their.body.worker_id) && dp_rank === their.body.dp_rank,
    );
    expect({ what, cost: chosen?.terms?.cost }).toEqual({ what, cost: expect.closeTo(Math.min(...costs), 9) });
  }
});

/** The released service's policy passes over a request's own weights (spec of dynamo-custom-policy-builtin@1.6.1). */
function withoutWeights(override: unknown): unknown {
  if (typeof override !== "object" || override === null) return undefined;
  const weights = new Set(["overlap_score_credit", "prefill_load_scale", "overlap_score_weight"]);
  return Object.fromEntries(Object.entries(override).filter(([key]) => !weights.has(key)));
}

/** The same request, aimed at their choice. */
function pinnedTo({ body }: RandomCall, { body: answer }: Answer): Record<string, unknown> {
  const { affinity_target: _affinity, ...rest } = body ?? {};
  return { ...rest, pinned_worker: { worker_id: answer.worker_id, dp_rank: answer.dp_rank } };
}

/** Without what is theirs or ours alone, and in one order. */
function comparable(value: unknown, call: RandomCall): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, call)).toSorted(byPlace);
  if (typeof value !== "object" || value === null) return value;
  // Blocks that share nothing have random hashes there.
  const override = call.body?.["router_config_override"] as { readonly assume_kv_reuse?: boolean } | undefined;
  const dropped = new Set(["status", ...(override?.assume_kv_reuse === false ? ["sequence_hashes"] : [])]);
  if (call.path === "/health") dropped.delete("status");
  // An id that a service made.
  if (call.body?.["selection_id"] === undefined) dropped.add("selection_id");
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !dropped.has(key))
      .map(([key, member]) => [key, key === "sequence_hashes" ? member : comparable(member, call)]),
  );
}

function byPlace(a: unknown, b: unknown): number {
  const [x, y] = [placeOf(a), placeOf(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function placeOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const { worker_id: worker = "", dp_rank: rank = 0, model_name: model = "" } = value as Record<string, unknown>;
  return `${String(model)} ${String(worker).padStart(20, "0")} ${String(rank)}`;
}

/** The leading blocks of a family's prompt, each named by what it holds, so that engines agree. */
function storesOf(family: number, blocks: number): readonly unknown[] {
  return Array.from({ length: blocks }, (_, block) => {
    const tokens = Array.from({ length: blockSize }, (__, i) => tokenOf(family, block * blockSize + i));
    const name = (at: number) => (at < 2 ? 1_000 + at : 10_000 * (family + 1) + at);
    return storeOf(name(block), block === 0 ? undefined : name(block - 1), tokens);
  });
}

function storeOf(hash: number, parent: number | undefined, tokens: readonly number[]): unknown[] {
  return ["BlockStored", [hash], parent ?? null, tokens, blockSize, null, "GPU"];
}
