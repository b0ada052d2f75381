import { createHash } from "node:crypto";

/**
 * Gives every full block of a prompt the id that this engine knows it by: a 64-bit hash chained over all blocks before
 * it. Like vLLM's, the ids start from a seed of the process, so two workers name equal blocks differently.
 */
export class BlockIdentity {
  readonly #blockSize: number;
  readonly #seed: string;
  readonly #roots = new Map<string, readonly [number, number]>();

  /** @param seed workers with equal seeds give equal ids */
  constructor(blockSize: number, seed: string) {
    this.#blockSize = blockSize;
    this.#seed = seed;
  }

  /**
   * Ids of the full blocks of `tokenIds`, in order; length = floor(tokens / block size). O(tokens).
   * @param namespace prompts of different namespaces share no block; "" is the common one
   */
  blockIds(tokenIds: Uint32Array, namespace: string): BigUint64Array {
    const blocks = Math.floor(tokenIds.length / this.#blockSize);
    const ids = new BigUint64Array(blocks);
    const words = new Uint32Array(ids.buffer);
    let [low, high] = this.#root(namespace);
    let position = 0;
    for (let block = 0; block < blocks; block += 1) {
      for (let end = position + this.#blockSize; position < end; position += 1) {
        const token = tokenIds[position] ?? 0;
        low = Math.imul(low ^ token, 0x9e3779b1);
        low ^= low >>> 15;
        high = Math.imul((high + token) ^ low, 0x85ebca77);
        high ^= high >>> 13;
      }
      words[2 * block] = finalMix(low);
      words[2 * block + 1] = finalMix(high ^ low);
    }
    return ids;
  }

  #root(namespace: string): readonly [number, number] {
    const known = this.#roots.get(namespace);
    if (known !== undefined) return known;
    const digest = createHash("sha256").update(`${this.#seed}\0${namespace}`).digest();
    const root = [digest.readInt32LE(0), digest.readInt32LE(4)] as const;
    // Namespaces come from clients; the roots are cheap to make again.
    if (this.#roots.size >= 4096) this.#roots.clear();
    this.#roots.set(namespace, root);
    return root;
  }
}

/** The finalizer of MurmurHash3: every input bit reaches every output bit. */
function finalMix(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
