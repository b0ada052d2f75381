import { Unpackr } from "msgpackr";
import { afterEach, describe, expect, it } from "vitest";
import { Dealer, Subscriber } from "zeromq";
import { type SimWorker, type SimWorkerOptions, startSimWorker } from "../../../src/sim-worker/index.ts";
import { until } from "./until.ts";

const unpackr = new Unpackr({ int64AsType: "bigint", useRecords: false });
const endSequence = Buffer.alloc(8, 0xff);
const closing: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(options: SimWorkerOptions = {}): Promise<SimWorker> {
  const worker = await startSimWorker({ timeScale: 0, blockSize: 4, kvEventsPort: 0, kvReplayPort: 0, ...options });
  closing.push(() => worker.close(0));
  return worker;
}

async function ask(worker: SimWorker, prompt: readonly number[]): Promise<void> {
  const body = JSON.stringify({ model: "m", prompt, max_tokens: 1 });
  await (await fetch(`http://${worker.endpoint}/v1/completions`, { method: "POST", body })).text();
}

/** Frames of every live batch; returns when the subscription has reached the worker. */
async function subscribe(worker: SimWorker): Promise<Buffer[][]> {
  const socket = new Subscriber({ linger: 0 });
  closing.push(() => socket.close());
  socket.connect(worker.kvEventsEndpoint ?? "");
  socket.subscribe();
  const received: Buffer[][] = [];
  void (async () => {
    for await (const frames of socket) received.push(frames);
  })();
  await until(() => {
    worker.resetCache();
    return received.length > 0;
  });
  return received;
}

async function replay(worker: SimWorker, from: bigint): Promise<Buffer[][]> {
  const socket = new Dealer({ linger: 0, receiveTimeout: 2_000 });
  closing.push(() => socket.close());
  socket.connect(worker.kvReplayEndpoint ?? "");
  const start = Buffer.alloc(8);
  start.writeBigUInt64BE(from);
  await socket.send([Buffer.alloc(0), start]);
  const answers: Buffer[][] = [];
  for await (const frames of socket) {
    answers.push(frames);
    if (frames.some((frame) => frame.equals(endSequence))) break;
  }
  return answers;
}

function eventsOf(payload: Buffer | undefined): unknown[][] {
  return (unpackr.unpack(payload ?? Buffer.alloc(0)) as [number, unknown[][]])[1];
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe("KV events", () => {
  it("tells of the blocks that a prompt stores, in three frames with consecutive numbers", async () => {
    const worker = await start();
    const received = await subscribe(worker);
    const before = received.at(-1)?.[1]?.readBigUInt64BE() ?? 0n;
    received.length = 0;
    await ask(worker, numbers(10));
    await until(() => received.length >= 1 && received.at(-1)?.[2] !== undefined);
    const stored = received.find((frames) => eventsOf(frames[2])[0]?.[0] === "BlockStored");
    expect(stored).toHaveLength(3);
    expect(stored?.[0]).toHaveLength(0);
    expect(stored?.[1]?.readBigUInt64BE()).toBeGreaterThan(before);
    const [event] = eventsOf(stored?.[2]);
    expect(event?.slice(2)).toEqual([null, numbers(8), 4, null, "GPU", null, null]);
    expect(event?.[1]).toHaveLength(2);
  });

  it("puts evictions before the stores that caused them, in one batch", async () => {
    const worker = await start({ gpuBlocks: 3 });
    await ask(worker, numbers(8));
    await ask(worker, [50, 51, 52, 53, 54, 55, 56, 57]);
    const answers = await replay(worker, 1n);
    expect(eventsOf(answers[0]?.at(-1)).map(([tag]) => tag)).toEqual(["BlockRemoved", "BlockRemoved", "BlockStored"]);
  });

  it("clears on reset", async () => {
    const worker = await start();
    await ask(worker, numbers(8));
    await fetch(`http://${worker.endpoint}/sim/reset`, { method: "POST" });
    const answers = await replay(worker, 1n);
    expect(eventsOf(answers[0]?.at(-1))).toEqual([["AllBlocksCleared"]]);
  });

  it.each([
    { kvReplayFraming: "with-topic" as const, frames: 4 },
    { kvReplayFraming: "without-topic" as const, frames: 3 },
  ])("replays what is held and then its end ($kvReplayFraming)", async ({ kvReplayFraming, frames }) => {
    const worker = await start({ kvReplayFraming, kvReplayBatches: 3 });
    for (let count = 0; count < 5; count += 1) await ask(worker, [count, count, count, count]);
    const answers = await replay(worker, 0n);
    expect(answers.map((answer) => answer.length)).toEqual([frames, frames, frames, frames]);
    expect(answers.map((answer) => answer.at(-2)?.readBigInt64BE())).toEqual([2n, 3n, 4n, -1n]);
    expect(answers.at(-1)?.at(-1)).toHaveLength(0);
    expect(await replay(worker, 4n)).toHaveLength(2);
    expect(await replay(worker, 99n)).toHaveLength(1);
  });

  it("keeps the number of a batch that it loses, and can replay it", async () => {
    const worker = await start();
    const received = await subscribe(worker);
    worker.configure({ eventLossRate: 1 });
    await ask(worker, numbers(8));
    worker.configure({ eventLossRate: 0 });
    const lost = BigInt(worker.stats().eventBatches - 1);
    await ask(worker, numbers(16));
    await until(() => received.some((frames) => frames[1]?.readBigUInt64BE() === lost + 1n));
    expect(received.some((frames) => frames[1]?.readBigUInt64BE() === lost)).toBe(false);
    const [answer] = await replay(worker, lost);
    expect(eventsOf(answer?.at(-1))[0]?.[0]).toBe("BlockStored");
  });

  it("gives two workers different block ids, unless they share a seed", async () => {
    const idsOf = async (options: SimWorkerOptions) => {
      const worker = await start(options);
      await ask(worker, numbers(8));
      return eventsOf((await replay(worker, 0n))[0]?.at(-1))[0]?.[1];
    };
    const shared = await idsOf({ hashSeed: "0" });
    expect(await idsOf({ hashSeed: "0" })).toEqual(shared);
    expect(await idsOf({})).not.toEqual(await idsOf({}));
  });

  it("has no sockets without a port for them", async () => {
    const worker = await startSimWorker({ timeScale: 0 });
    closing.push(() => worker.close(0));
    expect([worker.kvEventsEndpoint, worker.kvReplayEndpoint]).toEqual([undefined, undefined]);
  });
});
