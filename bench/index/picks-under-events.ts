import { Worker } from "node:worker_threads";
import { chainHashes, hashBlocks, PrefixIndex } from "../../src/kv/index.ts";
import { BatchMemory, type KvEventCounter, KvEventSubscriber, TurnBudget } from "../../src/kv-events/index.ts";
import { depth, quantile, randomWords, sequencesOf } from "./workload.ts";

const blockSize = 16;
const workers = 64;
const eventRate = 50_000;
const runMs = 2_500;
const clock = { now: () => performance.now() };

/** Of one round, p99 in ms. */
interface Delays {
  /** From when a pick was due to its end. */
  readonly wall: number;
  /** CPU time that this thread has spent since the pick before: what a pick has to wait for at most, however busy the machine is. */
  readonly cpu: number;
}

/**
 * What a pick does on the main thread, each millisecond, whatever else goes on there: hashing 512 blocks and looking up who holds them.
 * Rounds without and with events take turns, so that both meet the same machine.
 */
export async function picksUnderEvents(rounds: number): Promise<string[]> {
  const index = filledIndex();
  const engine = new Worker(new URL("engine-thread.ts", import.meta.url));
  const endpoint = await new Promise<string>((resolve) => engine.once("message", resolve));
  let applied = 0;
  const counters = {
    add: (counter: KvEventCounter, _slot: number, amount: number) => {
      if (counter === "blocks_stored") applied += amount;
    },
  };
  const log = { info: () => undefined, warn: () => undefined };
  const subscriber = new KvEventSubscriber(
    { endpoint, slot: workers, blockSize },
    { memory: new BatchMemory(), sink: index, budget: new TurnBudget(clock), counters, log, clock },
  );
  subscriber.start();
  const quiet: Delays[] = [];
  const busy: Delays[] = [];
  const rates: number[] = [];
  await pickDelays(index);
  for (let round = 0; round < rounds; round++) {
    engine.postMessage(0);
    quiet.push(await pickDelays(index));
    engine.postMessage(eventRate);
    const [before, from] = [applied, performance.now()];
    busy.push(await pickDelays(index));
    rates.push(((applied - before) * 1_000) / (performance.now() - from));
    index.clear(workers);
  }
  await subscriber.close();
  await engine.terminate();
  const line = (name: string, of: (delays: Delays) => number) => {
    const [without, withEvents] = [quiet, busy].map((all) => quantile(all.map(of), 0.5)) as [number, number];
    return `${name}: p99 ${without.toFixed(2)} ms without, ${withEvents.toFixed(2)} ms with: ${(withEvents - without).toFixed(2)} ms more`;
  };
  return [
    `${Math.round(quantile(rates, 0.5))} blocks/s applied; medians of all rounds; bar: 2 ms more`,
    line("CPU time of the thread that a pick waits for", ({ cpu }) => cpu),
    line("by the clock, which other processes share", ({ wall }) => wall),
  ];
}

function filledIndex(): PrefixIndex {
  const index = new PrefixIndex({ blockSize, maxBlocks: 1 << 20 });
  for (const { slot, local, engine } of sequencesOf(workers, 500_000, randomWords(3))) {
    index.store(slot, { parentHash: undefined, blockHashes: engine, localHashes: local });
  }
  return index;
}

async function pickDelays(index: PrefixIndex): Promise<Delays> {
  const out = {
    device: new Int32Array(workers + 1),
    host: new Int32Array(workers + 1),
    disk: new Int32Array(workers + 1),
  };
  const tokens = randomWords(5)(depth * blockSize).map((word) => word % 151_936);
  const wall: number[] = [];
  const cpu: number[] = [];
  const until = performance.now() + runMs;
  let usage = process.threadCpuUsage();
  for (let due = performance.now() + 1; due < until; due = Math.max(due + 1, performance.now())) {
    while (performance.now() < due) await new Promise((resolve) => setTimeout(resolve, 1));
    const { local } = hashBlocks(tokens, { blockSize });
    index.tierOverlaps({ count: depth, local, sequence: chainHashes(local) }, out);
    wall.push(performance.now() - due);
    const spent = process.threadCpuUsage(usage);
    usage = process.threadCpuUsage();
    cpu.push((spent.user + spent.system) / 1_000);
  }
  return { wall: quantile(wall, 0.99), cpu: quantile(cpu, 0.99) };
}
