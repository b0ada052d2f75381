import fc from "fast-check";
import { expect, it } from "vitest";
import { chainHashes, PrefixIndex, type StorageTier } from "../../../src/kv/index.ts";
import { words } from "./u64.ts";

const slots = [0, 1, 40];
const tiers: readonly StorageTier[] = ["device", "host_pinned", "disk"];

interface Held {
  /** Content of the block and all before it; undefined while the parent is not known. */
  path: string | undefined;
  readonly parent: number | undefined;
  readonly local: number;
  readonly tiers: Set<StorageTier>;
}

/** The rules in plain maps: what a slot holds, by the engine's hash. */
class Model {
  readonly #slots = new Map<number, Map<number, Held>>(slots.map((slot) => [slot, new Map()]));

  store(
    slot: number,
    parent: number | undefined,
    blocks: readonly (readonly [number, number])[],
    tier: StorageTier,
  ): void {
    const held = this.#of(slot);
    let before = parent;
    for (const [local, hash] of blocks) {
      if (before === hash) return;
      const known = held.get(hash);
      const parentPath = before === undefined ? "" : held.get(before)?.path;
      const path = parentPath === undefined ? undefined : `${parentPath}/${local}`;
      const staysKnown =
        known?.path !== undefined && (path === undefined ? known.local === local : known.path === path);
      if (known !== undefined && staysKnown) {
        known.tiers.add(tier);
      } else {
        // Content that is no longer believed takes its tiers with it; a waiting block keeps them.
        const kept = known !== undefined && known.path === undefined ? known.tiers : [];
        held.set(hash, { path, parent: before, local, tiers: new Set([...kept, tier]) });
        if (path !== undefined) this.#adopt(held, hash, path);
      }
      before = hash;
    }
  }

  remove(slot: number, hash: number, tier: StorageTier): void {
    const block = this.#of(slot).get(hash);
    block?.tiers.delete(tier);
    if (block?.tiers.size === 0) this.#of(slot).delete(hash);
  }

  clear(slot: number): void {
    this.#of(slot).clear();
  }

  overlap(slot: number, locals: readonly number[]): [number, number, number] {
    const runs: [number, number, number] = [0, 0, 0];
    let path = "";
    let tier = 0;
    for (const local of locals) {
      path += `/${local}`;
      const holders = [...this.#of(slot).values()].filter((block) => block.path === path);
      while (tier < 3 && !holders.some((block) => block.tiers.has(tiers[tier] ?? "device"))) tier++;
      if (tier === 3) break;
      runs[tier] = (runs[tier] ?? 0) + 1;
    }
    return runs;
  }

  /** Blocks of a slot in a tier whose place is known. */
  blocksIn(slot: number, tier: StorageTier): number {
    return [...this.#of(slot).values()].filter((block) => block.path !== undefined && block.tiers.has(tier)).length;
  }

  get counts(): { blocks: number; orphans: number } {
    const all = [...this.#slots.values()].flatMap((held) => [...held.values()]);
    const orphans = all.filter((block) => block.path === undefined).length;
    return { blocks: all.length - orphans, orphans };
  }

  #adopt(held: Map<number, Held>, parent: number, parentPath: string): void {
    for (const [hash, block] of held) {
      if (block.path !== undefined || block.parent !== parent) continue;
      block.path = `${parentPath}/${block.local}`;
      this.#adopt(held, hash, block.path);
    }
  }

  #of(slot: number): Map<number, Held> {
    const held = this.#slots.get(slot);
    if (held === undefined) throw new Error(`no slot ${slot}`);
    return held;
  }
}

const slot = fc.constantFrom(...slots);
const tier = fc.oneof(
  { weight: 4, arbitrary: fc.constant<StorageTier>("device") },
  { weight: 1, arbitrary: fc.constantFrom(...tiers) },
);
const hash = fc.integer({ min: 1, max: 14 });
const local = fc.integer({ min: 1, max: 3 });
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("store" as const),
      slot,
      tier,
      parent: fc.option(hash, { nil: undefined, freq: 2 }),
      blocks: fc.array(fc.tuple(local, hash), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("remove" as const), slot, tier, hash }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("clear" as const), slot }) },
);
const queries = [[1], [1, 1, 1, 1], [1, 2, 3, 1], [2, 2, 1], [3, 1, 2, 3, 1], [2, 1, 1, 2]];

function expectEqual(index: PrefixIndex, model: Model): void {
  for (const query of queries) {
    const localHashes = words(query.map((value) => BigInt(value)));
    const out = { device: new Int32Array(41), host: new Int32Array(41), disk: new Int32Array(41) };
    index.tierOverlaps({ count: query.length, local: localHashes, sequence: chainHashes(localHashes) }, out);
    for (const at of slots) {
      expect([out.device[at], out.host[at], out.disk[at]]).toEqual(model.overlap(at, query));
    }
  }
  for (const at of slots) {
    for (const tier of tiers) expect(index.blocksIn(at, tier)).toBe(model.blocksIn(at, tier));
  }
  expect({ blocks: index.blockCount, orphans: index.stats.orphans }).toEqual(model.counts);
}

it("agrees with plain maps through any stores, removals and clears", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const index = new PrefixIndex({ blockSize: 4, maxBlocks: 1_000 });
      const model = new Model();
      for (const action of steps) {
        if (action.op === "store") {
          const { parent, blocks } = action;
          model.store(action.slot, parent, blocks, action.tier);
          index.store(action.slot, {
            parentHash: parent === undefined ? undefined : { low: parent, high: 7 },
            blockHashes: Uint32Array.from(blocks.flatMap(([, value]) => [value, 7])),
            localHashes: words(blocks.map(([value]) => BigInt(value))),
            tier: action.tier,
          });
        } else if (action.op === "remove") {
          model.remove(action.slot, action.hash, action.tier);
          index.remove(action.slot, Uint32Array.of(action.hash, 7), action.tier);
        } else {
          model.clear(action.slot);
          index.clear(action.slot);
        }
        expectEqual(index, model);
      }
      for (const at of slots) index.clear(at);
      while (!index.sweep(7));
      expect(index.stats).toMatchObject({ blocks: 0, prefixes: 0, orphans: 0, usedBytes: 0 });
    }),
    { numRuns: 300 },
  );
});

it("stays within its bound whatever is stored", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const index = new PrefixIndex({ blockSize: 4, maxBlocks: 8, maxOrphans: 4 });
      for (const action of steps) {
        if (action.op === "store") {
          index.store(action.slot, {
            parentHash: action.parent === undefined ? undefined : { low: action.parent, high: 7 },
            blockHashes: Uint32Array.from(action.blocks.flatMap(([, value]) => [value, 7])),
            localHashes: words(action.blocks.map(([value]) => BigInt(value))),
            tier: action.tier,
          });
        } else if (action.op === "remove") {
          index.remove(action.slot, Uint32Array.of(action.hash, 7), action.tier);
        } else {
          index.clear(action.slot);
        }
        const { blocks, prefixes, orphans } = index.stats;
        expect(blocks).toBeLessThanOrEqual(8);
        expect(prefixes).toBeLessThanOrEqual(8);
        expect(orphans).toBeLessThanOrEqual(4 * slots.length);
      }
      for (const at of slots) index.clear(at);
      while (!index.sweep(7));
      expect(index.stats).toMatchObject({ blocks: 0, prefixes: 0, orphans: 0 });
    }),
    { numRuns: 500 },
  );
});
