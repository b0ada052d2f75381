import type { BlockIdentity } from "./block-identity.ts";
import { EvictionList } from "./eviction-list.ts";

/** What happened to the cached blocks, as the engine tells its subscribers. */
export type CacheEvent =
  | {
      readonly kind: "stored";
      /** Ids of the new blocks, each the child of the one before. */
      readonly blockIds: readonly bigint[];
      /** Id of the block before the first one; undefined at the start of a prompt. */
      readonly parentId: bigint | undefined;
      /** Tokens of all new blocks, length = blocks x block size. */
      readonly tokenIds: Uint32Array;
      readonly namespace: string;
    }
  | { readonly kind: "removed"; readonly blockId: bigint }
  | { readonly kind: "cleared" };

/** A prompt with its block ids, computed once however often its admission is tried. */
export interface IdentifiedPrompt {
  readonly tokenIds: Uint32Array;
  /** One id per full block. */
  readonly blockIds: BigUint64Array;
  readonly namespace: string;
}

/** Blocks held for one running request. */
export interface Allocation {
  /** Leading prompt tokens that need no prefill; a multiple of the block size, below the prompt's length. */
  readonly cachedTokens: number;
  /** Gives the blocks back; full prompt blocks stay cached until evicted. Idempotent. */
  release(): void;
}

interface Block {
  readonly id: bigint;
  /** Running requests that use the block. */
  users: number;
  /** False once a clear has taken its identity away. */
  isCached: boolean;
  previous: Block | undefined;
  next: Block | undefined;
}

/** How large the cache is and who hears of its changes. */
export interface BlockCacheOptions {
  readonly capacityBlocks: number;
  readonly blockSize: number;
  readonly identity: BlockIdentity;
  /** Told of every change, in order, before `allocate` or `clear` returns. */
  readonly onEvent: (event: CacheEvent) => void;
}

/**
 * A paged KV cache with prefix reuse, after vLLM's v1 block pool: blocks are counted per request, a block that nobody
 * uses stays cached and is evicted least recently used first, the tail of a prompt before its head. Generated tokens
 * take blocks while they are generated and are not cached.
 */
export class BlockCache {
  readonly capacityBlocks: number;
  readonly #options: BlockCacheOptions;
  readonly #blocks = new Map<bigint, Block>();
  readonly #evictable = new EvictionList<Block>();
  /** Blocks in use, cached or not: all but the evictable and the never used ones. */
  #blocksInUse = 0;

  constructor(options: BlockCacheOptions) {
    this.#options = options;
    this.capacityBlocks = options.capacityBlocks;
  }

  /** Tokens that fit. */
  get capacityTokens(): number {
    return this.capacityBlocks * this.#options.blockSize;
  }

  /** Blocks that running requests hold. */
  get blocksInUse(): number {
    return this.#blocksInUse;
  }

  /** Blocks with an identity, in use or not. */
  get cachedBlocks(): number {
    return this.#blocks.size;
  }

  /** Names the blocks of a prompt. O(tokens). */
  identify(tokenIds: Uint32Array, namespace: string): IdentifiedPrompt {
    return { tokenIds, blockIds: this.#options.identity.blockIds(tokenIds, namespace), namespace };
  }

  /**
   * Takes the blocks for a prompt and its output, or undefined when too many are in use. With `force` it takes what
   * there is: a request larger than the whole cache then runs, and only its leading blocks are cached. O(blocks).
   */
  allocate(prompt: IdentifiedPrompt, outputTokens: number, force: boolean): Allocation | undefined {
    const { blockSize } = this.#options;
    const hits = this.#leadingHits(prompt);
    const totalBlocks = Math.ceil((prompt.tokenIds.length + outputTokens) / blockSize);
    const idleHits = hits.reduce((count, block) => count + (block.users === 0 ? 1 : 0), 0);
    const newBlocks = totalBlocks - hits.length;
    const freeBlocks = this.capacityBlocks - this.#blocksInUse - idleHits;
    if (newBlocks > freeBlocks && !force) return undefined;
    for (const block of hits) this.#use(block);
    const stored: CacheEvent[] = [];
    const held = [...hits, ...this.#storeRest(prompt, hits.length, Math.min(newBlocks, freeBlocks), stored)];
    const anonymousBlocks = Math.max(0, Math.min(totalBlocks - held.length, this.capacityBlocks - this.#blocksInUse));
    for (let count = 0; count < anonymousBlocks; count += 1) this.#takeFreeBlock();
    // As vLLM does: first what had to go, then what came.
    for (const event of stored) this.#options.onEvent(event);
    return this.#allocation(hits.length * blockSize, held, anonymousBlocks);
  }

  /** Forgets every block; what running requests hold stays theirs and is not cached again. */
  clear(): void {
    for (const block of this.#blocks.values()) block.isCached = false;
    this.#blocks.clear();
    while (this.#evictable.shift() !== undefined);
    this.#options.onEvent({ kind: "cleared" });
  }

  /** The longest cached run from the start. The last token is always computed, as vLLM does, for its logits. */
  #leadingHits(prompt: IdentifiedPrompt): Block[] {
    const limit = Math.floor((prompt.tokenIds.length - 1) / this.#options.blockSize);
    const hits: Block[] = [];
    for (let index = 0; index < limit; index += 1) {
      const block = this.#blocks.get(prompt.blockIds[index] ?? 0n);
      if (block === undefined) break;
      hits.push(block);
    }
    return hits;
  }

  /** Takes the full blocks from `start` on, at most `limit` new ones; `stored` gets the events of those that were not cached. */
  #storeRest(prompt: IdentifiedPrompt, start: number, limit: number, stored: CacheEvent[]): Block[] {
    const held: Block[] = [];
    let runStart = start;
    let index = start;
    for (let taken = 0; index < prompt.blockIds.length; index += 1) {
      const id = prompt.blockIds[index] ?? 0n;
      const cached = this.#blocks.get(id);
      if (cached !== undefined && (cached.users > 0 || taken < limit)) {
        stored.push(...this.#storedEvents(prompt, runStart, index));
        runStart = index + 1;
        if (cached.users === 0) taken += 1;
        this.#use(cached);
        held.push(cached);
        continue;
      }
      if (taken >= limit) break;
      taken += 1;
      held.push(this.#create(id));
    }
    stored.push(...this.#storedEvents(prompt, runStart, index));
    return held;
  }

  #create(id: bigint): Block {
    this.#takeFreeBlock();
    const block: Block = { id, users: 1, isCached: true, previous: undefined, next: undefined };
    this.#blocks.set(id, block);
    return block;
  }

  #use(block: Block): void {
    if (block.users === 0) {
      this.#evictable.remove(block);
      this.#blocksInUse += 1;
    }
    block.users += 1;
  }

  /** Counts one more block in use; evicts when all others are in use or cached. */
  #takeFreeBlock(): void {
    if (this.#blocksInUse + this.#evictable.size >= this.capacityBlocks) {
      const evicted = this.#evictable.shift();
      if (evicted !== undefined) {
        this.#blocks.delete(evicted.id);
        this.#options.onEvent({ kind: "removed", blockId: evicted.id });
      }
    }
    this.#blocksInUse += 1;
  }

  /** One event for the blocks from `start` up to, not including, `end`; none without blocks. */
  #storedEvents(prompt: IdentifiedPrompt, start: number, end: number): readonly CacheEvent[] {
    if (start >= end) return [];
    const { blockSize } = this.#options;
    return [
      {
        kind: "stored",
        blockIds: Array.from(prompt.blockIds.subarray(start, end)),
        parentId: start === 0 ? undefined : prompt.blockIds[start - 1],
        tokenIds: prompt.tokenIds.subarray(start * blockSize, end * blockSize),
        namespace: prompt.namespace,
      },
    ];
  }

  #allocation(cachedTokens: number, held: readonly Block[], anonymousBlocks: number): Allocation {
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      this.#blocksInUse -= anonymousBlocks;
      for (let index = held.length - 1; index >= 0; index -= 1) this.#unuse(held[index]);
    };
    return { cachedTokens, release };
  }

  #unuse(block: Block | undefined): void {
    if (block === undefined) return;
    block.users -= 1;
    if (block.users > 0) return;
    this.#blocksInUse -= 1;
    if (block.isCached) this.#evictable.add(block);
  }
}
