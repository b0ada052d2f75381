import { pack } from "msgpackr";
import type { NumberedPayload } from "../../../src/kv-events/frames.ts";

export type Tier = "device" | "host" | "disk";
/** A prompt of blocks, each of four tokens that follow from its number. */
export type Path = readonly number[];

/** How one version of some engine writes its events. */
export interface Format {
  readonly batch: "three" | "two" | "map";
  readonly event: "array" | "map";
  readonly hash: "unsigned" | "signed" | "bytes";
  /** Whether a block that moves to another tier is told by its hash alone. */
  readonly movesByHash: boolean;
}

interface Held {
  readonly path: Path;
  copies: number;
  readonly lower: Set<Tier>;
}

const mediumOf = { device: "GPU", host: "CPU", disk: "DISK" } as const;

/**
 * An engine in plain maps: what it holds, and the batches that tell of it. Each process names blocks by hashes of its own. Equal
 * blocks may be held in copies, as in vLLM.
 */
export class ModelEngine {
  readonly #bufferBatches: number;
  #process = 0;
  #held = new Map<string, Held>();
  #events: unknown[] = [];
  #sequence = 0;
  #stamp = 0;
  #buffer: NumberedPayload[] = [];
  /** Whether any block was held in more than one copy. */
  hasHadCopies = false;

  constructor(bufferBatches: number) {
    this.#bufferBatches = bufferBatches;
  }

  /** Batches that a replay still has, from `sequence` on. */
  buffered(sequence: number): readonly NumberedPayload[] {
    return this.#buffer.filter((batch) => batch.sequence >= sequence);
  }

  /** Number of the next batch. */
  get nextSequence(): number {
    return this.#sequence;
  }

  /** Another process takes over: nothing is held, and batches count from 0 again. */
  restart(): void {
    this.#process++;
    this.#held = new Map();
    this.#events = [];
    this.#buffer = [];
    this.#sequence = 0;
  }

  /** Computes a prompt: what is not held behind its held beginning is stored; `extra` blocks of that beginning as well, as copies. */
  store(path: Path, extra: number, format: Format, isTornOrder: boolean): void {
    let cached = 0;
    while (cached < path.length && (this.#held.get(keyOf(path.slice(0, cached + 1)))?.copies ?? 0) > 0) cached++;
    const from = Math.max(0, cached - extra);
    if (from === path.length) return;
    const middle = from + Math.ceil((path.length - from) / 2);
    const parts = [this.#stored(path, from, middle, format), this.#stored(path, middle, path.length, format)];
    // The order within a batch is not sacred: a child may come before its parent.
    for (const part of isTornOrder ? parts.reverse() : parts) if (part !== undefined) this.#events.push(part);
    for (let length = from + 1; length <= path.length; length++) {
      const held = this.#heldAt(path.slice(0, length));
      held.copies++;
      if (held.copies > 1) this.hasHadCopies = true;
    }
  }

  /** One copy of a block goes, wherever it is in its chain. */
  evict(path: Path, format: Format): void {
    const held = this.#held.get(keyOf(path));
    if (held === undefined || held.copies === 0) return;
    held.copies--;
    this.#events.push(this.#removed(path, "device", format));
    this.#forgetIfGone(held);
  }

  /** A held block comes into a lower tier as well. */
  offload(path: Path, tier: Tier, format: Format): void {
    const held = this.#held.get(keyOf(path));
    if (held === undefined || held.copies === 0 || held.lower.has(tier)) return;
    held.lower.add(tier);
    const whole = this.#stored(path, path.length - 1, path.length, format, tier);
    this.#events.push(format.movesByHash ? this.#moved(path, tier, format) : whole);
  }

  dropLower(path: Path, tier: Tier, format: Format): void {
    const held = this.#held.get(keyOf(path));
    if (held === undefined || !held.lower.delete(tier)) return;
    this.#events.push(this.#removed(path, tier, format));
    this.#forgetIfGone(held);
  }

  clear(format: Format): void {
    this.#held = new Map();
    this.#events.push(format.event === "map" ? { type: "AllBlocksCleared" } : ["AllBlocksCleared"]);
  }

  /** Something of a later version, beside what is known. */
  sayUnknown(format: Format): void {
    this.#events.push(format.event === "map" ? { type: "BlockMoved", from: [1] } : ["BlockMoved", [1], { to: 2 }]);
  }

  /** The next batch, with all that has happened since the last one. */
  publish(format: Format): NumberedPayload {
    const ts = 1_700_000_000 + this.#stamp++ / 1_000;
    const events = this.#events;
    this.#events = [];
    const batch = format.batch === "map" ? { ts, events } : format.batch === "two" ? [ts, events] : [ts, events, null];
    const message = { sequence: this.#sequence++, payload: pack(batch) };
    this.#buffer.push(message);
    if (this.#buffer.length > this.#bufferBatches) this.#buffer.shift();
    return message;
  }

  /** Leading blocks on the device, then in host memory, then on disk. */
  overlap(path: Path): readonly [number, number, number] {
    const tiers: readonly Tier[] = ["device", "host", "disk"];
    const runs: [number, number, number] = [0, 0, 0];
    let tier = 0;
    for (let length = 1; length <= path.length; length++) {
      const held = this.#held.get(keyOf(path.slice(0, length)));
      const isIn = (at: number) => (at === 0 ? (held?.copies ?? 0) > 0 : held?.lower.has(tiers[at] ?? "disk") === true);
      while (tier < 3 && !isIn(tier)) tier++;
      if (tier === 3) break;
      runs[tier] = (runs[tier] ?? 0) + 1;
    }
    return runs;
  }

  /** Blocks held, in any tier. */
  get size(): number {
    return this.#held.size;
  }

  #heldAt(path: Path): Held {
    const known = this.#held.get(keyOf(path));
    if (known !== undefined) return known;
    const held = { path, copies: 0, lower: new Set<Tier>() };
    this.#held.set(keyOf(path), held);
    return held;
  }

  #forgetIfGone(held: Held): void {
    if (held.copies === 0 && held.lower.size === 0) this.#held.delete(keyOf(held.path));
  }

  #stored(path: Path, from: number, to: number, format: Format, tier: Tier = "device"): unknown {
    if (from === to) return undefined;
    const hashes = Array.from({ length: to - from }, (_, i) => this.#hash(path.slice(0, from + i + 1), format));
    const parent = from === 0 ? null : this.#hash(path.slice(0, from), format);
    const tokens = path.slice(from, to).flatMap((block) => [4 * block, 4 * block + 1, 4 * block + 2, 4 * block + 3]);
    return storedEvent(format, { hashes, parent, tokens, blockSize: 4, medium: mediumOf[tier] });
  }

  #moved(path: Path, tier: Tier, format: Format): unknown {
    const hashes = [this.#hash(path, format)];
    return storedEvent(format, { hashes, parent: null, tokens: [], blockSize: 0, medium: mediumOf[tier] });
  }

  #removed(path: Path, tier: Tier, format: Format): unknown {
    const hashes = [this.#hash(path, format)];
    const medium = mediumOf[tier];
    return format.event === "map"
      ? { type: "BlockRemoved", block_hashes: hashes, medium }
      : ["BlockRemoved", hashes, medium];
  }

  #hash(path: Path, { hash }: Format): bigint | Buffer {
    const value = path.reduce(
      (sum, block) => BigInt.asUintN(64, (sum + BigInt(block)) * 0x9e3779b97f4a7c15n),
      BigInt(this.#process + 1) << 40n,
    );
    if (hash === "unsigned") return value;
    if (hash === "signed") return BigInt.asIntN(64, value);
    const bytes = Buffer.alloc(32, 0xab);
    bytes.writeBigUInt64BE(value, 24);
    return bytes;
  }
}

interface StoredFields {
  readonly hashes: readonly (bigint | Buffer)[];
  readonly parent: bigint | Buffer | null;
  readonly tokens: readonly number[];
  readonly blockSize: number;
  readonly medium: string;
}

function storedEvent(format: Format, { hashes, parent, tokens, blockSize, medium }: StoredFields): unknown {
  if (format.event === "array") return ["BlockStored", hashes, parent, tokens, blockSize, null, medium, null];
  return {
    type: "BlockStored",
    block_hashes: hashes,
    parent_block_hash: parent,
    token_ids: tokens,
    block_size: blockSize,
    medium,
  };
}

function keyOf(path: Path): string {
  return path.join("/");
}
