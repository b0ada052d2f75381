import { pack } from "msgpackr";
import { randomWords } from "./workload.ts";

const blockSize = 16;
const blocksPerStore = 32;

/** Blocks in one frame of `frameOf`. */
export const blocksPerFrame = 2 * blocksPerStore;

/** A frame as vLLM sends it: two stores of 32 blocks of 16 tokens, of new prompts. */
export function frameOf(random: (length: number) => Uint32Array, stamp: number): Buffer {
  const stores = Array.from({ length: 2 }, () => {
    const hashes = new BigUint64Array(random(2 * blocksPerStore).buffer);
    const tokens = random(blocksPerStore * blockSize).map((word) => word % 151_936);
    return ["BlockStored", [...hashes], null, [...tokens], blockSize, null, "GPU"];
  });
  return pack([1_700_000_000 + stamp / 100, stores, 0]);
}

/** 256,000 blocks of frames, each after its length as a u32. */
export function engineFrames(): Buffer {
  const random = randomWords(1);
  return Buffer.concat(
    Array.from({ length: 4_000 }, (_, i) => {
      const frame = frameOf(random, i);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(frame.length);
      return [length, frame];
    }).flat(),
  );
}
