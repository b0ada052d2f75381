import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { hashBlocks, PrefixIndex, restoreChange } from "../../src/kv/index.ts";
import { DumpReader, dumpText } from "../../src/kv-events/index.ts";
import { until } from "../e2e/support/until.ts";
import { FakeEngine, removed, stored } from "../unit/kv-events/fake-engine.ts";
import { FollowedRank } from "../unit/kv-events/followed-rank.ts";
import { DynamoService } from "./support/dynamo-service.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Prompts of blocks of four tokens: block n holds the tokens 4n to 4n + 3. */
const prompts = [[1, 2, 3, 4, 5, 6], [1, 2, 3, 9], [7, 8], [1], [20]];

function tokensOf(blocks: readonly number[]): number[] {
  return blocks.flatMap((block) => [0, 1, 2, 3].map((i) => 4 * block + i));
}

/** Blocks of each prompt that slots 0 and 1 hold, as workers 1 and 2. */
function ourScores(index: PrefixIndex): unknown {
  return prompts.map((blocks) => {
    const out = new Int32Array(2);
    index.overlaps(hashBlocks(Uint32Array.from(tokensOf(blocks)), { blockSize: 4 }), out);
    return [...out];
  });
}

async function dynamosScores(service: DynamoService, model: string): Promise<unknown> {
  const answers: unknown[] = [];
  for (const blocks of prompts) {
    const { text } = await service.post("/query", { token_ids: tokensOf(blocks), model_name: model });
    const { scores = {} } = JSON.parse(text) as { scores?: Record<string, Record<string, number>> };
    answers.push(["1", "2"].map((worker) => (scores[worker]?.["0"] ?? 0) / 4));
  }
  return answers;
}

/** Two engines with hashes that agree, which a Dynamo tree needs, and what they have stored and removed. */
async function twoEngines(): Promise<readonly [FakeEngine, FakeEngine]> {
  const engines = [await FakeEngine.start({ replay: "plain" }), await FakeEngine.start({ replay: "plain" })] as const;
  for (const engine of engines) closing.push(() => engine.stop());
  await engines[0].publish([stored([1, 2, 3]), stored([4, 5], 3), stored([7, 8])]);
  await engines[0].publish([removed([8])]);
  await engines[1].publish([stored([1, 2]), stored([3], 2), stored([9], 3)]);
  return engines;
}

async function served(text: Iterable<string>): Promise<string> {
  const server: Server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end([...text].join(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("dumps between ours and Dynamo's", () => {
  it.each([
    { service: "indexer", option: "--peers" },
    { service: "select_service", option: "--indexer-peers" },
  ] as const)("the $service recovers from ours", async ({ service, option }) => {
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 1_000 });
    const engines = await twoEngines();
    for (const [slot, engine] of engines.entries()) {
      const rank = new FollowedRank(engine, { index, slot });
      closing.push(() => rank.subscriber.close());
    }
    await until(async () => index.blockCount === 10, {
      what: "the index to be filled",
      intervalMs: 20,
    });
    const salted = { parentHash: undefined, blockHashes: Uint32Array.of(99, 0), localHashes: Uint32Array.of(5, 5) };
    index.store(0, { ...salted, cacheSalt: "tenant" });
    const group = { model: "m", routingGroup: "default", blockSize: 4, changes: index.dump() };
    const url = await served([...dumpText([group], (slot) => ({ workerId: BigInt(slot + 1), dpRank: 0 }))]);
    const dynamo = await DynamoService.start(service, [option, url]);
    closing.push(() => dynamo.stop());
    const dumped = async () => (await dynamo.get("/dump")).text.includes("tokens_hash");
    await until(dumped, { what: "the peer to have recovered", intervalMs: 100 });
    const again = new PrefixIndex({ blockSize: 4, maxBlocks: 1_000 });
    restore(again, (await dynamo.get("/dump")).text, "m:default");
    expect(ourScores(again)).toEqual(ourScores(index));
    if (service === "indexer") expect(await dynamosScores(dynamo, "m")).toEqual(ourScores(index));
  });

  it("ours recovers from the indexer", async () => {
    const dynamo = await DynamoService.start("indexer");
    closing.push(() => dynamo.stop());
    const engines = await twoEngines();
    for (const [i, { endpoints }] of engines.entries()) {
      const worker = { instance_id: i + 1, endpoint: endpoints.events, replay_endpoint: endpoints.replay };
      const answer = await dynamo.post("/register", { ...worker, model_name: "m", block_size: 4 });
      expect(answer.status).toBe(201);
    }
    await Promise.all(engines.map((engine) => engine.subscribed()));
    await engines[0].publish([stored([6], 5)]);
    await engines[1].publish([stored([20])]);
    const hasAll = async () => JSON.stringify(await dynamosScores(dynamo, "m")) === JSON.stringify(expected);
    const expected = [
      [6, 3],
      [3, 4],
      [1, 0],
      [1, 1],
      [0, 1],
    ];
    await until(hasAll, { what: "the indexer to hold it all", intervalMs: 50 });
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 1_000 });
    restore(index, (await dynamo.get("/dump")).text, "m:default");
    expect(ourScores(index)).toEqual(expected);
  });
});

function restore(index: PrefixIndex, text: string, group: string): void {
  const reader = new DumpReader();
  for (const event of reader.read(Buffer.from(text))) {
    if (event === undefined) continue;
    expect(event).toMatchObject({ group, blockSize: 4, dpRank: 0 });
    const { change, workerId } = event;
    if (change.kind !== "clear") restoreChange(index, { slot: Number(workerId) - 1, change });
  }
  reader.end();
  expect(reader.skippedEvents).toBe(0);
}
