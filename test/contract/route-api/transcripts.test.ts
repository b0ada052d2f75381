import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeEngine } from "../../unit/kv-events/fake-engine.ts";
import { type Answer, dynamoRouting, exactJson, RunningApi } from "./running-api.ts";

interface Exchange {
  readonly service: string;
  readonly request: { readonly method: string; readonly path: string; readonly body: unknown };
  readonly response: { readonly status: number; readonly body: unknown };
}

const file = new URL("../../fixtures/kv/http_transcripts.json", import.meta.url);
const recorded = exactJson(readFileSync(file, "utf8")) as { readonly exchanges: readonly Exchange[] };
const exchanges = recorded.exchanges.filter(({ service }) => service === "select");

/** What changes from run to run, or is ours to word: addresses of the engines, messages, ids of events. */
function comparable(value: unknown, addresses: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return addresses.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => comparable(item, addresses));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key]) => key !== "event_id" && key !== "status");
  return Object.fromEntries(members.map(([key, member]) => [key, comparable(member, addresses)]));
}

/** Messages are ours to word; that there is one, and one envelope for all, is not. */
function expectError({ body }: Answer, expected: unknown): void {
  expect(Object.keys(expected as object)).toEqual(["error"]);
  expect(body).toMatchObject({ error: expect.stringMatching(/./), code: expect.stringMatching(/^[a-z_]+$/) });
}

interface DumpEvent {
  readonly worker_id: number;
  readonly storage_tier: string;
  readonly event: { readonly dp_rank: number; readonly data: { readonly stored: StoredData } };
}

interface StoredData {
  readonly parent_hash: unknown;
  readonly blocks: readonly { readonly block_hash: unknown; readonly tokens_hash: unknown }[];
}

/** A dump block by block: how many blocks go into an event, and whose come first, is each one's own. */
function blocksOf(dump: unknown): unknown {
  const blocks = Object.entries(dump as Record<string, { block_size: number; events: readonly DumpEvent[] }>).flatMap(
    ([partition, { block_size, events }]) =>
      events.flatMap(({ worker_id, storage_tier, event: { dp_rank, data } }) =>
        data.stored.blocks.map((block, i) => ({
          ...block,
          parent: i === 0 ? data.stored.parent_hash : data.stored.blocks[i - 1]?.block_hash,
          ...{ partition, block_size, worker_id, storage_tier, dp_rank },
        })),
      ),
  );
  return blocks.toSorted((a, b) => a.worker_id - b.worker_id || Number(a.block_hash) - Number(b.block_hash));
}

describe("what dynamo@1.6.1 select_service was recorded to answer", () => {
  let api: RunningApi;
  let engines: readonly FakeEngine[];
  const addresses = new Map<string, string>();

  beforeAll(async () => {
    api = await RunningApi.start(`mode: reserve\n${dynamoRouting}`);
    engines = await Promise.all([FakeEngine.start({ replay: "plain" }), FakeEngine.start({ replay: "plain" })]);
    const recordedPorts = [
      ["tcp://127.0.0.1:15557", "tcp://127.0.0.1:15558"],
      ["tcp://127.0.0.1:15567", "tcp://127.0.0.1:15568"],
    ] as const;
    for (const [i, engine] of engines.entries()) {
      addresses.set(recordedPorts[i]?.[0] ?? "", engine.endpoints.events);
      addresses.set(recordedPorts[i]?.[1] ?? "", engine.endpoints.replay ?? "");
      // Four chained blocks at the first worker, the first two of them at the second.
      for (let block = 0; block < 4 - 2 * i; block++) {
        const tokens = Array.from({ length: 4 }, (_, t) => 4 * block + t + 1);
        const parent = block === 0 ? null : 99 + block;
        await engine.publish([["BlockStored", [100 + block], parent, tokens, 4, null, "GPU"]], { lost: true });
      }
    }
  });

  afterAll(async () => {
    await api.close();
    for (const engine of engines) await engine.stop();
  });

  it("has exchanges of every kind", () => {
    expect(exchanges.length).toBe(45);
  });

  it.each(
    exchanges.map((exchange, i) => ({ ...exchange, name: `${i} ${exchange.request.method} ${exchange.request.path}` })),
  )("$name", async ({ request, response }) => {
    if (request.path === "/overlap_scores") await untilHeld(api);
    const sent = request.body === null ? undefined : comparable(request.body, addresses);
    const answer = await api.call(request.method, request.path, sent);
    expect(answer.status).toBe(response.status);
    if (response.status >= 400 && request.path !== "/ready") {
      expectError(answer, response.body);
      return;
    }
    const [ours, theirs] = [answer.body, response.body].map((body) => comparable(body, addresses));
    if (request.path === "/dump") expect(blocksOf(ours)).toEqual(blocksOf(theirs));
    else expect(withoutReasons(ours)).toEqual(withoutReasons(theirs));
  });
});

/** Reasons are for people: their number has to agree. */
function withoutReasons(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("not_schedulable_reasons" in value)) return value;
  const { not_schedulable_reasons: reasons, ...rest } = value as { not_schedulable_reasons: readonly string[] };
  return { ...rest, reasons: reasons.length };
}

async function untilHeld(api: RunningApi): Promise<void> {
  const tokens = Array.from({ length: 16 }, (_, i) => i + 1);
  await expect
    .poll(async () => {
      const { body } = await api.call("POST", "/overlap_scores", { token_ids: tokens });
      return body.workers.map(({ device_blocks: blocks }: { device_blocks: number }) => blocks);
    })
    .toEqual([4, 2]);
}
