import { expect, vi } from "vitest";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import {
  BatchMemory,
  type KvEventCounter,
  KvEventSubscriber,
  type KvEventSubscriberDependencies,
  type KvEventSubscriberOptions,
  TurnBudget,
} from "../../../src/kv-events/index.ts";
import type { FakeEngine } from "./fake-engine.ts";

const clock = { now: () => performance.now() };

/** An index that follows one engine, with what a test asks of it. */
export class FollowedRank {
  readonly index: PrefixIndex;
  readonly slot: number;
  readonly counts = new Map<string, number>();
  readonly warnings: string[] = [];
  readonly subscriber: KvEventSubscriber;

  constructor(
    engine: FakeEngine,
    {
      memory = new BatchMemory(),
      restored,
      ...options
    }: Partial<KvEventSubscriberOptions> & {
      readonly index?: PrefixIndex;
      readonly memory?: BatchMemory;
      readonly restored?: KvEventSubscriberDependencies["restored"];
    } = {},
  ) {
    this.index = options.index ?? new PrefixIndex({ blockSize: 4, maxBlocks: 20_000 });
    this.slot = options.slot ?? 0;
    this.subscriber = new KvEventSubscriber(
      {
        endpoint: engine.endpoints.events,
        replayEndpoint: engine.endpoints.replay,
        slot: 0,
        blockSize: 4,
        replayIdleMs: 300,
        ...options,
      },
      {
        sink: this.index,
        memory,
        restored,
        budget: new TurnBudget(clock),
        clock,
        counters: {
          add: (counter, _slot, amount, reason) => {
            const key = reason === undefined ? counter : `${counter} ${reason}`;
            this.counts.set(key, (this.counts.get(key) ?? 0) + amount);
          },
        },
        log: { info: () => undefined, warn: (_fields, message) => this.warnings.push(message) },
      },
    );
    this.subscriber.start();
  }

  count(counter: KvEventCounter): number {
    return this.counts.get(counter) ?? 0;
  }

  /** Leading blocks of a prompt that the rank, or another, holds. */
  overlap(blocks: readonly number[], slot = this.slot): number {
    const tokens = Uint32Array.from(
      blocks.flatMap((block) => [4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3]),
    );
    const out = new Int32Array(slot + 1);
    this.index.overlaps(hashBlocks(tokens, { blockSize: 4 }), out);
    return out[slot] ?? 0;
  }

  async expectOverlap(blocks: readonly number[], expected: number, slot = this.slot): Promise<void> {
    await vi.waitFor(() => expect(this.overlap(blocks, slot)).toBe(expected), { timeout: 5_000, interval: 2 });
  }

  async expectCount(counter: KvEventCounter, expected: number): Promise<void> {
    await vi.waitFor(() => expect(this.count(counter)).toBe(expected), { timeout: 5_000, interval: 2 });
  }
}
