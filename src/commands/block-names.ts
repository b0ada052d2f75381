import { createCipheriv, createHash } from "node:crypto";
import type { BlockHashes } from "../kv/index.ts";

const keyBytes = 16;
const lineBytes = 16;
const highBits = 21;

/** Names blocks so that equal ones have equal names, and nobody without the key can tell which block has which. */
export class BlockNames {
  readonly #key: Buffer;

  /** @param secret any bytes that nobody can guess */
  constructor(secret: Uint8Array) {
    this.#key = createHash("sha256").update(secret).digest().subarray(0, keyBytes);
  }

  /**
   * One name, below 2^53, for each `every`-th block of a prompt: of that block and all before it.
   * @param every blocks that a name stands for
   */
  of({ count, sequence }: BlockHashes, every: number): readonly number[] {
    const names = Math.floor(count / every);
    const plain = Buffer.alloc(lineBytes * names);
    for (let name = 0; name < names; name++) {
      const block = every * (name + 1) - 1;
      plain.writeUInt32LE(sequence[2 * block] ?? 0, lineBytes * name);
      plain.writeUInt32LE(sequence[2 * block + 1] ?? 0, lineBytes * name + 4);
    }
    // A block cipher is a permutation that needs no more than one call for all blocks: equal hashes have to stay equal.
    const cipher = createCipheriv("aes-128-ecb", this.#key, null).setAutoPadding(false);
    const secret = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Array.from({ length: names }, (_, name) => {
      const high = secret.readUInt32LE(lineBytes * name + 4) >>> (32 - highBits);
      return high * 2 ** 32 + secret.readUInt32LE(lineBytes * name);
    });
  }
}
