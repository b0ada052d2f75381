import { type BlockHashes, completeBlocks, type HashOptions, hashBlocksAfter, hashSeed } from "./block-hashes.ts";
import type { U64 } from "./xxh3.ts";

/** Token ids as runs behind other token ids, which more prompts may begin with. Never changed. */
export interface TokenChain {
  readonly parent: TokenChain | undefined;
  /** Its own ids, after the parent's. */
  readonly runs: readonly { readonly ids: Uint32Array }[];
  /** Number of ids, with the parent's. */
  readonly length: number;
}

/** Hashes of the blocks that end within one link; two u32 a block, low first. */
interface LinkHashes {
  readonly seed: U64;
  readonly blockSize: number;
  readonly local: Uint32Array;
  readonly sequence: Uint32Array;
}

/** Fewer blocks are hashed sooner than they are looked up and kept. */
const minKeptBlocks = 16;
/** Ids that the scratch memory is kept for. */
const maxKeptIds = 65_536;

/**
 * Hashes prompts by what they have in common: the blocks of a link that was hashed before are copied, so that the next turn of a
 * conversation hashes its new blocks only (bench/hash). What is kept lives as long as its link.
 */
export class ChainHasher {
  readonly #known = new WeakMap<TokenChain, LinkHashes>();
  #ids = new Uint32Array(0);

  /**
   * Hashes the complete blocks of a chain, as `hashBlocks` hashes those of its ids.
   * @throws RangeError for a block size that is not a non-negative integer
   */
  hash(chain: TokenChain, options: Pick<HashOptions, "blockSize" | "cacheSalt" | "loraName">): BlockHashes {
    const count = completeBlocks(chain.length, options);
    const hashes = { count, local: new Uint32Array(2 * count), sequence: new Uint32Array(2 * count) };
    const seed = hashSeed(options);
    const links: TokenChain[] = [];
    for (let link: TokenChain | undefined = chain; count > 0 && link !== undefined; link = link.parent)
      links.push(link);
    for (let index = links.length - 1; index >= 0; index--) {
      this.#hashLink(links[index] as TokenChain, options.blockSize, seed, hashes, index > 0);
    }
    return hashes;
  }

  /** Fills in the blocks that end within `link`; those before are there. */
  #hashLink(link: TokenChain, blockSize: number, seed: U64, hashes: BlockHashes, isShared: boolean): void {
    const first = Math.floor((link.parent?.length ?? 0) / blockSize);
    const end = Math.floor(link.length / blockSize);
    if (first === end) return;
    const known = isShared && end - first >= minKeptBlocks ? this.#known.get(link) : undefined;
    if (known?.blockSize === blockSize && known.seed.low === seed.low && known.seed.high === seed.high) {
      hashes.local.set(known.local, 2 * first);
      hashes.sequence.set(known.sequence, 2 * first);
      return;
    }
    const local = hashes.local.subarray(2 * first, 2 * end);
    const sequence = hashes.sequence.subarray(2 * first, 2 * end);
    const ids = this.#idsOf(link, first * blockSize, end * blockSize);
    hashBlocksAfter(hashBefore(hashes.sequence, first), ids, blockSize, seed, local, sequence);
    if (isShared && end - first >= minKeptBlocks)
      this.#known.set(link, { seed, blockSize, local: local.slice(), sequence: sequence.slice() });
  }

  /** Ids [from, to) of the chain that ends with `link`, all but the first few of them its own. Valid until the next call. */
  #idsOf(link: TokenChain, from: number, to: number): Uint32Array {
    const length = to - from;
    if (this.#ids.length < length) this.#ids = new Uint32Array(Math.max(length, 1_024));
    const ids = this.#ids;
    if (ids.length > maxKeptIds) this.#ids = new Uint32Array(0);
    let end = link.length;
    for (let part: TokenChain | undefined = link; part !== undefined && end > from; part = part.parent) {
      for (let index = part.runs.length - 1; index >= 0 && end > from; index--) {
        const run = (part.runs[index] as { readonly ids: Uint32Array }).ids;
        const start = end - run.length;
        if (start < to) {
          const own = start < from || end > to ? run.subarray(Math.max(0, from - start), to - start) : run;
          ids.set(own, Math.max(0, start - from));
        }
        end = start;
      }
    }
    return ids.subarray(0, length);
  }
}

/** Sequence hash of the block before `block`; undefined before the first. */
function hashBefore(sequence: Uint32Array, block: number): U64 | undefined {
  if (block === 0) return undefined;
  return { low: sequence[2 * block - 2] as number, high: sequence[2 * block - 1] as number };
}
