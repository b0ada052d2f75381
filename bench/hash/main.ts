// ns a block of our batched XXH3 (block and sequence hash) against xxhash-addon in the same run.
import xxhash from "xxhash-addon";
import { hashBlocks } from "../../src/kv/index.ts";

const prompts = [
  { tokens: 2_048, blockSize: 16 },
  { tokens: 32_768, blockSize: 16 },
  { tokens: 32_768, blockSize: 64 },
  { tokens: 131_072, blockSize: 16 },
];

/** Median time of one call, in ns. */
function medianNs(runs: number, call: () => void): number {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const from = process.hrtime.bigint();
    call();
    times.push(Number(process.hrtime.bigint() - from));
  }
  times.sort((a, b) => a - b);
  return times[runs >> 1] ?? Number.NaN;
}

/** Block and sequence hashes with one native call a hash; the fastest way that package offers with a seed. */
function addonHash(tokenIds: Uint32Array, blockSize: number): Buffer {
  const seed = Buffer.alloc(8);
  seed.writeBigUInt64BE(1_337n);
  const hash = new xxhash.XXHash3(seed);
  const bytes = Buffer.from(tokenIds.buffer, tokenIds.byteOffset, tokenIds.byteLength);
  const pair = Buffer.alloc(16);
  const blocks = Math.floor(tokenIds.length / blockSize);
  for (let i = 0; i < blocks; i++) {
    hash.reset();
    hash.update(bytes.subarray(i * blockSize * 4, (i + 1) * blockSize * 4));
    const local = hash.digest().swap64();
    if (i === 0) {
      local.copy(pair);
      continue;
    }
    local.copy(pair, 8);
    hash.reset();
    hash.update(pair);
    hash.digest().swap64().copy(pair);
  }
  return pair.subarray(0, 8);
}

for (const { tokens, blockSize } of prompts) {
  const tokenIds = Uint32Array.from({ length: tokens }, (_, i) => (i * 7_919 + 13) % 151_936);
  const blocks = Math.floor(tokens / blockSize);
  const { sequence } = hashBlocks(tokenIds, { blockSize });
  const last = addonHash(tokenIds, blockSize).readBigUInt64LE();
  const ours = new DataView(sequence.buffer).getBigUint64(8 * (blocks - 1), true);
  if (ours !== last) throw new Error(`hashes differ: ${ours} and ${last}`);
  const oursNs = medianNs(400, () => hashBlocks(tokenIds, { blockSize }));
  const addonNs = medianNs(30, () => addonHash(tokenIds, blockSize));
  console.log(
    `${tokens} tokens, blocks of ${blockSize}: ours ${(oursNs / 1e3).toFixed(1)} us (${(oursNs / blocks).toFixed(1)} ns a block), ` +
      `xxhash-addon ${(addonNs / 1e3).toFixed(1)} us (${(addonNs / blocks).toFixed(0)} ns a block)`,
  );
}
