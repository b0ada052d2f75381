import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SimWorker, startSimWorker } from "../../src/sim-worker/index.ts";
import { freePorts } from "./support/free-ports.ts";
import { Replica, type ReplicaSettings } from "./support/replica.ts";
import { until } from "./support/until.ts";

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

/** A worker that has events, and a replay socket unless told otherwise. */
async function workerOf({ hasReplay = true, ...options }: { hasReplay?: boolean } = {}): Promise<SimWorker> {
  const replay = hasReplay ? { kvReplayPort: 0 } : {};
  const worker = await startSimWorker({ blockSize, kvEventsPort: 0, ...replay, timeScale: 0, ...options });
  closing.push(() => worker.close());
  return worker;
}

function startReplica(workers: readonly SimWorker[], settings: Partial<ReplicaSettings> = {}): Promise<Replica> {
  const started = Replica.start({ folder, workers, blockSize, ...settings });
  closing.push(async () => (await started).end());
  return started;
}

/** The token ids of the i-th prompt: four whole blocks and a rest. */
function promptOf(i: number): number[] {
  return Array.from({ length: 17 }, (_, at) => 1_000 * (i + 1) + at);
}

async function complete(worker: SimWorker, prompt: readonly number[]): Promise<void> {
  const body = JSON.stringify({ model: "sim-model", prompt, max_tokens: 1 });
  const answer = await fetch(`http://${worker.endpoint}/v1/completions`, { method: "POST", body });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

describe("a replica that starts beside another", () => {
  it("has what its peer has, though the workers can replay nothing, and follows them from there", async () => {
    const workers = [await workerOf({ hasReplay: false }), await workerOf({ hasReplay: false })] as const;
    const first = await startReplica(workers);
    for (const i of [0, 1, 2]) await complete(workers[0], promptOf(i));
    await complete(workers[1], promptOf(1));
    await until(async () => (await first.cachedBlocks(promptOf(1))).every((blocks) => blocks === 4), {
      what: "the first replica to have seen all",
    });
    const second = await startReplica(workers, { peers: { urls: [first.url] } });
    expect((await second.ready()).recovery).toMatchObject({ state: "recovered", peer: `${first.url}/`, blocks: 16 });
    for (const i of [0, 1, 2])
      expect(await second.cachedBlocks(promptOf(i))).toEqual(await first.cachedBlocks(promptOf(i)));
    await complete(workers[1], promptOf(7));
    await until(async () => (await second.cachedBlocks(promptOf(7)))[1] === 4, { what: "the second to follow" });
    expect(await second.problems()).toEqual([]);
    expect(await second.metric('pointsman_recovered_blocks{state="recovered"}')).toBe(16);
  });

  it("loses no event of the time in which it fetches the index, and is not ready before", async () => {
    const worker = await workerOf({ hasReplay: false });
    const first = await startReplica([worker]);
    await complete(worker, promptOf(0));
    await until(async () => (await first.cachedBlocks(promptOf(0)))[0] === 4, { what: "the first replica" });
    const dump = (await first.get("/dump")).text;
    // The dump is as of here, but comes to its end only when all else has happened.
    const held = Promise.withResolvers<void>();
    const slow = await slowPeer(dump, held.promise);
    const second = await startReplica([worker], { peers: { urls: [slow] }, waitsUntilReady: false });
    await until(async () => (await second.ready()).recovery?.state === "restoring", { what: "the dump to begin" });
    for (const i of [1, 2]) await complete(worker, promptOf(i));
    const before = await second.ready();
    expect(before).toMatchObject({ status: 503, ready: false });
    expect((await second.get("/dump")).status).toBe(503);
    expect(await second.cachedBlocks(promptOf(1))).toEqual([0]);
    held.resolve();
    await second.untilReady();
    for (const i of [0, 1, 2]) expect(await second.cachedBlocks(promptOf(i))).toEqual([4]);
    expect(await second.problems()).toEqual([]);
    expect((await second.get("/dump")).status).toBe(200);
  });

  it("starts without an index when its peer is killed in the middle of the dump", async () => {
    const worker = await workerOf({ hasReplay: false });
    const first = await startReplica([worker]);
    for (let i = 0; i < 50; i++) await complete(worker, promptOf(i));
    await until(async () => (await first.cachedBlocks(promptOf(49)))[0] === 4, { what: "the first replica" });
    const dump = (await first.get("/dump")).text;
    const dying = await slowPeer(dump, Promise.reject(new Error("killed")));
    const second = await startReplica([worker], { peers: { urls: [dying], seekMs: 500 } });
    expect((await second.ready()).recovery).toMatchObject({ state: "cold", blocks: 0 });
    expect(await second.cachedBlocks(promptOf(0))).toEqual([0]);
    expect(second.logged("no peer gave its index")).toMatchObject({ attempts: { cut_off: 1 } });
    await complete(worker, promptOf(60));
    await until(async () => (await second.cachedBlocks(promptOf(60)))[0] === 4, { what: "the second to follow" });
  });

  it("does not wait for one that starts at the same time, each having the other as its peer", async () => {
    const worker = await workerOf();
    await complete(worker, promptOf(0));
    const ports = await freePorts(2);
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const both = await Promise.all(
      ports.map((port, i) => startReplica([worker], { port, peers: { urls: [urls[1 - i] ?? ""], seekMs: 3_000 } })),
    );
    for (const replica of both) expect(await replica.cachedBlocks(promptOf(0))).toEqual([4]);
  });

  it("is restored by the other again and again", async () => {
    const worker = await workerOf({ hasReplay: false });
    const ports = await freePorts(2);
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const start = (i: number) =>
      startReplica([worker], { port: ports[i] ?? 0, peers: { urls: [urls[1 - i] ?? ""], seekMs: 200 } });
    const replicas = [await start(0), await start(1)];
    await complete(worker, promptOf(0));
    await until(async () => (await replicas[0]?.cachedBlocks(promptOf(0)))?.[0] === 4, { what: "the first replica" });
    await until(async () => (await replicas[1]?.cachedBlocks(promptOf(0)))?.[0] === 4, { what: "the second replica" });
    for (let round = 1; round <= 4; round++) {
      const i = round % 2;
      await replicas[i]?.end();
      await complete(worker, promptOf(round));
      await until(async () => (await replicas[1 - i]?.cachedBlocks(promptOf(round)))?.[0] === 4, { what: "the other" });
      replicas[i] = await start(i);
      for (let seen = 0; seen <= round; seen++) expect(await replicas[i]?.cachedBlocks(promptOf(seen))).toEqual([4]);
      expect(await replicas[i]?.problems()).toEqual([]);
    }
  });

  it("needs the token where its peer asks for one", async () => {
    const worker = await workerOf({ hasReplay: false });
    const tokenFile = join(folder, "token");
    await writeFile(tokenFile, "a-token-of-the-test\n");
    const first = await startReplica([worker], { tokenFile });
    await complete(worker, promptOf(0));
    await until(async () => (await first.cachedBlocks(promptOf(0)))[0] === 4, { what: "the first replica" });
    const refused = await startReplica([worker], { peers: { urls: [first.url] } });
    expect(refused.logged("a peer gave no index")).toMatchObject({ outcome: "refused", reason: /tokenFile/ });
    expect(await refused.cachedBlocks(promptOf(0))).toEqual([0]);
    const second = await startReplica([worker], { peers: { urls: [first.url], tokenFile } });
    expect(await second.cachedBlocks(promptOf(0))).toEqual([4]);
  });

  it("restores workers that register with it", async () => {
    const worker = await workerOf({ hasReplay: false });
    const first = await startReplica([]);
    await first.register(worker, 7);
    await until(async () => (await first.ready()).ready, { what: "the worker" });
    await first.listens();
    await complete(worker, promptOf(0));
    await until(async () => (await first.cachedBlocks(promptOf(0)))[0] === 4, { what: "the first replica" });
    const second = await startReplica([], { peers: { urls: [first.url] } });
    await second.register(worker, 7);
    await until(async () => (await second.ready()).ready, { what: "the second replica to be ready" });
    expect(await second.cachedBlocks(promptOf(0))).toEqual([4]);
  });
});

/** A peer that sends half of a dump, and the rest when it may; when it may not, it breaks off. */
async function slowPeer(dump: string, held: Promise<void>): Promise<string> {
  held.catch(() => undefined);
  const server: Server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(dump.slice(0, dump.length / 2));
    held.then(
      () => response.end(dump.slice(dump.length / 2)),
      () => setTimeout(() => response.destroy(), 100),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
