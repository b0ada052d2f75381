import { describe, expect, it } from "vitest";
import { BlockCache } from "../../../src/sim-worker/block-cache.ts";
import { BlockIdentity } from "../../../src/sim-worker/block-identity.ts";
import { type EngineTiming, type SequenceRequest, SimEngine } from "../../../src/sim-worker/engine.ts";
import { EngineMetrics } from "../../../src/sim-worker/engine-metrics.ts";
import { FakeClock, settle } from "./fake-clock.ts";

const timing: EngineTiming = {
  maxNumSeqs: 2,
  ttftBaseMs: 10,
  prefillTimePerTokenUs: 1000,
  interTokenMs: 5,
  prefillMode: "serial",
  loadFactor: 1,
};

function engineOf(changes: Partial<EngineTiming> = {}, gpuBlocks = 64) {
  const clock = new FakeClock();
  const identity = new BlockIdentity(4, "seed");
  const cache = new BlockCache({ capacityBlocks: gpuBlocks, blockSize: 4, identity, onEvent: () => undefined });
  const metrics = new EngineMetrics("m", { blockSize: 4, gpuBlocks });
  const engine = new SimEngine(cache, { ...timing, ...changes }, clock, metrics);
  return { clock, engine, metrics };
}

/** A prompt of 20 tokens that no other `start` shares. */
function request(start: number, changes: Partial<SequenceRequest> = {}): SequenceRequest {
  const tokenIds = Uint32Array.from({ length: 20 }, (_, index) => start * 100 + index);
  return { tokenIds, outputTokens: 3, namespace: "", everyToken: true, ...changes };
}

/** Runs a request and notes when each of its steps came. */
function follow(engine: SimEngine, clock: FakeClock, asked: SequenceRequest, signal = new AbortController().signal) {
  const times: number[] = [];
  const done = (async () => {
    for await (const _ of engine.generate(asked, signal)) times.push(clock.now());
  })();
  done.catch(() => undefined);
  return { times, done };
}

describe("SimEngine", () => {
  it("gives the first token after base and prefill, the others one by one", async () => {
    const { clock, engine } = engineOf();
    const { times } = follow(engine, clock, request(1));
    await clock.advance(100);
    expect(times).toEqual([30, 35, 40]);
  });

  it("does not prefill what is cached", async () => {
    const { clock, engine } = engineOf();
    follow(engine, clock, request(1));
    await clock.advance(100);
    const { times } = follow(engine, clock, request(1));
    await clock.advance(100);
    // 16 of the 20 tokens are cached: the last block holds the token that is always computed.
    expect(times[0]).toBe(100 + 10 + 4);
  });

  it("prefills one request after another when serial", async () => {
    const { clock, engine } = engineOf();
    const first = follow(engine, clock, request(1));
    const second = follow(engine, clock, request(2));
    await clock.advance(200);
    expect([first.times[0], second.times[0]]).toEqual([30, 50]);
  });

  it("prefills side by side when parallel", async () => {
    const { clock, engine } = engineOf({ prefillMode: "parallel" });
    const first = follow(engine, clock, request(1));
    const second = follow(engine, clock, request(2));
    await clock.advance(200);
    expect([first.times[0], second.times[0]]).toEqual([30, 30]);
  });

  it("slows down by the load factor when full", async () => {
    const { clock, engine } = engineOf({ prefillMode: "parallel", loadFactor: 3 });
    follow(engine, clock, request(1));
    const second = follow(engine, clock, request(2));
    await clock.advance(200);
    expect(second.times[0]).toBe(10 + 20 * 3);
  });

  it("runs as many requests as it may and lets the others wait", async () => {
    const { clock, engine } = engineOf({ prefillMode: "parallel" });
    const runs = [1, 2, 3].map((start) => follow(engine, clock, request(start)));
    await settle();
    expect([engine.running, engine.waiting]).toEqual([2, 1]);
    await clock.advance(200);
    expect(runs[2]?.times[0]).toBe(40 + 30);
    expect([engine.running, engine.waiting]).toEqual([0, 0]);
  });

  it("lets a request wait for blocks", async () => {
    const { clock, engine } = engineOf({ prefillMode: "parallel" }, 8);
    const runs = [1, 2].map((start) => follow(engine, clock, request(start)));
    await settle();
    expect([engine.running, engine.waiting]).toEqual([1, 1]);
    await clock.advance(200);
    expect(runs[1]?.times).toHaveLength(3);
  });

  it("leaves at once when its client does, running or waiting, and lets the next one in", async () => {
    const { clock, engine } = engineOf({ maxNumSeqs: 1 });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = follow(engine, clock, request(1), running.signal);
    const second = follow(engine, clock, request(2), waiting.signal);
    const third = follow(engine, clock, request(3));
    await clock.advance(5);
    waiting.abort(new Error("left"));
    running.abort(new Error("left"));
    await expect(first.done).rejects.toThrow("left");
    await expect(second.done).rejects.toThrow("left");
    await clock.advance(200);
    expect(third.times[0]).toBe(5 + 30);
    expect([engine.running, engine.waiting, engine.cache.blocksInUse]).toEqual([0, 0, 0]);
  });

  it("tells only the first and the last token when asked to", async () => {
    const { clock, engine } = engineOf();
    const { times } = follow(engine, clock, request(1, { everyToken: false, outputTokens: 9 }));
    await clock.advance(200);
    expect(times).toEqual([30, 70]);
  });

  it("charges a prompt that exceeds the cache like one that fills it", async () => {
    const { clock, engine } = engineOf({}, 2);
    const { times } = follow(engine, clock, request(1));
    await clock.advance(200);
    expect(times[0]).toBe(10 + 8);
  });
});
