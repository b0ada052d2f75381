import { describe, expect, it } from "vitest";
import { BlockIdentity } from "../../../src/sim-worker/block-identity.ts";

const tokens = Uint32Array.from({ length: 64 }, (_, index) => index % 7);

describe("BlockIdentity", () => {
  it("names full blocks only", () => {
    const identity = new BlockIdentity(16, "seed");
    expect(identity.blockIds(tokens.subarray(0, 15), "")).toHaveLength(0);
    expect(identity.blockIds(tokens.subarray(0, 47), "")).toHaveLength(2);
  });

  it("gives a block the same name after the same blocks, whatever follows", () => {
    const identity = new BlockIdentity(16, "seed");
    expect(identity.blockIds(tokens.subarray(0, 32), "")).toEqual(identity.blockIds(tokens, "").subarray(0, 2));
  });

  it("gives equal blocks in different places different names", () => {
    const repeated = new Uint32Array(64).fill(5);
    expect(new Set(new BlockIdentity(16, "seed").blockIds(repeated, "")).size).toBe(4);
  });

  it("depends on the seed and the namespace", () => {
    const names = [
      new BlockIdentity(16, "one").blockIds(tokens, "")[0],
      new BlockIdentity(16, "two").blockIds(tokens, "")[0],
      new BlockIdentity(16, "one").blockIds(tokens, "tenant")[0],
    ];
    expect(new Set(names).size).toBe(3);
    expect(new BlockIdentity(16, "one").blockIds(tokens, "")[0]).toBe(names[0]);
  });

  it("has no equal names among 200,000 blocks that differ in one token", () => {
    const identity = new BlockIdentity(4, "seed");
    const names = new Set<bigint>();
    for (let token = 0; token < 200_000; token += 1) {
      for (const id of identity.blockIds(Uint32Array.of(1, 2, 3, token), "")) names.add(id);
    }
    expect(names.size).toBe(200_000);
  });
});
