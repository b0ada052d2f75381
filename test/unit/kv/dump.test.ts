import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chainHashes, type DumpedChange, PrefixIndex, restoreChange, type StorageTier } from "../../../src/kv/index.ts";
import { words } from "./u64.ts";

const tiers: readonly StorageTier[] = ["device", "host_pinned", "disk"];
const slots = 3;

/** A prompt of blocks with the contents 1 to 3; an engine's hash says which prompt it ends. */
type Path = readonly number[];

function hashOf(slot: number, path: Path): bigint {
  return BigInt(path.reduce((hash, local) => 4 * hash + local, 1)) + (BigInt(slot + 1) << 40n);
}

interface Step {
  readonly op: "store" | "remove" | "clear";
  readonly slot: number;
  readonly path: Path;
  readonly from: number;
  readonly tier: StorageTier;
}

const step: fc.Arbitrary<Step> = fc.record({
  op: fc.constantFrom("store", "store", "store", "store", "remove", "remove", "remove", "clear"),
  slot: fc.nat(slots - 1),
  path: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 8 }),
  from: fc.constant(0),
  tier: fc.constantFrom("device", "device", ...tiers),
});

function apply(index: PrefixIndex, { op, slot, path, tier }: Step): void {
  if (op === "clear") {
    index.clear(slot);
  } else if (op === "remove") {
    index.remove(slot, words([hashOf(slot, path)]), tier);
  } else {
    index.store(slot, {
      parentHash: undefined,
      blockHashes: words(path.map((_, i) => hashOf(slot, path.slice(0, i + 1)))),
      localHashes: words(path.map((local) => BigInt(local))),
      tier,
      cacheSalt: path[0] === 3 ? "tenant" : undefined,
    });
  }
}

function indexOf(steps: readonly Step[]): PrefixIndex {
  const index = new PrefixIndex({ blockSize: 4, maxBlocks: 10_000 });
  for (const each of steps) apply(index, each);
  return index;
}

function restored(changes: Iterable<DumpedChange>): PrefixIndex {
  const index = indexOf([]);
  for (const change of changes) restoreChange(index, change);
  return index;
}

/** Everything that can be asked of an index. */
function answers(index: PrefixIndex, asked: readonly Path[]): unknown {
  const overlaps = asked.map((path) => {
    const local = words(path.map((value) => BigInt(value)));
    const out = { device: new Int32Array(slots), host: new Int32Array(slots), disk: new Int32Array(slots) };
    index.tierOverlaps({ count: path.length, local, sequence: chainHashes(local) }, out);
    return out;
  });
  const salts = asked.flatMap((path) =>
    Array.from({ length: slots }, (_, slot) => {
      const [low = 0, high = 0] = words([hashOf(slot, path)]);
      return index.cacheSaltOf(slot, { low, high });
    }),
  );
  while (!index.sweep(100));
  const { blocks, prefixes, orphans } = index.stats;
  return { overlaps, salts, blocks, prefixes, orphans };
}

describe("dump", () => {
  it("gives the same index again, holes included", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const index = indexOf(steps);
        const asked = steps.map(({ path }) => path);
        expect(answers(restored(index.dump()), asked)).toEqual(answers(index, asked));
      }),
      { numRuns: 300 },
    );
  });

  it("with the events that came while it was made gives the index as it is after them", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(step, { maxLength: 40 }), (before, during) => {
        const index = indexOf(before);
        const live = [...during];
        const changes: DumpedChange[] = [];
        for (const change of index.dump()) {
          changes.push(change);
          const next = live.shift();
          if (next !== undefined) apply(index, next);
        }
        for (const next of live) apply(index, next);
        const other = restored(changes);
        for (const next of during) apply(other, next);
        const asked = [...before, ...during].map(({ path }) => path);
        expect(answers(other, asked)).toEqual(answers(index, asked));
      }),
      { numRuns: 500 },
    );
  });

  it("names every slot by its engine's hashes, parents first, in runs", () => {
    const index = indexOf([]);
    const path = Array.from({ length: 300 }, () => 1);
    const hashes = words(path.map((_, i) => BigInt(1_000 + i)));
    index.store(2, { parentHash: undefined, blockHashes: hashes, localHashes: words(path.map(() => 1n)) });
    const changes = [...index.dump()];
    expect(changes.map(({ slot, change }) => [slot, change.kind])).toEqual(Array(3).fill([2, "store"]));
    const [first, second, third] = changes.map(({ change }) => (change.kind === "store" ? change.blocks : undefined));
    expect(first).toMatchObject({ parentHash: undefined, tier: "device" });
    expect(second).toMatchObject({ parentHash: { low: 1_127, high: 0 } });
    expect(third?.blockHashes.length).toBe(2 * 44);
  });

  it("of an empty index is empty", () => {
    expect([...indexOf([]).dump()]).toEqual([]);
  });
});
