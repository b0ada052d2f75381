import fc from "fast-check";
import { expect, it } from "vitest";
import { hashBlocks, PrefixIndex, restoreChange } from "../../../src/kv/index.ts";
import { EventApplier } from "../../../src/kv-events/event-applier.ts";
import type { NumberedPayload } from "../../../src/kv-events/frames.ts";
import { BatchMemory, type StreamPoint, TurnBudget } from "../../../src/kv-events/index.ts";
import { StreamFollower } from "../../../src/kv-events/stream-follower.ts";
import { WaitingBatches } from "../../../src/kv-events/waiting-batches.ts";
import { FakeClock } from "../load/fake-clock.ts";
import { type Format, ModelEngine, type Path } from "./model-engine.ts";

/** One replica's view of the engine. */
class Replica {
  readonly index = new PrefixIndex({ blockSize: 4, maxBlocks: 5_000 });
  readonly follower: StreamFollower;

  constructor(engine: ModelEngine, hasReplay: boolean) {
    const clock = new FakeClock();
    const counters = { add: () => undefined };
    const signal = new AbortController().signal;
    const sink = { sink: this.index, budget: new TurnBudget(clock), counters };
    this.follower = new StreamFollower(
      { slot: 0, onLostTrack: "reset", replayBackoffMs: 0 },
      {
        applier: new EventApplier({ slot: 0, blockSize: 4 }, sink, signal),
        replay: hasReplay ? (sequence) => replayed(engine, sequence) : undefined,
        counters,
        log: { info: () => undefined, warn: () => undefined },
        clock,
      },
    );
  }

  overlap(path: Path): number {
    const tokens = path.flatMap((block) => [4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3]);
    const out = new Int32Array(1);
    this.index.overlaps(hashBlocks(Uint32Array.from(tokens), { blockSize: 4 }), out);
    return out[0] ?? 0;
  }
}

async function* replayed(engine: ModelEngine, sequence: number) {
  yield* engine.buffered(sequence);
}

const format: Format = { batch: "three", event: "array", hash: "unsigned", movesByHash: false };
const path: fc.Arbitrary<Path> = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 });
const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ op: fc.constant("store" as const), path, extra: fc.nat(1) }) },
  { weight: 8, arbitrary: fc.record({ op: fc.constant("evict" as const), path }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("clear" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("restart" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const steps = (maxLength: number) => fc.array(step, { maxLength });

const story = fc.record({
  hasReplay: fc.boolean(),
  /** Whether the peer tells how far it had followed; Dynamo's do not. */
  hasPoint: fc.boolean(),
  bufferBatches: fc.integer({ min: 1, max: 30 }),
  before: steps(25),
  /** Between the subscription of the new replica and the dump. */
  subscribed: steps(6),
  /** While the dump is made, one after each part of it. */
  duringDump: steps(12),
  /** Until the dump is restored. */
  afterDump: steps(6),
  after: steps(15),
});

/** Does what a step says, and tells the batch of it. */
function act(engine: ModelEngine, each: Step): NumberedPayload {
  if (each.op === "store") engine.store(each.path, each.extra, format, false);
  else if (each.op === "evict") engine.evict(each.path, format);
  else if (each.op === "clear") engine.clear(format);
  else engine.restart();
  return engine.publish(format);
}

it("a replica that is restored from a peer's dump holds what the engine holds, whatever happens meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ hasReplay, hasPoint, bufferBatches, ...told }) => {
      const engine = new ModelEngine(bufferBatches);
      const peer = new Replica(engine, hasReplay);
      const joiner = new Replica(engine, hasReplay);
      const waiting = new WaitingBatches(new BatchMemory(), 1_000);
      const run = async (each: Step, isSubscribed: boolean) => {
        const batch = act(engine, each);
        await peer.follower.onLive(batch);
        if (isSubscribed) waiting.add(batch);
      };
      for (const each of told.before) await run(each, false);
      for (const each of told.subscribed) await run(each, true);
      const point: StreamPoint | undefined = hasPoint ? peer.follower.point : undefined;
      const meanwhile = told.duringDump.values();
      for (const change of peer.index.dump()) {
        restoreChange(joiner.index, change);
        const { value } = meanwhile.next();
        if (value !== undefined) await run(value, true);
      }
      for (const each of [...meanwhile, ...told.afterDump]) await run(each, true);
      joiner.follower.resume(point);
      await joiner.follower.rejoin(waiting, true);
      await joiner.follower.catchUp();
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await joiner.follower.onLive(next);
      joiner.follower.settle();
      for (const each of [...told.after, { op: "store", path: [1], extra: 0 } as const]) {
        const batch = act(engine, each);
        await peer.follower.onLive(batch);
        await joiner.follower.onLive(batch);
      }
      for (const asked of [
        [1, 1, 1],
        [1, 2, 3],
        [2, 1],
        [3, 3, 1],
        [2, 2, 2],
      ]) {
        const [held] = engine.overlap([...asked, 1, 1]);
        const seen = joiner.overlap([...asked, 1, 1]);
        if (engine.hasHadCopies) expect(seen).toBeLessThanOrEqual(held);
        else expect(seen).toBe(held);
      }
    }),
    { numRuns: 4_000 },
  );
}, 120_000);
