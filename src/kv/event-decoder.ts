import type { Buffer } from "node:buffer";
import { Unpackr } from "msgpackr";
import { cacheSaltOfExtraKeys, mmInfosOfExtraKeys, mmInfosOfObjects } from "./extra-keys.ts";
import type { DecodedBatch, KvEvent, KvEventScope, RemovedEvent, SkipReason, StoredEvent } from "./kv-event.ts";
import {
  blockHash,
  blockHashes,
  index,
  isMap,
  list,
  optionalIndex,
  optionalList,
  optionalString,
  tokenIds,
  type WireMap,
  WireValueError,
} from "./wire-values.ts";

/** A payload that holds no batch at all: not MessagePack, or another shape. */
export class KvEventDecodeError extends Error {
  override readonly name = "KvEventDecodeError";
}

const unpackr = new Unpackr({ int64AsType: "bigint", mapsAsObjects: true, useRecords: false });

/** Fields of a tagged array by place, after the tag; the rest of the fields is optional. */
const removedFields = [
  "block_hashes",
  "medium",
  "group_idx",
  "kv_cache_spec_kind",
  "kv_cache_spec_sliding_window",
  "locality",
  "ownership",
];
const storedFields = [
  "block_hashes",
  "parent_block_hash",
  "token_ids",
  "block_size",
  "lora_id",
  "medium",
  "lora_name",
  "extra_keys",
];
const storedTailFields = removedFields.slice(2);

/**
 * Decodes one message of a vLLM or SGLang event stream, of any version: batches as arrays of two or three elements or as
 * maps, events as tagged arrays or as maps, hashes as integers or bytes. An event that cannot be understood is passed over
 * alone. Throws KvEventDecodeError when there is no batch in the payload.
 */
export function decodeEventBatch(payload: Buffer): DecodedBatch {
  const outer = unpack(payload);
  const [timestamp, rawEvents, rank] = Array.isArray(outer)
    ? outer
    : isMap(outer)
      ? [outer["ts"], outer["events"], outer["data_parallel_rank"]]
      : [];
  if (!Array.isArray(rawEvents)) throw new KvEventDecodeError("not a batch of KV events");
  const events: KvEvent[] = [];
  const skipped: Record<SkipReason, number> = { unknown_event: 0, malformed_event: 0 };
  for (const raw of rawEvents) {
    const event = decodeEvent(raw);
    if (typeof event === "string") skipped[event]++;
    else events.push(event);
  }
  return {
    timestamp: Number(timestamp),
    dataParallelRank: typeof rank === "number" && Number.isInteger(rank) && rank >= 0 ? rank : undefined,
    events,
    skipped,
  };
}

function unpack(payload: Buffer): unknown {
  try {
    return unpackr.unpack(payload);
  } catch (cause) {
    throw new KvEventDecodeError("not MessagePack", { cause });
  }
}

function decodeEvent(raw: unknown): KvEvent | SkipReason {
  const type = Array.isArray(raw) ? raw[0] : isMap(raw) ? raw["type"] : undefined;
  try {
    switch (type) {
      case "BlockStored":
        return storedEvent(Array.isArray(raw) ? storedMap(raw) : (raw as WireMap));
      case "BlockRemoved":
        return removedEvent(Array.isArray(raw) ? mapOf(removedFields, raw.slice(1)) : (raw as WireMap));
      case "AllBlocksCleared":
        return {
          kind: "cleared",
          ownership: optionalString(Array.isArray(raw) ? raw[1] : (raw as WireMap)["ownership"]),
        };
      case "Ignored":
        return { kind: "ignored" };
      default:
        return typeof type === "string" ? "unknown_event" : "malformed_event";
    }
  } catch (error) {
    if (error instanceof WireValueError) return "malformed_event";
    throw error;
  }
}

function storedMap(raw: readonly unknown[]): WireMap {
  const fields = raw.slice(1);
  // SGLang puts a map of metadata where vLLM has the adapter's name.
  const metadata = fields[6];
  if (isMap(metadata)) fields[6] = undefined;
  // Some senders put per-block media infos before the tail. The tail begins with a number, or with null and a name.
  const hasMmInfos = Array.isArray(fields[8]) || typeof fields[9] === "number";
  const map = {
    ...mapOf(storedFields, fields),
    ...mapOf(storedTailFields, fields.slice(hasMmInfos ? 9 : 8)),
    ...(hasMmInfos ? { block_mm_infos: fields[8] } : {}),
  };
  return isMap(metadata) ? { ...map, cache_salt: metadata["cache_salt"] } : map;
}

function mapOf(names: readonly string[], values: readonly unknown[]): WireMap {
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}

function storedEvent(raw: WireMap): StoredEvent {
  const extraKeys = optionalList(raw["extra_keys"]);
  const mmObjects = optionalList(raw["block_mm_infos"]);
  const parent = raw["parent_block_hash"];
  return {
    kind: "stored",
    blockHashes: blockHashes(raw["block_hashes"]),
    parentHash: parent === undefined || parent === null ? undefined : blockHash(parent),
    ...tokenIds(list(raw["token_ids"])),
    blockSize: index(raw["block_size"]),
    loraName: optionalString(raw["lora_name"]),
    cacheSalt: optionalString(raw["cache_salt"]) || cacheSaltOfExtraKeys(extraKeys),
    blockMmInfos: mmInfosOfObjects(mmObjects) ?? mmInfosOfExtraKeys(extraKeys),
    ...scopeOf(raw),
  };
}

function removedEvent(raw: WireMap): RemovedEvent {
  return { kind: "removed", blockHashes: blockHashes(raw["block_hashes"]), ...scopeOf(raw) };
}

function scopeOf(raw: WireMap): KvEventScope {
  return {
    medium: optionalString(raw["medium"]),
    groupIndex: optionalIndex(raw["group_idx"]),
    attentionKind: optionalString(raw["kv_cache_spec_kind"]),
    locality: optionalString(raw["locality"]),
    ownership: optionalString(raw["ownership"]),
  };
}
