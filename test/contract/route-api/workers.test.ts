import { afterEach, describe, expect, it } from "vitest";
import { FakeEngine, removed, stored } from "../../unit/kv-events/fake-engine.ts";
import { dynamoRouting, RunningApi } from "./running-api.ts";

const closing: (() => Promise<void>)[] = [];

async function apiOf(settings = ""): Promise<RunningApi> {
  const api = await RunningApi.start(`mode: reserve\n${dynamoRouting}${settings}`);
  closing.push(() => api.close());
  return api;
}

async function engineOf(): Promise<FakeEngine> {
  const engine = await FakeEngine.start({ replay: "plain" });
  closing.push(() => engine.stop());
  return engine;
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const worker = (id: number | bigint, more: object = {}) => ({
  worker_id: id,
  endpoint: `http://10.0.0.${Number(BigInt(id) % 250n)}:8000`,
  kv_events_endpoint: `tcp://127.0.0.1:${20_000 + Number(BigInt(id) % 1000n)}`,
  block_size: 4,
  ...more,
});

/** Tokens of the blocks that `stored` names. */
const tokensOf = (...blocks: readonly number[]) => blocks.flatMap((block) => [0, 1, 2, 3].map((i) => 4 * block + i));

async function overlap(api: RunningApi, blocks: readonly number[], more: object = {}): Promise<Record<string, number>> {
  const { body } = await api.call("POST", "/overlap_scores", { token_ids: tokensOf(...blocks), ...more });
  return Object.fromEntries(
    body.workers.map((each: { worker_id: unknown; dp_rank: number; device_blocks: number }) => [
      `${each.worker_id}/${each.dp_rank}`,
      each.device_blocks,
    ]),
  );
}

describe("KV events of registered workers", () => {
  it("are followed on every rank, live and replayed, until the worker goes", async () => {
    const api = await apiOf();
    const engines = [await engineOf(), await engineOf()];
    await engines[0]?.publish([stored([1, 2])], { lost: true });
    const byRank = (pick: (engine: FakeEngine) => string | undefined) =>
      Object.fromEntries(engines.map((engine, i) => [String(4 + i), pick(engine)]));
    await api.call("POST", "/workers", {
      ...worker(7, { kv_events_endpoint: null, data_parallel_start_rank: 4, data_parallel_size: 2 }),
      kv_events_endpoints: byRank(({ endpoints }) => endpoints.events),
      replay_endpoints: byRank(({ endpoints }) => endpoints.replay),
    });
    await expect.poll(() => overlap(api, [1, 2])).toEqual({ "7/4": 2, "7/5": 0 });
    await engines[1]?.publish([stored([1])]);
    await expect.poll(() => overlap(api, [1, 2])).toEqual({ "7/4": 2, "7/5": 1 });
    const { body } = await api.call("GET", "/workers");
    expect(body[0].status).toMatchObject({
      health: "unknown",
      ranks: [
        {
          dp_rank: 4,
          kv_events: { endpoint: engines[0]?.endpoints.events, is_connected: true, blocks: 2, problems: [] },
        },
        { dp_rank: 5, kv_events: { blocks: 1 } },
      ],
    });
    await api.call("DELETE", "/workers/7");
    expect((await api.call("POST", "/overlap_scores", { token_ids: [1] })).status).toBe(503);
    await api.call("POST", "/workers", worker(8));
    expect(await overlap(api, [1, 2])).toEqual({ "8/0": 0 });
  });

  it("are followed at another address from a PATCH on, and what the old one told is forgotten; bookings stay", async () => {
    const api = await apiOf();
    const [first, second] = [await engineOf(), await engineOf()];
    await first.publish([stored([1, 2])], { lost: true });
    await second.publish([stored([1])], { lost: true });
    const sources = ({ endpoints }: FakeEngine) => ({
      kv_events_endpoint: endpoints.events,
      replay_endpoint: endpoints.replay,
    });
    await api.call("POST", "/workers", worker(1, sources(first)));
    await expect.poll(() => overlap(api, [1, 2])).toEqual({ "1/0": 2 });
    await api.call("POST", "/select_and_reserve", { token_ids: tokensOf(1, 2), selection_id: "held" });
    await api.call("PATCH", "/workers/1", { ...sources(second), endpoint: "http://10.9.9.9:1" });
    await expect.poll(() => overlap(api, [1, 2])).toEqual({ "1/0": 1 });
    const { body } = await api.call("GET", "/loads");
    expect(body[0].loads).toEqual([expect.objectContaining({ active_requests: 1, potential_decode_blocks: 2 })]);
    expect((await api.call("DELETE", "/reservations/held")).status).toBe(200);
  });

  it("say in GET /workers what is wrong with them", async () => {
    const api = await apiOf();
    const engine = await engineOf();
    const { events } = engine.endpoints;
    await api.call("POST", "/workers", worker(1, { kv_events_endpoint: events, block_size: 8 }));
    await engine.subscribed();
    await engine.publish([stored([1])]);
    await expect
      .poll(async () => (await api.call("GET", "/workers")).body[0].status.ranks[0].kv_events.problems)
      .toEqual([expect.objectContaining({ kind: "block_size_mismatch" })]);
  });
});

describe("partitions", () => {
  it("keep the caches and the choice of routing groups apart", async () => {
    const api = await apiOf();
    const engine = await engineOf();
    await api.call("POST", "/workers", worker(1, { routing_group: "a", kv_events_endpoint: engine.endpoints.events }));
    await api.call("POST", "/workers", worker(2, { routing_group: "b", block_size: 8 }));
    await engine.subscribed();
    await engine.publish([stored([1])]);
    await expect.poll(() => overlap(api, [1], { routing_group: "a" })).toEqual({ "1/0": 1 });
    expect(await overlap(api, [1], { routing_group: "b" })).toEqual({ "2/0": 0 });
    const { body } = await api.call("POST", "/route", { token_ids: [1], routing_group: "b", model_name: "default" });
    expect(body).toMatchObject({ worker_id: 2, model_name: "default", routing_group: "b" });
    expect((await api.call("POST", "/route", { token_ids: [1] })).status).toBe(503);
  });

  it("end with their last worker, so that others may come with another block size", async () => {
    const api = await apiOf();
    await api.call("POST", "/workers", worker(1));
    const refused = await api.call("POST", "/workers", worker(2, { block_size: 8 }));
    expect(refused.body).toMatchObject({
      lifecycle: "incomplete",
      not_schedulable_reasons: [expect.stringContaining("block_size mismatch")],
    });
    await api.call("DELETE", "/workers/1");
    expect((await api.call("PATCH", "/workers/2", {})).body).toMatchObject({ lifecycle: "schedulable", block_size: 8 });
    const { body } = await api.call("GET", "/loads");
    expect(body).toEqual([
      expect.objectContaining({ model_name: "default", loads: [expect.objectContaining({ worker_id: 2 })] }),
    ]);
  });

  it("move a worker that is described anew with another model, and forget what it held and was to do", async () => {
    const api = await apiOf();
    await api.call("POST", "/workers", worker(1));
    await api.call("POST", "/select_and_reserve", { token_ids: [1, 2, 3, 4], selection_id: "x" });
    await api.call("POST", "/workers", worker(1, { model_name: "other", block_size: 16 }));
    expect((await api.call("DELETE", "/reservations/x")).status).toBe(404);
    expect((await api.call("POST", "/select", { token_ids: [1] })).status).toBe(503);
    expect((await api.call("POST", "/select", { token_ids: [1], model_name: "other" })).body).toMatchObject({
      block_size: 16,
    });
  });
});

describe("bounds", () => {
  const few = "routeApi: { registration: { maxWorkers: 2, maxRanks: 3, maxPartitions: 1 } }";

  it("hold for workers, ranks and partitions, and room that is given back is there again", async () => {
    const api = await apiOf(few);
    const status = async (body: object) => (await api.call("POST", "/workers", body)).status;
    expect(await status(worker(1))).toBe(201);
    expect(await status(worker(2, { data_parallel_size: 3 }))).toBe(429);
    expect(await status(worker(2))).toBe(201);
    expect(await status(worker(3))).toBe(429);
    expect(await status(worker(2, { taints: ["again"] }))).toBe(201);
    const other = await api.call("POST", "/workers", worker(2, { model_name: "other" }));
    expect(other.body).toMatchObject({
      lifecycle: "incomplete",
      not_schedulable_reasons: [expect.stringContaining("1 partitions")],
    });
    await api.call("DELETE", "/workers/1");
    expect((await api.call("POST", "/workers", worker(2, { model_name: "other" }))).body.lifecycle).toBe("schedulable");
  });

  it.each([
    { body: worker(1, { data_parallel_size: 4_097 }), status: 400, field: "data_parallel_size" },
    {
      body: worker(1, { data_parallel_start_rank: 4_294_967_295, data_parallel_size: 2 }),
      status: 400,
      field: "data_parallel_start_rank",
    },
    { body: worker(1, { taints: Array.from({ length: 5_000 }, (_, i) => `t${i}`) }), status: 422, field: "taints" },
    { body: worker(1, { endpoint: "x".repeat(3_000) }), status: 422, field: "endpoint" },
    { body: worker(1, { model_name: "x".repeat(300) }), status: 422, field: "model_name" },
    { body: worker(1, { kv_events_endpoints: { x: "tcp://127.0.0.1:1" } }), status: 422, field: "kv_events_endpoints" },
    { body: worker(1, { role: "driver" }), status: 422, field: "role" },
    { body: { worker_id: 1.5 }, status: 422, field: "worker_id" },
    { body: '{"worker_id":18446744073709551616}', status: 422, field: "worker_id" },
  ])("refuses $field with $status", async ({ body, status, field }) => {
    const api = await apiOf();
    const answer = await api.call("POST", "/workers", body);
    expect({ status: answer.status, field: answer.body.field }).toEqual({ status, field });
  });

  it("count for the lists of a prompt", async () => {
    const api = await apiOf("routeApi: { maxTokenIds: 10, maxHashes: 2, maxListItems: 3, maxFieldBytes: 2000 }");
    await api.call("POST", "/workers", worker(1));
    const select = async (body: object) => {
      const { status, body: answer } = await api.call("POST", "/select", body);
      return [status, answer.field];
    };
    const ids = (n: number) => Array.from({ length: n }, () => 1);
    expect(await select({ token_ids: ids(10) })).toEqual([200, undefined]);
    expect(await select({ token_ids: ids(11) })).toEqual([422, "token_ids"]);
    expect(await select({ mm_routing_info: { routing_token_ids: ids(11) } })).toEqual([
      422,
      "mm_routing_info.routing_token_ids",
    ]);
    expect(await select({ block_hashes: ids(3), sequence_hashes: ids(3), isl_tokens: 9 })).toEqual([
      422,
      "block_hashes",
    ]);
    expect(await select({ token_ids: [1], allowed_worker_ids: [1, 2, 3, 4] })).toEqual([422, "allowed_worker_ids"]);
    expect(await select({ token_ids: [1], routing_constraints: { required_taints: ["a", "b", "c", "d"] } })).toEqual([
      422,
      "routing_constraints.required_taints",
    ]);
    expect(await select({ token_ids: [1], junk: "x".repeat(2_100) })).toEqual([413, undefined]);
  });
});

describe("ids", () => {
  it("of 64 bits are exact in bodies, paths and answers", async () => {
    const api = await apiOf();
    const id = 18_446_744_073_709_551_615n;
    const { body } = await api.call("POST", "/workers", worker(id, { total_kv_blocks: 9_007_199_254_740_993n }));
    expect(body).toMatchObject({ worker_id: id, total_kv_blocks: 9_007_199_254_740_993n });
    expect(
      (await api.call("POST", "/select", { token_ids: [1], pinned_worker: { worker_id: id, dp_rank: 0 } })).body
        .worker_id,
    ).toBe(id);
    expect((await api.call("POST", "/select", { token_ids: [1], allowed_worker_ids: [id - 1n] })).status).toBe(503);
    expect((await api.call("DELETE", `/workers/${id}`)).body.worker_id).toBe(id);
  });
});

describe("configured workers", () => {
  const settings = `
models: [{ name: m, loadOnly: true, blockSize: 4 }]
workers: [{ name: fixed, id: "9", endpoint: "10.0.0.9:8000", role: decode }]
fleet: { healthCheck: { enabled: false } }
`;

  it("are listed beside the registered ones, picked with them, and not to be changed", async () => {
    const api = await apiOf(settings);
    await api.call("POST", "/workers", worker(1, { model_name: "m" }));
    const { body } = await api.call("GET", "/workers");
    expect(body.map((each: { worker_id: number; name?: string }) => [each.worker_id, each.name])).toEqual([
      [9, "fixed"],
      [1, undefined],
    ]);
    expect((await api.call("POST", "/workers", worker(9))).body).toMatchObject({
      code: "worker_conflict",
      field: "worker_id",
    });
    expect((await api.call("DELETE", "/workers/9")).status).toBe(404);
    const pinned = { pinned_worker: { worker_id: 9, dp_rank: 0 } };
    expect((await api.call("POST", "/select", { token_ids: [1], model_name: "m", ...pinned })).body).toMatchObject({
      worker_id: 9,
      endpoint: "10.0.0.9:8000",
    });
  });

  it.each(["http://10.0.0.9:8000", "10.0.0.9:8000", "http://[::ffff:10.0.0.9]:8000/v1"])(
    "are not registered once more at their address: %s",
    async (endpoint) => {
      const api = await apiOf(settings);
      const taken = await api.call("POST", "/workers", worker(1, { model_name: "m", endpoint }));
      expect([taken.status, taken.body]).toMatchObject([409, { code: "worker_conflict", field: "endpoint" }]);
      expect((await api.call("POST", "/workers", worker(1, { model_name: "m" }))).status).toBe(201);
      const moved = await api.call("PATCH", "/workers/1", { endpoint });
      expect([moved.status, moved.body]).toMatchObject([409, { code: "worker_conflict", field: "endpoint" }]);
      const { body } = await api.call("GET", "/workers");
      expect(body.map((each: { endpoint: string }) => each.endpoint)).toEqual([
        "10.0.0.9:8000",
        "http://10.0.0.1:8000",
      ]);
    },
  );

  it("serve no partition that others bring", async () => {
    const api = await apiOf(settings);
    await api.call("POST", "/workers", worker(1));
    const { body } = await api.call("POST", "/potential_loads", { token_ids: [1] });
    expect(body.map((each: { worker_id: number }) => each.worker_id)).toEqual([1]);
  });
});

describe("workers without KV events", () => {
  it("are picked when the settings allow it, and what they hold is guessed from what is sent to them", async () => {
    const api = await apiOf("routeApi: { registration: { requireKvEvents: false } }");
    const { body } = await api.call("POST", "/workers", worker(1, { kv_events_endpoint: null }));
    expect(body.lifecycle).toBe("schedulable");
    await api.call("POST", "/workers", worker(2, { kv_events_endpoint: null }));
    const sent = await api.call("POST", "/select_and_reserve", { token_ids: tokensOf(1, 2), selection_id: "x" });
    expect(await overlap(api, [1, 2])).toMatchObject({ [`${sent.body.worker_id}/0`]: 2 });
  });
});

describe("a pair", () => {
  it("is answered where some workers prefill and others decode", async () => {
    const api = await apiOf();
    await api.call("POST", "/workers", worker(1, { role: "prefill" }));
    await api.call("POST", "/workers", worker(2, { role: "decode" }));
    const { body } = await api.call("POST", "/route_and_reserve", {
      token_ids: tokensOf(1, 2),
      reservation_id: "pair",
    });
    expect(body).toMatchObject({ worker_id: 2, prefill: { worker_id: 1, endpoint: "http://10.0.0.1:8000" } });
    const loads = async () =>
      (await api.call("GET", "/loads")).body[0].loads.map((each: { active_requests: number }) => each.active_requests);
    expect(await loads()).toEqual([1, 1]);
    await api.call("POST", "/reservations/pair/prefill_complete");
    expect(await loads()).toEqual([0, 1]);
    await api.call("DELETE", "/reservations/pair");
    expect(await loads()).toEqual([0, 0]);
  });
});

describe("a dump", () => {
  it("gives again what every worker holds, holes included, however much it is", async () => {
    const api = await apiOf();
    const engine = await engineOf();
    await api.call(
      "POST",
      "/workers",
      worker(1, { kv_events_endpoint: engine.endpoints.events, replay_endpoint: engine.endpoints.replay }),
    );
    const blocks = Array.from({ length: 5_000 }, (_, i) => i + 1);
    await engine.publish([stored(blocks), removed([2_500])], { lost: true });
    await engine.publish([]);
    await expect
      .poll(async () => (await api.call("GET", "/workers")).body[0].status.ranks[0].kv_events.blocks)
      .toBe(4_999);
    const { body, headers } = await api.call("GET", "/dump");
    const { events, block_size: blockSize } = body["default:default"];
    expect(blockSize).toBe(4);
    expect(headers["transfer-encoding"]).toBe("chunked");
    const held = new Set<number>();
    for (const { event } of events) {
      for (const { block_hash } of event.data.stored?.blocks ?? []) held.add(block_hash);
      for (const hash of event.data.removed?.block_hashes ?? []) held.delete(hash);
    }
    expect([...held].toSorted((a, b) => a - b)).toEqual(blocks.filter((block) => block !== 2_500));
  });
});

describe("a worker that drains", () => {
  const configured = `
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, id: "5", endpoint: "127.0.0.1:1" }]
`;
  const lifecycleOf = async (api: RunningApi): Promise<unknown[]> => {
    const { body } = await api.call("GET", "/workers");
    return body.map((each: { worker_id: number; lifecycle: string }) => [each.worker_id, each.lifecycle]);
  };

  it("keeps its reservations and gets nothing new, until it no longer drains", async () => {
    const api = await apiOf();
    await api.call("POST", "/workers", worker(1));
    await api.call("POST", "/select_and_reserve", { token_ids: [1], selection_id: "held" });
    const patched = await api.call("PATCH", "/workers/1", { draining: true });
    expect([patched.status, patched.body.lifecycle]).toEqual([200, "draining"]);
    expect(await lifecycleOf(api)).toEqual([[1, "draining"]]);
    expect((await api.call("GET", "/ready")).body).toMatchObject({ ready: false, schedulable_workers: 0 });
    expect((await api.call("POST", "/select", { token_ids: [1], selection_id: "s" })).status).toBe(503);
    expect((await api.call("POST", "/reservations/held/prefill_complete")).status).toBe(200);
    await api.call("PATCH", "/workers/1", { taints: ["x"] });
    expect(await lifecycleOf(api)).toEqual([[1, "draining"]]);
    await api.call("PATCH", "/workers/1", { draining: false });
    expect((await api.call("POST", "/select", { token_ids: [1], selection_id: "s" })).status).toBe(200);
    expect((await api.call("DELETE", "/reservations/held")).status).toBe(200);
  });

  it("is incomplete first, drains with another layout as well, and is described anew without it", async () => {
    const api = await apiOf();
    await api.call("POST", "/workers", { ...worker(1, { block_size: null }), draining: true });
    expect(await lifecycleOf(api)).toEqual([[1, "incomplete"]]);
    await api.call("PATCH", "/workers/1", { block_size: 4 });
    expect(await lifecycleOf(api)).toEqual([[1, "draining"]]);
    const byRank = { 0: "tcp://127.0.0.1:1", 1: "tcp://127.0.0.1:2" };
    await api.call("PATCH", "/workers/1", { data_parallel_size: 2, kv_events_endpoints: byRank });
    expect(await lifecycleOf(api)).toEqual([[1, "draining"]]);
    await api.call("POST", "/workers", worker(1));
    expect(await lifecycleOf(api)).toEqual([[1, "schedulable"]]);
  });

  it("may be a configured one, of which nothing else can be changed", async () => {
    const api = await apiOf(configured);
    const request = { path: "/v1/chat/completions", body: { model: "m", messages: [{ role: "user", content: "x" }] } };
    expect((await api.call("PATCH", "/workers/5", { draining: true })).body).toMatchObject({ lifecycle: "draining" });
    expect((await api.call("POST", "/route", { request })).status).toBe(503);
    const refused = await api.call("PATCH", "/workers/5", { draining: false, endpoint: "http://10.0.0.1:1" });
    expect([refused.status, refused.body.code]).toEqual([409, "worker_conflict"]);
    expect(await lifecycleOf(api)).toEqual([[5, "draining"]]);
    expect((await api.call("PATCH", "/workers/5", { draining: false })).status).toBe(200);
    expect((await api.call("POST", "/route", { request })).status).toBe(200);
    expect((await api.call("PATCH", "/workers/6", { draining: true })).status).toBe(404);
  });

  it("is of the only configured model where none is named", async () => {
    const api = await apiOf(configured);
    expect((await api.call("POST", "/select", { token_ids: [1], selection_id: "s" })).body.worker_id).toBe(5);
    expect((await api.call("POST", "/route", { token_ids: [1] })).body).toMatchObject({
      worker_id: 5,
      model_name: "m",
    });
    expect((await api.call("POST", "/select", { token_ids: [1], selection_id: "s", routing_group: "g" })).status).toBe(
      503,
    );
    await api.call("POST", "/workers", worker(1));
    expect((await api.call("POST", "/select", { token_ids: [1], selection_id: "s" })).body.worker_id).toBe(1);
    const two = await apiOf(configured.replace("[{", "[{ name: n, loadOnly: true }, {"));
    expect((await two.call("POST", "/select", { token_ids: [1], selection_id: "s" })).status).toBe(503);
  });
});
