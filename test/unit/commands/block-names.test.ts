import { describe, expect, it } from "vitest";
import { BlockNames } from "../../../src/commands/block-names.ts";
import { hashBlocks } from "../../../src/kv/index.ts";

const secret = Buffer.from("a secret of the test");
const hashesOf = (tokens: readonly number[]) => hashBlocks(Uint32Array.from(tokens), { blockSize: 2 });

describe("names of blocks", () => {
  it("are one for each group of complete blocks, whole numbers that JSON keeps", () => {
    const names = new BlockNames(secret).of(hashesOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), 2);
    expect(names).toHaveLength(2);
    for (const name of names) expect(Number.isSafeInteger(name) && name >= 0).toBe(true);
    expect(new BlockNames(secret).of(hashesOf([1, 2, 3]), 2)).toEqual([]);
  });

  it("are alike where the prompts begin alike, and only there", () => {
    const names = new BlockNames(secret);
    const [one, longer, other] = [
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5, 6],
      [9, 9, 3, 4],
    ].map((tokens) => names.of(hashesOf(tokens), 1));
    expect(longer?.slice(0, 2)).toEqual(one);
    expect(new Set([...(longer ?? []), ...(other ?? [])]).size).toBe(5);
  });

  it("say nothing to who has another secret", () => {
    const hashes = hashesOf([1, 2, 3, 4]);
    const [own, same, foreign] = ["a", "a", "b"].map((text) => new BlockNames(Buffer.from(text)).of(hashes, 1));
    expect(same).toEqual(own);
    expect(foreign?.filter((name) => own?.includes(name))).toEqual([]);
    expect(own?.some((name) => name % 2 ** 32 === hashes.sequence[0])).toBe(false);
  });
});
