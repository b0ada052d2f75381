import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChainHasher, hashBlocks, type TokenChain } from "../../../src/kv/index.ts";

/** Ids of all links. */
function idsOf(chain: TokenChain): number[] {
  const before = chain.parent === undefined ? [] : idsOf(chain.parent);
  return [...before, ...chain.runs.flatMap(({ ids }) => [...ids])];
}

function link(parent: TokenChain | undefined, runs: readonly (readonly number[])[]): TokenChain {
  const own = runs.map((ids) => ({ ids: Uint32Array.from(ids) }));
  return { parent, runs: own, length: (parent?.length ?? 0) + runs.flat().length };
}

const id = fc.nat(200_000);
const runs = fc.array(fc.array(id, { maxLength: 12 }), { maxLength: 4 });

describe("ChainHasher", () => {
  it("hashes a chain as its ids in one array, first and again, and as a part of other chains", () => {
    const hasher = new ChainHasher();
    const options = fc.record({
      blockSize: fc.constantFrom(1, 3, 4, 16),
      cacheSalt: fc.constantFrom(undefined, "", "tenant"),
    });
    fc.assert(
      fc.property(fc.array(runs, { minLength: 1, maxLength: 6 }), runs, options, (links, branch, hashing) => {
        const chains: TokenChain[] = [];
        for (const own of links) chains.push(link(chains.at(-1), own));
        const forks = chains.map((chain) => link(chain, branch));
        for (const chain of [...chains.toReversed(), ...forks, ...chains]) {
          expect(hasher.hash(chain, hashing)).toEqual(hashBlocks(Uint32Array.from(idsOf(chain)), hashing));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("does not mix block sizes and salts of one chain", () => {
    const hasher = new ChainHasher();
    const chain = link(link(undefined, [[1, 2, 3, 4, 5, 6, 7, 8]]), [[9]]);
    const all = [2, 4].flatMap((blockSize) => ["a", "b", undefined].map((cacheSalt) => ({ blockSize, cacheSalt })));
    for (const hashing of [...all, ...all]) {
      expect(hasher.hash(chain, hashing)).toEqual(hashBlocks(Uint32Array.from(idsOf(chain)), hashing));
    }
  });

  it("hashes long links, longer than a call of the hash takes", () => {
    const long = Uint32Array.from({ length: 200_003 }, (_, index) => (index * 7919) % 150_000);
    const parent = { parent: undefined, runs: [{ ids: long.subarray(0, 100_001) }], length: 100_001 };
    const chain = { parent, runs: [{ ids: long.subarray(100_001) }], length: long.length };
    const hasher = new ChainHasher();
    for (let turn = 0; turn < 2; turn += 1) {
      expect(hasher.hash(chain, { blockSize: 16 })).toEqual(hashBlocks(long, { blockSize: 16 }));
    }
  });

  it("refuses a block size that is none, and has no blocks of size 0", () => {
    const chain = link(undefined, [[1]]);
    expect(() => new ChainHasher().hash(chain, { blockSize: -1 })).toThrow(RangeError);
    expect(new ChainHasher().hash(chain, { blockSize: 0 }).count).toBe(0);
  });
});
