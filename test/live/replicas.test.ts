import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SimWorker, startSimWorker } from "../../src/sim-worker/index.ts";
import { FakePeer } from "../contract/kv-events/peers.ts";
import { Replica } from "../e2e/support/replica.ts";
import { until } from "../e2e/support/until.ts";
import { DynamoService } from "./support/dynamo-service.ts";

const blockSize = 4;
const closing: (() => Promise<unknown>)[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-replicas-"));
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await rm(folder, { recursive: true });
});

/** Two workers whose hashes agree, as a tree of Dynamo's needs; they can replay nothing. */
async function twoWorkers(): Promise<readonly [SimWorker, SimWorker]> {
  const make = async () => {
    const worker = await startSimWorker({ blockSize, kvEventsPort: 0, timeScale: 0, hashSeed: "agreed" });
    closing.push(() => worker.close());
    return worker;
  };
  return [await make(), await make()];
}

async function replicaOf(workers: readonly SimWorker[], urls: readonly string[]): Promise<Replica> {
  const replica = await Replica.start({ folder, workers, blockSize, peers: { urls } });
  closing.push(() => replica.end());
  return replica;
}

async function dynamoOf(...args: Parameters<typeof DynamoService.start>): Promise<DynamoService> {
  const service = await DynamoService.start(...args);
  closing.push(() => service.stop());
  return service;
}

/** Token ids of prompts of four blocks; 0 and 1 share two of them, and so do 2 and 3. */
const prompts = [0, 1, 2, 3].map((i) =>
  Array.from({ length: 16 }, (_, at) => (at < 8 ? 100 * (i >>> 1) + at : 1_000 * (i + 1) + at)),
);

async function complete(worker: SimWorker, prompt: readonly number[]): Promise<void> {
  const body = JSON.stringify({ model: "sim-model", prompt: [...prompt, 7], max_tokens: 1 });
  const answer = await fetch(`http://${worker.endpoint}/v1/completions`, { method: "POST", body });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
}

/** What both workers hold after `fill`, of each prompt. */
const filled = [
  [4, 2],
  [2, 4],
  [4, 0],
  [2, 0],
];

async function fill(workers: readonly [SimWorker, SimWorker]): Promise<void> {
  await complete(workers[0], prompts[0] ?? []);
  await complete(workers[0], prompts[2] ?? []);
  await complete(workers[1], prompts[1] ?? []);
}

function ours(replica: Replica): Promise<unknown> {
  return Promise.all(prompts.map((prompt) => replica.cachedBlocks(prompt)));
}

type Kind = "indexer" | "select_service";

/** Blocks of each prompt that the workers 1 and 2 hold, as a service of Dynamo's sees it. */
async function theirs(kind: Kind, service: DynamoService): Promise<unknown> {
  const of = async (prompt: readonly number[]): Promise<number[]> => {
    const path = kind === "indexer" ? "/query" : "/overlap_scores";
    const answer = await service.post(path, { token_ids: prompt, model_name: "m" });
    const body = JSON.parse(answer.text);
    if (kind === "indexer") return ["1", "2"].map((id) => (body.scores?.[id]?.["0"] ?? 0) / blockSize);
    const byWorker = (id: number) => body.workers.find((each: { worker_id: number }) => each.worker_id === id);
    return [1, 2].map((id) => byWorker(id)?.device_blocks ?? 0);
  };
  return Promise.all(prompts.map(of));
}

async function register(kind: Kind, service: DynamoService, workers: readonly SimWorker[]): Promise<void> {
  for (const [i, { endpoint, kvEventsEndpoint }] of workers.entries()) {
    const common = { model_name: "m", block_size: blockSize };
    const answer =
      kind === "indexer"
        ? await service.post("/register", { ...common, instance_id: i + 1, endpoint: kvEventsEndpoint })
        : await service.post("/workers", {
            ...common,
            worker_id: i + 1,
            endpoint: `http://${endpoint}`,
            kv_events_endpoint: kvEventsEndpoint,
          });
    expect(answer.status).toBe(201);
  }
}

async function untilEqual(what: string, look: () => Promise<unknown>): Promise<void> {
  const isEqual = async () => JSON.stringify(await look()) === JSON.stringify(filled);
  await until(isEqual, { what, intervalMs: 50 });
}

describe.each<Kind>(["indexer", "select_service"])("a replica and Dynamo's %s", (kind) => {
  it("starts with what that one has, and follows from there", async () => {
    const workers = await twoWorkers();
    const dynamo = await dynamoOf(kind);
    await register(kind, dynamo, workers);
    // It tells of no connection: what is told before there is one is not seen again.
    const warm = Array.from({ length: 4 }, (_, i) => 90_000 + i);
    await until(
      async () => {
        for (const worker of workers) {
          worker.resetCache();
          await complete(worker, warm);
        }
        return (await dynamo.get("/dump")).text.split('"worker_id":2,').length > 1;
      },
      { what: "the service to listen", intervalMs: 50 },
    );
    await fill(workers);
    await untilEqual("the service to see it all", () => theirs(kind, dynamo));
    const replica = await replicaOf(workers, [dynamo.endpoint]);
    expect((await replica.ready()).recovery).toMatchObject({ state: "recovered", peer: `${dynamo.endpoint}/` });
    expect(await ours(replica)).toEqual(filled);
    await complete(workers[1], prompts[3] ?? []);
    await until(async () => (await replica.cachedBlocks(prompts[3] ?? []))[1] === 4, { what: "the replica to follow" });
    expect(await replica.problems()).toEqual([]);
  });

  it("gives that one what it has", async () => {
    const workers = await twoWorkers();
    const replica = await replicaOf(workers, []);
    await fill(workers);
    await untilEqual("the replica to see it all", () => ours(replica));
    const option = kind === "indexer" ? "--peers" : "--indexer-peers";
    const dynamo = await dynamoOf(kind, [option, replica.url]);
    // The selection service tells only of workers that it has.
    if (kind === "select_service") await register(kind, dynamo, workers);
    await untilEqual("the service to be restored", () => theirs(kind, dynamo));
  });

  it("does not keep that one from starting while it has no index itself", async () => {
    const text = '{"error":"this replica is starting","code":"starting","recovery":"seeking"}';
    const peer = await FakePeer.answering(503, text);
    closing.push(() => peer.stop());
    const option = kind === "indexer" ? "--peers" : "--indexer-peers";
    const dynamo = await dynamoOf(kind, [option, peer.url]);
    await until(() => peer.authorizations.length > 0, { what: "the service to ask" });
    const workers = await twoWorkers();
    await register(kind, dynamo, workers);
    await until(
      async () => {
        for (const worker of workers) worker.resetCache();
        await fill(workers);
        return JSON.stringify(await theirs(kind, dynamo)) === JSON.stringify(filled);
      },
      { what: "the service to follow", intervalMs: 200 },
    );
  });
});
