import fc from "fast-check";
import { expect, it } from "vitest";
import { hashBlocks, PrefixIndex, type TierOverlaps } from "../../../src/kv/index.ts";
import { EventApplier } from "../../../src/kv-events/event-applier.ts";
import { TurnBudget } from "../../../src/kv-events/index.ts";
import { ReplayError } from "../../../src/kv-events/replay-error.ts";
import { StreamFollower } from "../../../src/kv-events/stream-follower.ts";
import { FakeClock } from "../load/fake-clock.ts";
import { type Format, ModelEngine, type Path, type Tier } from "./model-engine.ts";

type Replay = "works" | "fails" | "absent";

/** One engine and the part of an index that follows it, over a line that loses batches. */
class Followed {
  readonly engine: ModelEngine;
  readonly #slot: number;
  readonly #index: PrefixIndex;
  readonly #follower: StreamFollower;
  readonly #clock: FakeClock;
  readonly #bufferBatches: number;
  readonly replay: Replay;
  /** Batches lost since one came through. */
  #lost = 0;
  /** Whether the index must be equal to the engine, and not only hold nothing that the engine does not. */
  isExact = true;
  #mustDeliver = false;

  constructor(index: PrefixIndex, slot: number, replay: Replay, bufferBatches: number, clock: FakeClock) {
    this.#index = index;
    this.#slot = slot;
    this.#clock = clock;
    this.#bufferBatches = bufferBatches;
    this.replay = replay;
    this.engine = new ModelEngine(bufferBatches);
    const signal = new AbortController().signal;
    const counters = { add: () => undefined };
    const options = { slot, blockSize: 4 };
    this.#follower = new StreamFollower(
      { slot, onLostTrack: "reset", replayBackoffMs: 0 },
      {
        applier: new EventApplier(options, { sink: index, budget: new TurnBudget(clock), counters }, signal),
        replay: replay === "absent" ? undefined : (sequence) => this.#replayed(sequence),
        counters,
        log: { info: () => undefined, warn: () => undefined },
        clock,
      },
    );
  }

  /** Publishes what has happened. */
  async publish(format: Format, isLost: boolean): Promise<void> {
    const message = this.engine.publish(format);
    this.#clock.advance(1);
    if (isLost && !this.#mustDeliver) {
      this.#lost++;
      return;
    }
    if (this.#lost > 0 && (this.replay !== "works" || this.#lost >= this.#bufferBatches)) this.isExact = false;
    this.#lost = 0;
    this.#mustDeliver = false;
    await this.#follower.onLive(message);
  }

  /** Another process, and the connection to it. Without a replay its first batch has to come through for it to be noticed. */
  async restart(): Promise<void> {
    this.engine.restart();
    this.#lost = 0;
    this.isExact = true;
    if (this.replay === "works") await this.#follower.catchUp();
    else this.#mustDeliver = true;
  }

  /** The engine holds nothing, and has said so. */
  noteCleared(): void {
    if (this.#lost === 0) this.isExact = true;
  }

  check(path: Path, out: TierOverlaps): void {
    // Until the next batch comes through, nobody can know.
    if (this.#lost > 0 || this.#mustDeliver) return;
    const { device, host, disk } = out;
    const seen = [device[this.#slot] ?? 0, host[this.#slot] ?? 0, disk[this.#slot] ?? 0];
    const held = this.engine.overlap(path);
    if (this.isExact) expect(seen).toEqual(held);
    else expect(seen[0]).toBeLessThanOrEqual(held[0]);
  }

  checkSize(): void {
    if (this.#lost > 0 || this.#mustDeliver || !this.isExact) return;
    expect(this.#index.blocksOf(this.#slot)).toBe(this.engine.size);
  }

  async *#replayed(sequence: number) {
    if (this.replay === "fails") throw new ReplayError("no answer");
    yield* this.engine.buffered(sequence);
  }
}

const path: fc.Arbitrary<Path> = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 6 });
const format: fc.Arbitrary<Format> = fc.record({
  batch: fc.constantFrom("three", "two", "map"),
  event: fc.constantFrom("array", "map"),
  hash: fc.constantFrom("unsigned", "signed", "bytes"),
  movesByHash: fc.boolean(),
});
const lower = fc.constantFrom<Tier>("host", "disk");
const action = fc.oneof(
  {
    weight: 80,
    arbitrary: fc.record({ op: fc.constant("store" as const), path, extra: fc.nat(2), isTorn: fc.boolean() }),
  },
  { weight: 80, arbitrary: fc.record({ op: fc.constant("evict" as const), path }) },
  { weight: 30, arbitrary: fc.record({ op: fc.constant("offload" as const), path, tier: lower }) },
  { weight: 20, arbitrary: fc.record({ op: fc.constant("drop" as const), path, tier: lower }) },
  { weight: 10, arbitrary: fc.record({ op: fc.constant("unknown" as const) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("clear" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("restart" as const) }) },
);
const step = fc.record({
  worker: fc.nat(2),
  action,
  format,
  fate: fc.oneof(
    { weight: 6, arbitrary: fc.constant("delivered" as const) },
    { weight: 3, arbitrary: fc.constant("held" as const) },
    { weight: 1, arbitrary: fc.constant("lost" as const) },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function act(followed: Followed, { action, format }: Step): Promise<void> {
  const { engine } = followed;
  switch (action.op) {
    case "store":
      engine.store(action.path, action.extra, format, action.isTorn);
      return;
    case "evict":
      engine.evict(action.path, format);
      return;
    case "offload":
      engine.offload(action.path, action.tier, format);
      return;
    case "drop":
      engine.dropLower(action.path, action.tier, format);
      return;
    case "unknown":
      engine.sayUnknown(format);
      return;
    case "clear":
      engine.clear(format);
      await followed.publish(format, false);
      followed.noteCleared();
      return;
    case "restart":
      await followed.restart();
  }
}

const stepsPerRun = 500;
const runs = 200;

it("holds what the engines hold through restarts, gaps, copies, tiers and any mix of formats, over 100,000 steps", async () => {
  const replays = fc.tuple(...[0, 1, 2].map(() => fc.constantFrom<Replay>("works", "works", "fails", "absent")));
  await fc.assert(
    fc.asyncProperty(
      replays,
      fc.integer({ min: 2, max: 40 }),
      fc.array(step, { minLength: stepsPerRun, maxLength: stepsPerRun, size: "max" }),
      async (replays, bufferBatches, steps) => {
        const clock = new FakeClock();
        const index = new PrefixIndex({ blockSize: 4, maxBlocks: 20_000 });
        const workers = replays.map((replay, slot) => new Followed(index, slot, replay, bufferBatches, clock));
        const out = { device: new Int32Array(3), host: new Int32Array(3), disk: new Int32Array(3) };
        for (const each of steps) {
          const worker = workers[each.worker] as Followed;
          await act(worker, each);
          if (each.fate === "held") continue;
          await worker.publish(each.format, each.fate === "lost");
          const asked = "path" in each.action ? [...each.action.path, 1] : [1, 2, 3];
          const tokens = asked.flatMap((block) => [4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3]);
          index.tierOverlaps(hashBlocks(Uint32Array.from(tokens), { blockSize: 4 }), out);
          worker.check(asked, out);
          worker.checkSize();
        }
      },
    ),
    { numRuns: runs },
  );
}, 120_000);
