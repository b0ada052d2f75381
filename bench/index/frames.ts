// Ours, for `main.ts`: `frames.ts FILE BLOCK_SIZE` prints one JSON line with blocks a second of CPU time: decoding; decoded events
// normalised, hashed and stored; whole frames.
import { readFileSync } from "node:fs";
import { type DecodedBatch, decodeEventBatch, KvEventNormalizer, PrefixIndex } from "../../src/kv/index.ts";
import { cpuSeconds } from "./workload.ts";

const blockSize = Number(process.argv[3] ?? 16);
const frames = readFrames(process.argv[2] ?? "");

function readFrames(file: string): Buffer[] {
  const bytes = readFileSync(file);
  const read: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    read.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return read;
}

function apply(index: PrefixIndex, normalizer: KvEventNormalizer, { events }: DecodedBatch): number {
  let blocks = 0;
  for (const event of events) {
    const effect = normalizer.normalize(event, (hash) => index.cacheSaltOf(0, hash));
    if (effect.kind !== "store") continue;
    index.store(0, effect.run.slice(0, effect.run.count, true));
    blocks += effect.run.count;
  }
  return blocks;
}

const best = { decode: Number.POSITIVE_INFINITY, decoded: Number.POSITIVE_INFINITY, frames: Number.POSITIVE_INFINITY };
let blocks = 0;
for (let round = 0; round < 6; round++) {
  let batches: DecodedBatch[] = [];
  const decode = cpuSeconds(() => {
    batches = frames.map((frame) => decodeEventBatch(frame));
  });
  const index = new PrefixIndex({ blockSize, maxBlocks: 1 << 20 });
  const normalizer = new KvEventNormalizer(blockSize);
  const decoded = cpuSeconds(() => {
    blocks = 0;
    for (const batch of batches) blocks += apply(index, normalizer, batch);
  });
  const other = new PrefixIndex({ blockSize, maxBlocks: 1 << 20 });
  const whole = cpuSeconds(() => {
    for (const frame of frames) apply(other, normalizer, decodeEventBatch(frame));
  });
  best.decode = Math.min(best.decode, decode);
  best.decoded = Math.min(best.decoded, decoded);
  best.frames = Math.min(best.frames, whole);
}
console.log(
  JSON.stringify({
    name: "PrefixIndex",
    blocks,
    decode: blocks / best.decode,
    decoded_events: blocks / best.decoded,
    frames: blocks / best.frames,
  }),
);
