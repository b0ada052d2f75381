// KV events applied a second on one core: whole frames, and events that are decoded already; and what 50,000 blocks/s of them
// do to the event loop's delay.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pack } from "msgpackr";
import {
  chainHashes,
  decodeEventBatch,
  KvEventNormalizer,
  PrefixIndex,
  type StoredBlocks,
} from "../../src/kv/index.ts";
import { EventApplier } from "../../src/kv-events/event-applier.ts";
import { TurnBudget } from "../../src/kv-events/index.ts";

const blockSize = 16;
const blocksPerEvent = 32;
const eventsPerBatch = 2;
const batches = 4_000;
const clock = { now: () => performance.now() };

let state = 1;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return state >>> 0;
}

/** Frames as vLLM sends them: 32 blocks of 16 tokens a store, two stores a batch. */
const frames = Array.from({ length: batches }, (_, i) => {
  const events = Array.from({ length: eventsPerBatch }, () => [
    "BlockStored",
    Array.from({ length: blocksPerEvent }, () => (BigInt(random()) << 32n) | BigInt(random())),
    null,
    Array.from({ length: blocksPerEvent * blockSize }, () => random() % 151_936),
    blockSize,
    null,
    "GPU",
  ]);
  return pack([1_700_000_000 + i / 100, events, 0]);
});
const blocks = batches * eventsPerBatch * blocksPerEvent;

const index = new PrefixIndex({ blockSize, maxBlocks: 1 << 20 });
const normalizer = new KvEventNormalizer(blockSize);

function applyBatch(batch: ReturnType<typeof decodeEventBatch>): void {
  for (const event of batch.events) {
    const change = normalizer.normalize(event, (hash) => index.cacheSaltOf(0, hash));
    if (change.kind === "store") index.store(0, change.run.slice(0, change.run.count));
  }
}

/** By CPU time, since a busy machine says little by its clock; the best of five rounds, each on an emptied index. */
function rate(label: string, work: () => void): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) {
    index.clear(0);
    index.sweep(Number.POSITIVE_INFINITY);
    const from = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(from);
    best = Math.min(best, user + system);
  }
  console.log(`${label}: ${(blocks / best).toFixed(2)} M blocks/s of CPU time`);
}

const decoded = frames.map((frame) => decodeEventBatch(frame));
const stores: StoredBlocks[] = [];
for (const { events } of decoded) {
  for (const event of events) {
    const change = normalizer.normalize(event, () => undefined);
    if (change.kind === "store") stores.push(change.run.slice(0, change.run.count));
  }
}
rate("decode", () => {
  for (const frame of frames) decodeEventBatch(frame);
});
rate("store normalised events", () => {
  for (const blocks of stores) index.store(0, blocks);
});
rate("normalise (hash the tokens) and store decoded events", () => {
  for (const batch of decoded) applyBatch(batch);
});
rate("whole frames", () => {
  for (const frame of frames) applyBatch(decodeEventBatch(frame));
});

/** Time of lookups of 512 blocks, one a turn of the event loop, while frames are applied at a given rate. */
async function lookupDelays(blocksPerSecond: number): Promise<string> {
  index.clear(0);
  index.sweep(Number.POSITIVE_INFINITY);
  const applier = new EventApplier(
    { slot: 0, blockSize },
    {
      sink: index,
      budget: new TurnBudget(clock),
      counters: { add: () => undefined },
    },
    new AbortController().signal,
  );
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const started = performance.now();
  let applied = 0;
  const out = new Int32Array(1);
  const local = Uint32Array.from({ length: 1_024 }, random);
  const hashes = { count: 512, local, sequence: chainHashes(local) };
  while (performance.now() - started < 3_000) {
    const due = ((performance.now() - started) / 1_000) * blocksPerSecond;
    while (applied < due) {
      await applier.apply(frames[(applied / 64) % frames.length] as Buffer, true);
      applied += eventsPerBatch * blocksPerEvent;
    }
    index.overlaps(hashes, out);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  delay.disable();
  return `event loop delay p50 ${(delay.percentile(50) / 1e6).toFixed(2)} p99 ${(delay.percentile(99) / 1e6).toFixed(2)} ms`;
}

for (const blocksPerSecond of [0, 50_000]) {
  console.log(`${blocksPerSecond} blocks/s: ${await lookupDelays(blocksPerSecond)}`);
}
