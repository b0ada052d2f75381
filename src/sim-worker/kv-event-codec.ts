import { Packr } from "msgpackr";
import type { CacheEvent } from "./block-cache.ts";

/** How events inside a batch are written: vLLM up to about 0.22 sends tagged arrays, 0.24 and later maps. */
export type KvEventFormat = "array" | "map";

/** What a batch says besides its events. */
export interface KvEventCodecOptions {
  readonly format: KvEventFormat;
  readonly blockSize: number;
  /** Data-parallel rank that the batch names. */
  readonly dpRank: number;
}

/** How Dynamo marks a cache salt among vLLM's extra keys; an engine gets the salt with it. */
const saltMarker = "dynamo-cache-salt:";
const medium = "GPU";
const packr = new Packr({ useRecords: false, variableMapSize: true });

/**
 * The msgpack payload of one batch, `[ts, events, dp_rank]`, as vLLM's ZMQ publisher sends it (vllm
 * `distributed/kv_events.py`).
 * @param timestampMs Unix time
 */
export function encodeEventBatch(
  events: readonly CacheEvent[],
  timestampMs: number,
  options: KvEventCodecOptions,
): Buffer {
  const write = options.format === "map" ? mapEvent : arrayEvent;
  const encoded = events.map((event) => write(event, options.blockSize));
  return packr.pack([fractional(timestampMs / 1000), encoded, options.dpRank]);
}

/** The field is a float in vLLM; msgpackr would write a whole number of seconds as an integer. */
function fractional(seconds: number): number {
  return Number.isInteger(seconds) ? seconds + 1e-6 : seconds;
}

function arrayEvent(event: CacheEvent, blockSize: number): readonly unknown[] {
  switch (event.kind) {
    case "stored":
      return [
        "BlockStored",
        event.blockIds,
        event.parentId ?? null,
        Array.from(event.tokenIds),
        blockSize,
        null,
        medium,
        null,
        extraKeys(event),
      ];
    case "removed":
      return ["BlockRemoved", [event.blockId], medium];
    case "cleared":
      return ["AllBlocksCleared"];
  }
}

function mapEvent(event: CacheEvent, blockSize: number): Readonly<Record<string, unknown>> {
  switch (event.kind) {
    case "stored":
      return {
        type: "BlockStored",
        block_hashes: event.blockIds,
        parent_block_hash: event.parentId ?? null,
        token_ids: Array.from(event.tokenIds),
        block_size: blockSize,
        lora_id: null,
        medium,
        lora_name: null,
        extra_keys: extraKeys(event),
      };
    case "removed":
      return { type: "BlockRemoved", block_hashes: [event.blockId], medium };
    case "cleared":
      return { type: "AllBlocksCleared" };
  }
}

/** One entry a block; only the first block of a prompt carries the salt, its children inherit it. */
function extraKeys(event: CacheEvent & { kind: "stored" }): readonly unknown[] | null {
  if (event.namespace === "" || event.parentId !== undefined) return null;
  const salt = event.namespace.startsWith(saltMarker) ? event.namespace : `${saltMarker}${event.namespace}`;
  return event.blockIds.map((_, index) => (index === 0 ? [salt] : null));
}
