import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { XXHash3 } from "xxhash-addon";
import { chainHashes, fingerprint, hashBlocks, hashSeed, mediaHash, mediaPadTokenId } from "../../../src/kv/index.ts";
import { Xxh3 } from "../../../src/kv/xxh3.ts";
import { decimal, decimals, words } from "./u64.ts";

interface HashCase {
  readonly name: string;
  readonly tokens: readonly number[] | { readonly gen: { n: number; mul: number; add: number; mod: number } };
  readonly block_size: number;
  readonly count: number;
  readonly lora_name?: string;
  readonly cache_salt?: string;
  readonly is_eagle?: boolean;
  readonly block_mm_infos?: readonly ({ readonly mm_objects: readonly { readonly mm_hash: string }[] } | null)[];
  readonly block_hashes?: readonly string[];
  readonly sequence_hashes?: readonly string[];
  readonly block_hashes_xxh3_64_le?: string;
  readonly sequence_hashes_xxh3_64_le?: string;
}
interface Vectors {
  readonly cases: readonly HashCase[];
  readonly chain: readonly { block: string; parent_seq: string; next_seq: string }[];
  readonly mm_identifier: readonly { identifier: string; mm_hash: string | null }[];
  readonly mm_pad: readonly { mm_hash: string; pad_value: number }[];
  readonly seeds: readonly { lora_name: string | null; cache_salt: string | null; seed: string }[];
  readonly xxh3_lengths: readonly { len: number; seed0: string; seed1337: string }[];
  readonly xxh3_small: readonly { hex: string; seed0: string; seed1: string; seed1337: string }[];
}
const file = new URL("../../fixtures/kv/hash_blocks.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8")) as Vectors;
const xxh3 = new Xxh3();
const zero = { low: 0, high: 0 };

function tokensOf(tokens: HashCase["tokens"]): Uint32Array {
  if (!("gen" in tokens)) return Uint32Array.from(tokens);
  const { n, mul, add, mod } = tokens.gen;
  return Uint32Array.from({ length: n }, (_, i) => (i * mul + add) % mod);
}

/** The independent implementation; its seed and its digest are big-endian. */
function reference(bytes: Uint8Array, seed: bigint): string {
  const seedBytes = Buffer.alloc(8);
  seedBytes.writeBigUInt64BE(seed);
  const hash = new XXHash3(seedBytes);
  hash.update(Buffer.from(bytes));
  return hash.digest().readBigUInt64BE().toString();
}

function wordsToBytes(pairs: Uint32Array): Uint8Array {
  return new Uint8Array(pairs.buffer, pairs.byteOffset, pairs.byteLength);
}

describe("hashBlocks", () => {
  it.each(vectors.cases)("equals Dynamo: $name", (vector) => {
    const hashes = hashBlocks(tokensOf(vector.tokens), {
      blockSize: vector.block_size,
      loraName: vector.lora_name,
      cacheSalt: vector.cache_salt,
      isEagle: vector.is_eagle,
      blockMmInfos: vector.block_mm_infos?.map((block) =>
        block === null ? undefined : { hashes: words(block.mm_objects.map((object) => object.mm_hash)) },
      ),
    });
    expect(hashes.count).toBe(vector.count);
    if (vector.block_hashes !== undefined) {
      expect(decimals(hashes.local)).toEqual(vector.block_hashes);
      expect(decimals(hashes.sequence)).toEqual(vector.sequence_hashes);
    } else {
      expect(decimal(fingerprint(wordsToBytes(hashes.local)))).toBe(vector.block_hashes_xxh3_64_le);
      expect(decimal(fingerprint(wordsToBytes(hashes.sequence)))).toBe(vector.sequence_hashes_xxh3_64_le);
    }
  });

  it("hashes prompts longer than its buffer in pieces, block and chain", () => {
    const tokenIds = Uint32Array.from({ length: 300_001 }, (_, i) => (i * 7919 + 13) % 151_936);
    for (const blockSize of [1, 3, 16, 100_000]) {
      const hashes = hashBlocks(tokenIds, { blockSize });
      expect(hashes.count).toBe(Math.floor(tokenIds.length / blockSize));
      let previous = "";
      for (let i = 0; i < hashes.count; i++) {
        const isEdge = i % 4_096 < 2 || i % 4_096 > 4_094 || i === hashes.count - 1;
        const at = hashes.sequence.subarray(2 * i, 2 * i + 2);
        if (isEdge) {
          const block = wordsToBytes(tokenIds.slice(i * blockSize, (i + 1) * blockSize));
          const local = reference(block, 1337n);
          expect(decimals(hashes.local.subarray(2 * i, 2 * i + 2))).toEqual([local]);
          const expected = i === 0 ? local : reference(wordsToBytes(words([previous, local])), 1337n);
          expect(decimals(at)).toEqual([expected]);
        }
        previous = decimals(at)[0] ?? "";
      }
    }
  });

  it.each([-1, 1.5, Number.NaN])("refuses a block size of %s", (blockSize) => {
    expect(() => hashBlocks(new Uint32Array(4), { blockSize })).toThrow(RangeError);
  });

  it("refuses a block that does not fit the memory bound", () => {
    expect(() => hashBlocks(new Uint32Array(4_194_305), { blockSize: 4_194_305 })).toThrow(RangeError);
  });
});

describe("chainHashes", () => {
  it.each(vectors.chain)("continues $parent_seq with $block", ({ block, parent_seq, next_seq }) => {
    const [low = 0, high = 0] = words([parent_seq]);
    expect(decimals(chainHashes(words([block]), { low, high }))).toEqual([next_seq]);
  });

  it("gives the same chain whole and in two halves", () => {
    const { local, sequence } = hashBlocks(
      Uint32Array.from({ length: 20_000 }, (_, i) => i),
      { blockSize: 2 },
    );
    const parent = { low: sequence[9_998] ?? 0, high: sequence[9_999] ?? 0 };
    expect(chainHashes(local)).toEqual(sequence);
    expect(chainHashes(local.subarray(10_000), parent)).toEqual(sequence.slice(10_000));
  });
});

describe("seeds and multimodal identities", () => {
  it.each(vectors.seeds)("seed of $lora_name and $cache_salt", ({ lora_name, cache_salt, seed }) => {
    expect(decimal(hashSeed({ loraName: lora_name ?? undefined, cacheSalt: cache_salt ?? undefined }))).toBe(seed);
  });

  it.each(vectors.mm_identifier)("identity of '$identifier'", ({ identifier, mm_hash }) => {
    const hash = mediaHash(identifier);
    expect(hash === undefined ? null : decimal(hash)).toBe(mm_hash);
  });

  it.each(vectors.mm_pad)("pad token of $mm_hash", ({ mm_hash, pad_value }) => {
    const [low = 0, high = 0] = words([mm_hash]);
    expect(mediaPadTokenId({ low, high })).toBe(pad_value);
  });
});

describe("XXH3-64", () => {
  it.each(vectors.xxh3_small)("of $hex", ({ hex, seed0, seed1, seed1337 }) => {
    const bytes = Buffer.from(hex, "hex");
    const hashes = [0, 1, 1337].map((low) => decimal(xxh3.hashBytes(bytes, { low, high: 0 })));
    expect(hashes).toEqual([seed0, seed1, seed1337]);
  });

  it.each(vectors.xxh3_lengths)("of $len bytes", ({ len, seed0, seed1337 }) => {
    const bytes = Uint8Array.from({ length: len }, (_, i) => (i * 131 + 7) & 255);
    expect(decimal(xxh3.hashBytes(bytes, zero))).toBe(seed0);
    expect(decimal(xxh3.hashBytes(bytes, { low: 1337, high: 0 }))).toBe(seed1337);
  });

  it("equals xxhash-addon at every length to 2,100 bytes", () => {
    const bytes = Uint8Array.from({ length: 2_100 }, (_, i) => (i * 167 + (i >> 8)) & 255);
    for (let length = 1; length <= bytes.length; length++) {
      const part = bytes.subarray(0, length);
      expect(decimal(xxh3.hashBytes(part, { low: 0x89abcdef, high: 0x01234567 }))).toBe(
        reference(part, 0x0123456789abcdefn),
      );
    }
  });

  it("equals xxhash-addon on any bytes and seed", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 5_000 }),
        fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
        (bytes, seed) => {
          const ours = xxh3.hashBytes(bytes, { low: Number(seed & 0xffffffffn), high: Number(seed >> 32n) });
          expect(decimal(ours)).toBe(reference(bytes, seed));
        },
      ),
      { numRuns: 500 },
    );
  });
});
