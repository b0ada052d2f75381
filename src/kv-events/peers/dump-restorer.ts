import type { DumpedChange, StorageTier, StoredBlocks } from "../../kv/index.ts";
import { DumpReader, DumpSyntaxError } from "../dump-reader.ts";
import type { StreamPoint } from "../stream-position.ts";
import type { TurnBudget } from "../turn-budget.ts";
import { PeerError } from "./peer-error.ts";

/** Where what a peer tells of one rank goes: a `PrefixIndex`. */
export interface RestoredIndex {
  /** Tokens in a block. */
  readonly blockSize: number;
  store(slot: number, blocks: StoredBlocks): void;
  remove(slot: number, blockHashes: Uint32Array, tier: StorageTier): void;
  clear(slot: number): void;
}

/** A rank that a dump tells of, in the index of one of its models. */
interface RestoreTarget {
  readonly workerId: bigint;
  readonly dpRank: number;
  readonly slot: number;
  readonly index: RestoredIndex;
}

/** Whom the ranks of a dump are. Asked for each event: ranks may go meanwhile. */
export interface RestoreTargets {
  /** The index of `model:routing_group`; undefined = it is not served here. */
  indexOf(group: string): RestoredIndex | undefined;
  /** Slot of a rank that is to be restored; undefined for any other. */
  slotOf(workerId: bigint, dpRank: number): number | undefined;
}

/** What came of a dump. */
export interface RestoreCounts {
  readonly bytes: number;
  /** Blocks that were stored; holes that were stored and removed again included. */
  readonly blocks: number;
  /** Events of workers or models that are not ours. */
  readonly foreignEvents: number;
  /** Events that were not understood. */
  readonly skippedEvents: number;
  /** Groups with another block size than the model here, by name. */
  readonly mismatchedGroups: readonly string[];
}

/** Most blocks of one uninterrupted step: a fraction of a ms. */
const sliceBlocks = 1_024;

/** Most names that are kept for the log. */
const maxNames = 16;

/** Puts a peer's dump into the indexes, a slice of the event loop at a time. */
export class DumpRestorer {
  readonly #targets: RestoreTargets;
  readonly #budget: TurnBudget;
  readonly #reader = new DumpReader();
  readonly #touched = new Map<string, RestoreTarget>();
  readonly #mismatched = new Set<string>();
  #bytes = 0;
  #blocks = 0;
  #foreignEvents = 0;

  constructor(targets: RestoreTargets, budget: TurnBudget) {
    this.#targets = targets;
    this.#budget = budget;
  }

  /** Blocks that were stored. */
  get blocks(): number {
    return this.#blocks;
  }

  get counts(): RestoreCounts {
    return {
      bytes: this.#bytes,
      blocks: this.#blocks,
      foreignEvents: this.#foreignEvents,
      skippedEvents: this.#reader.skippedEvents,
      mismatchedGroups: [...this.#mismatched],
    };
  }

  /** Applies a whole dump. Throws PeerError when it is none; what was applied until then stays, to be undone. */
  async restore(parts: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const part of parts) {
        this.#bytes += part.length;
        await this.#inTurns(this.#apply(part));
      }
      this.#reader.end();
    } catch (cause) {
      if (cause instanceof DumpSyntaxError) throw new PeerError(cause.message, { failure: "malformed", cause });
      throw cause;
    }
  }

  /** Forgets all that was applied. */
  undo(): void {
    for (const { index, slot, workerId, dpRank } of this.#touched.values()) {
      if (this.#targets.slotOf(workerId, dpRank) === slot) index.clear(slot);
    }
  }

  /** How far the streams of the restored ranks had been applied, by slot. */
  points(): ReadonlyMap<number, StreamPoint> {
    const points = new Map<number, StreamPoint>();
    for (const point of this.#reader.points) {
      const slot = this.#targets.slotOf(point.workerId, point.dpRank);
      const index = this.#targets.indexOf(point.group);
      if (slot !== undefined && index !== undefined && !this.#mismatched.has(point.group)) points.set(slot, point);
    }
    return points;
  }

  async #inTurns(steps: Iterable<void>): Promise<void> {
    for (const _ of steps) if (this.#budget.isSpent) await this.#budget.nextTurn();
  }

  *#apply(part: Buffer): Generator<void, void, undefined> {
    for (const event of this.#reader.read(part)) {
      if (event === undefined) {
        yield;
        continue;
      }
      const { group, blockSize, workerId, dpRank, change } = event;
      const target = this.#targetOf(group, blockSize, workerId, dpRank);
      if (target !== undefined) yield* this.#change(target, change);
      yield;
    }
  }

  #targetOf(group: string, blockSize: number | undefined, workerId: bigint, dpRank: number): RestoreTarget | undefined {
    const index = this.#targets.indexOf(group);
    const slot = index && this.#targets.slotOf(workerId, dpRank);
    if (index === undefined || slot === undefined) {
      this.#foreignEvents++;
      return undefined;
    }
    if (index.blockSize !== blockSize) {
      if (this.#mismatched.size < maxNames) this.#mismatched.add(group);
      return undefined;
    }
    const key = `${group}\n${slot}`;
    const known = this.#touched.get(key) ?? { workerId, dpRank, index, slot };
    this.#touched.set(key, known);
    return known;
  }

  *#change(
    { index, slot }: RestoreTarget,
    change: DumpedChange["change"] | { readonly kind: "clear" },
  ): Generator<void> {
    if (change.kind === "clear") {
      index.clear(slot);
      return;
    }
    if (change.kind === "remove") {
      const { blockHashes, tier } = change;
      for (let from = 0; from < blockHashes.length; from += 2 * sliceBlocks) {
        index.remove(slot, blockHashes.subarray(from, from + 2 * sliceBlocks), tier);
        yield;
      }
      return;
    }
    for (const blocks of slicesOf(change.blocks)) {
      index.store(slot, blocks);
      this.#blocks += blocks.blockHashes.length >>> 1;
      yield;
    }
  }
}

/** The same run in parts, each behind the one before. */
function* slicesOf(blocks: StoredBlocks): Generator<StoredBlocks> {
  const { blockHashes, localHashes } = blocks;
  const step = 2 * sliceBlocks;
  if (blockHashes.length <= step) {
    yield blocks;
    return;
  }
  let { parentHash } = blocks;
  for (let from = 0; from < blockHashes.length; from += step) {
    const hashes = blockHashes.subarray(from, from + step);
    yield { ...blocks, parentHash, blockHashes: hashes, localHashes: localHashes.subarray(from, from + step) };
    parentHash = { low: hashes.at(-2) as number, high: hashes.at(-1) as number };
  }
}
