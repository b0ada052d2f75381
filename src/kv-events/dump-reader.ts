import type { Buffer } from "node:buffer";
import { JsonNumber, JsonObject, JsonReader, JsonSyntaxError, type JsonValue } from "../json/index.ts";
import type { DumpedChange, StorageTier, U64 } from "../kv/index.ts";
import { DumpScanner, DumpSyntaxError, type ScannedEvent } from "./dump-scanner.ts";
import type { DumpedPoint, DumpedRank } from "./dump-writer.ts";

/** One event of a dump that can be applied. */
export interface DumpedEvent extends DumpedRank {
  /** `model:routing_group`. */
  readonly group: string;
  /** Tokens in a block of that group; undefined when the dump did not say before. */
  readonly blockSize: number | undefined;
  readonly change: DumpedChange["change"] | { readonly kind: "clear" };
}

/** How far a stream of a group was applied. */
export interface ReadPoint extends DumpedPoint {
  /** `model:routing_group`. */
  readonly group: string;
}

/** Most streams of one dump. */
const maxPoints = 65_536;

const tiers: ReadonlySet<unknown> = new Set<StorageTier>(["device", "host_pinned", "disk", "external"]);

/** Reads a dump of ours, of Dynamo's indexer, or of its selection service, chunk by chunk. */
export class DumpReader {
  readonly #scanner = new DumpScanner();
  readonly #json = new JsonReader({ internedBytes: 0 });
  readonly #points: ReadPoint[] = [];
  #skippedEvents = 0;

  /** Events passed over: of a shape, tier or residency that is not known. */
  get skippedEvents(): number {
    return this.#skippedEvents;
  }

  /** How far streams were applied, as far as it was read. */
  get points(): readonly ReadPoint[] {
    return this.#points;
  }

  /** The events that end in this chunk, in order; each is parsed as it is asked for. Throws DumpSyntaxError. */
  *read(chunk: Buffer): Generator<DumpedEvent, void, undefined> {
    for (const scanned of this.#scanner.read(chunk)) {
      if (scanned.list === "streams") {
        this.#readPoint(scanned);
        continue;
      }
      const event = this.#parse(scanned);
      if (event === undefined) this.#skippedEvents++;
      else yield event;
    }
  }

  /** The text is over. Throws DumpSyntaxError when it is not whole. */
  end(): void {
    this.#scanner.end();
  }

  #readPoint({ group, json }: ScannedEvent): void {
    const stream = this.#object(json);
    const workerId = u64Of(stream.get("worker_id"));
    const content = u64Of(stream.get("content"));
    const sequence = safeIntegerOf(stream.get("sequence"));
    const dpRank = safeIntegerOf(stream.get("dp_rank") ?? new JsonNumber("0"));
    if (workerId === undefined || content === undefined || sequence === undefined || dpRank === undefined) return;
    if (this.#points.length >= maxPoints) return;
    const isComplete = stream.get("complete") === true;
    this.#points.push({ group, workerId: bigintOf(workerId), dpRank, sequence, content, isComplete });
  }

  #parse({ group, blockSize, json }: ScannedEvent): DumpedEvent | undefined {
    const outer = this.#object(json);
    const event = outer.get("event");
    const domain = outer.get("residency_domain") ?? "worker";
    const tier = outer.get("storage_tier") ?? "device";
    const workerId = u64Of(outer.get("worker_id"));
    if (!(event instanceof JsonObject) || domain !== "worker" || !tiers.has(tier) || workerId === undefined) {
      return undefined;
    }
    const dpRank = event.get("dp_rank");
    const change = changeOf(event.get("data"), tier as StorageTier);
    if (change === undefined) return undefined;
    return {
      group,
      blockSize,
      workerId: bigintOf(workerId),
      dpRank: dpRank instanceof JsonNumber ? dpRank.toNumber() : 0,
      change,
    };
  }

  #object(json: Buffer): JsonObject {
    try {
      return this.#json.parse(json, {}) as JsonObject;
    } catch (cause) {
      if (cause instanceof JsonSyntaxError) throw new DumpSyntaxError("an event that is no JSON", { cause });
      throw cause;
    }
  }
}

function bigintOf({ low, high }: U64): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function safeIntegerOf(value: JsonValue | undefined): number | undefined {
  const number = value instanceof JsonNumber && value.isInteger ? value.toNumber() : -1;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

function changeOf(data: JsonValue | undefined, tier: StorageTier): DumpedEvent["change"] | undefined {
  if (data === "cleared") return { kind: "clear" };
  if (!(data instanceof JsonObject)) return undefined;
  const removed = data.get("removed");
  if (removed instanceof JsonObject) {
    const blockHashes = u64sOf(removed.get("block_hashes"));
    return blockHashes === undefined ? undefined : { kind: "remove", blockHashes, tier };
  }
  const stored = data.get("stored");
  return stored instanceof JsonObject ? storeOf(stored, tier) : undefined;
}

function storeOf(stored: JsonObject, tier: StorageTier): DumpedEvent["change"] | undefined {
  const blocks = stored.get("blocks");
  const parent = stored.get("parent_hash") ?? null;
  const parentHash = parent === null ? undefined : u64Of(parent);
  const cacheSalt = stored.get("cache_salt");
  if (!Array.isArray(blocks) || (parent !== null && parentHash === undefined)) return undefined;
  const field = (name: string) =>
    u64sOf(blocks.map((block) => (block instanceof JsonObject ? block.get(name) : undefined)));
  const blockHashes = field("block_hash");
  const localHashes = field("tokens_hash");
  if (blockHashes === undefined || localHashes === undefined) return undefined;
  const salt = typeof cacheSalt === "string" ? cacheSalt : undefined;
  return { kind: "store", blocks: { parentHash, blockHashes, localHashes, tier, cacheSalt: salt } };
}

function u64sOf(values: unknown): Uint32Array | undefined {
  if (!Array.isArray(values)) return undefined;
  const out = new Uint32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = u64Of(values[i]);
    if (value === undefined) return undefined;
    out[2 * i] = value.low;
    out[2 * i + 1] = value.high;
  }
  return out;
}

/** An integer of 64 bits; signed ones by their bits. */
function u64Of(value: unknown): U64 | undefined {
  if (!(value instanceof JsonNumber) || !value.isInteger) return undefined;
  const isNegative = value.lexeme.startsWith("-");
  let low = 0;
  let high = 0;
  for (let at = isNegative ? 1 : 0; at < value.lexeme.length; at++) {
    low = low * 10 + (value.lexeme.charCodeAt(at) - 48);
    high = high * 10 + Math.floor(low / 0x1_0000_0000);
    low %= 0x1_0000_0000;
    if (high >= 0x1_0000_0000) return undefined;
  }
  if (!isNegative) return { low, high };
  return { low: -low >>> 0, high: (low === 0 ? -high : -high - 1) >>> 0 };
}
