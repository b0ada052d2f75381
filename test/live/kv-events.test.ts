import { afterEach, describe, expect, it } from "vitest";
import { ensureModelFolder } from "../../scripts/models.ts";
import { hashBlocks, PrefixIndex } from "../../src/kv/index.ts";
import { BatchMemory, KvEventSubscriber, TurnBudget } from "../../src/kv-events/index.ts";
import { until } from "../e2e/support/until.ts";
import { DynamoService } from "./support/dynamo-service.ts";
import { MockedEngine } from "./support/mocked-engine.ts";

const blockSize = 16;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function follow(engine: MockedEngine) {
  const index = new PrefixIndex({ blockSize, maxBlocks: 10_000 });
  const clock = { now: () => performance.now() };
  const warnings: string[] = [];
  const counts = new Map<string, number>();
  const subscriber = new KvEventSubscriber(
    { endpoint: engine.kvEvents, replayEndpoint: engine.kvReplay, slot: 0, blockSize },
    {
      sink: index,
      memory: new BatchMemory(),
      budget: new TurnBudget(clock),
      clock,
      counters: {
        add: (counter, _slot, amount, reason = "") =>
          counts.set(`${counter} ${reason}`, (counts.get(`${counter} ${reason}`) ?? 0) + amount),
      },
      log: { info: () => undefined, warn: (_fields, message) => warnings.push(message) },
    },
  );
  subscriber.start();
  closing.push(() => subscriber.close());
  return { index, subscriber, warnings, counts };
}

function overlap(index: PrefixIndex, tokenIds: readonly number[]): number {
  const out = new Int32Array(1);
  index.overlaps(hashBlocks(Uint32Array.from(tokenIds), { blockSize }), out);
  return out[0] ?? 0;
}

/** Prompts that share beginnings in threes. */
function promptOf(i: number): number[] {
  const family = Math.floor(i / 3);
  return Array.from({ length: 400 }, (_, at) => 1_000 + (((at < 160 ? family : 100 + i) * 7_919 + at * 31) % 50_000));
}

describe.each(["vllm", "sglang"] as const)("an engine of type %s", (type) => {
  it("is followed from late on, through evictions, as Dynamo's indexer follows it", async () => {
    const model = { name: "qwen3", folder: ensureModelFolder("qwen3") };
    const engine = await MockedEngine.start({ type, model, blocks: 200 });
    closing.push(() => engine.stop());
    const dynamo = await DynamoService.start("indexer");
    closing.push(() => dynamo.stop());
    const worker = {
      instance_id: 1,
      endpoint: engine.kvEvents,
      replay_endpoint: engine.kvReplay,
      block_size: blockSize,
    };
    expect((await dynamo.post("/register", { ...worker, model_name: "m" })).status).toBe(201);
    await engine.complete(promptOf(0));
    const { index, subscriber, warnings, counts } = follow(engine);
    await until(() => overlap(index, promptOf(0)) === 25, {
      what: "the first prompt to be replayed",
    });
    for (let i = 1; i < 20; i++) await engine.complete(promptOf(i));
    const theirs = async (tokenIds: readonly number[]) => {
      const { text } = await dynamo.post("/query", { token_ids: tokenIds, model_name: "m" });
      return (JSON.parse(text) as { scores: Record<string, Record<string, number>> }).scores["1"]?.["0"] ?? 0;
    };
    const compare = async () => {
      for (let i = 0; i < 20; i++) {
        const prompt = promptOf(i);
        expect({ i, blocks: overlap(index, prompt) }).toEqual({ i, blocks: (await theirs(prompt)) / blockSize });
      }
      return true;
    };
    await until(compare, { what: "both to agree on every prompt", intervalMs: 200 });
    expect(overlap(index, promptOf(19))).toBe(25);
    expect(counts.get("blocks_removed ") ?? 0).toBeGreaterThan(100);
    expect(index.stats).toMatchObject({ orphans: 0, unknownRemovals: 0, conflicts: 0 });
    expect(subscriber.status).toMatchObject({ isStale: false, isReadable: true, foreignBlockSize: undefined });
    expect(warnings).toEqual([]);
  });
});
