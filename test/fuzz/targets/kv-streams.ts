import assert from "node:assert/strict";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import type { NumberedPayload } from "../../../src/kv-events/frames.ts";
import { BatchMemory, KvEventSubscriber, TurnBudget } from "../../../src/kv-events/index.ts";
import type { Format, Path } from "../../unit/kv-events/model-engine.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { untilHolds } from "../framework/until-holds.ts";
import { OddEngine } from "./kv/odd-engine.ts";
import {
  type Act,
  type Fate,
  type KvStreamCase,
  kvStreamCase,
  maxBatchBytes,
  type OddFrames,
} from "./kv/stream-case.ts";

const blockSize = 4;
const clock = { now: () => performance.now() };
const format = { batch: "three", event: "array", hash: "unsigned", movesByHash: false } as const;

/** Messages of an engine's two sockets, in any framing, with batches lost, repeated and out of order. */
export const kvStreams: FuzzTarget = {
  name: "kv-streams",
  claim: "an index holds what the engine holds, whatever else comes through its sockets",
  cases: 1_000,
  async open() {
    let bench = await StreamBench.start();
    const check = async (each: KvStreamCase) => {
      try {
        await bench.check(each);
      } catch (error) {
        await bench.close();
        bench = await StreamBench.start();
        throw error;
      }
    };
    return fuzzing<KvStreamCase>({ cases: kvStreamCase, check }, () => bench.close());
  },
};

/** One engine after the other at the same address, and an index that follows them. */
class StreamBench {
  readonly #engine: OddEngine;
  readonly #index = new PrefixIndex({ blockSize, maxBlocks: 20_000 });
  readonly #subscriber: KvEventSubscriber;
  readonly #memory = new BatchMemory(1_048_576);
  readonly #failures: unknown[] = [];
  readonly #counts = { batches: 0, bad_batches: 0 };
  /** Messages on the live stream. */
  readonly #sent = { batches: 0, bad_batches: 0 };
  /** A batch that comes after the next one. */
  #late: NumberedPayload | undefined;
  /** Number of the last batch that has come through. */
  #lastSent = -1;
  /** Whether one of this process has. */
  #isNoticed = true;
  #cases = 0;

  private constructor(engine: OddEngine) {
    this.#engine = engine;
    this.#subscriber = new KvEventSubscriber(
      {
        endpoint: engine.endpoints.events,
        replayEndpoint: engine.endpoints.replay,
        slot: 0,
        blockSize,
        maxBatchBytes,
        replayBackoffMs: 0,
      },
      {
        sink: this.#index,
        memory: this.#memory,
        budget: new TurnBudget(clock),
        clock,
        counters: {
          add: (counter, _slot, amount) => {
            if (counter === "batches" || counter === "bad_batches") this.#counts[counter] += amount;
          },
        },
        log: { info: () => undefined, warn: (fields) => this.#failures.push(fields) },
      },
    );
  }

  static async start(): Promise<StreamBench> {
    const bench = new StreamBench(await OddEngine.start());
    bench.#subscriber.start();
    await bench.#engine.subscribed();
    return bench;
  }

  async close(): Promise<void> {
    await this.#subscriber.close();
    await this.#engine.stop();
  }

  async check({ steps, replays }: KvStreamCase): Promise<void> {
    this.#failures.length = 0;
    this.#restart();
    this.#engine.replays = [...replays];
    for (const step of steps) {
      if (step.does === "odd") await this.#sendOdd(step.odd);
      else await this.#act(step.act, step.format, step.fate);
    }
    if (this.#late !== undefined) await this.#send(this.#late, 1);
    await this.#fence();
    this.#compare();
    // What an engine that is gone had sent may come when another one has been asked already.
    const hasRestart = steps.some((step) => step.does === "act" && step.act.op === "restart");
    if (!hasRestart) assert.deepEqual(this.#failures, [], "nothing is reported as lost or failed");
  }

  async #act(act: Act, of: Format, fate: Fate): Promise<void> {
    const { model } = this.#engine;
    if (act.op === "store") model.store(act.path, act.extra, of, act.isTorn);
    else if (act.op === "evict") model.evict(act.path, of);
    else if (act.op === "offload") model.offload(act.path, act.tier, of);
    else if (act.op === "drop") model.dropLower(act.path, act.tier, of);
    else if (act.op === "clear") model.clear(of);
    else if (act.op === "unknown") model.sayUnknown(of);
    else this.#restart();
    const batch = model.publish(of);
    // Of another process only numbers that go back tell; it has the same connection here.
    const mayMiss = this.#isNoticed || batch.sequence < this.#lastSent;
    if (fate.how === "lost" && mayMiss) return;
    const late = this.#late;
    this.#late = undefined;
    if (fate.how === "swapped" && late === undefined && mayMiss) {
      this.#late = batch;
      return;
    }
    await this.#send(batch, fate.how === "sent" ? fate.before : 1);
    if (fate.how === "twice") await this.#send(batch, 0);
    if (late !== undefined) await this.#send(late, 1);
  }

  #restart(): void {
    this.#engine.model.restart();
    this.#late = undefined;
    this.#isNoticed = false;
  }

  async #send(batch: NumberedPayload, before: number): Promise<void> {
    this.#lastSent = batch.sequence;
    this.#isNoticed = true;
    this.#sent.batches++;
    await this.#engine.publish(batch, before);
  }

  async #sendOdd(odd: OddFrames): Promise<void> {
    this.#sent.bad_batches++;
    await this.#engine.publishOdd(odd);
  }

  /** A block that nobody has held before; once it is there, so is all that came before it. */
  async #fence(): Promise<void> {
    const { model } = this.#engine;
    const fence = [10 + this.#cases++];
    model.store(fence, 0, format, false);
    const batch = model.publish(format);
    await this.#send(batch, 1);
    const hasCome = () =>
      this.#counts.batches === this.#sent.batches &&
      this.#overlap(fence)[0] === 1 &&
      this.#subscriber.status.lastSequence === batch.sequence;
    await untilHolds(hasCome, () => `the last batch was not applied: ${JSON.stringify([this.#counts, this.#sent])}`);
    await untilHolds(
      () => this.#memory.bytes === 0,
      () => `${this.#memory.bytes} bytes wait, of nothing that would come`,
    );
    assert.deepEqual(this.#counts, this.#sent, "messages that are a batch, and that are none");
  }

  #compare(): void {
    for (const path of paths) {
      assert.deepEqual(this.#overlap(path), this.#engine.model.overlap(path), `the blocks ${path.join("/")}`);
    }
    assert.equal(this.#index.blocksOf(0), this.#engine.model.size, "blocks held");
  }

  /** Leading blocks on the device, then in host memory, then on disk. */
  #overlap(path: Path): readonly number[] {
    const tokens = path.flatMap((block) => [4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3]);
    const out = { device: new Int32Array(1), host: new Int32Array(1), disk: new Int32Array(1) };
    this.#index.tierOverlaps(hashBlocks(Uint32Array.from(tokens), { blockSize }), out);
    return [out.device[0] ?? 0, out.host[0] ?? 0, out.disk[0] ?? 0];
  }
}

/** All that the cases have blocks of. */
const paths: readonly Path[] = pathsOf(3);

function pathsOf(length: number): readonly Path[] {
  if (length === 0) return [[]];
  const shorter = pathsOf(length - 1);
  return [
    ...shorter,
    ...shorter.filter((each) => each.length === length - 1).flatMap((each) => [1, 2].map((block) => [...each, block])),
  ];
}
