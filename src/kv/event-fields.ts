import type { BlockMmInfo } from "./block-hashes.ts";
import { readTail } from "./event-tail.ts";
import {
  type ExtraKeys,
  type Malformed,
  malformed,
  readExtraKeys,
  readHash,
  readHashes,
  readIndex,
  readKey,
  readMmInfos,
  readText,
  readTokens,
  type Steps,
  skipValues,
  type TokenValues,
} from "./event-values.ts";
import type { MsgpackCursor } from "./msgpack-cursor.ts";
import type { U64 } from "./xxh3.ts";

/** The fields of one event as they were read: undefined = absent or null; a value that makes no sense is marked. */
export interface EventFields {
  type?: string | undefined;
  blockHashes?: Uint32Array | Malformed | undefined;
  parentHash?: U64 | Malformed | undefined;
  tokens?: TokenValues | Malformed | undefined;
  blockSize?: number | Malformed | undefined;
  medium?: string | Malformed | undefined;
  loraName?: string | Malformed | undefined;
  cacheSalt?: string | Malformed | undefined;
  extraKeys?: ExtraKeys | Malformed | undefined;
  mmInfos?: readonly (BlockMmInfo | undefined)[] | Malformed | undefined;
  groupIndex?: number | Malformed | undefined;
  attentionKind?: string | Malformed | undefined;
  locality?: string | Malformed | undefined;
  ownership?: string | Malformed | undefined;
}

/** Fields of tagged arrays that have a fixed place after the tag; a tail follows them. */
const placedFields: ReadonlyMap<string, readonly string[]> = new Map([
  [
    "BlockStored",
    ["block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium", "lora_name", "extra_keys"],
  ],
  ["BlockRemoved", ["block_hashes", "medium"]],
  ["AllBlocksCleared", ["ownership"]],
]);

/** Fields that are a text or null. */
const textFields: ReadonlyMap<string, "medium" | "attentionKind" | "locality" | "ownership"> = new Map([
  ["medium", "medium"],
  ["kv_cache_spec_kind", "attentionKind"],
  ["locality", "locality"],
  ["ownership", "ownership"],
]);

/** Reads an event: a map, or an array that begins with a tag. Returns undefined, having passed over it, for anything else. */
export function* readFields(cursor: MsgpackCursor): Steps<EventFields | undefined> {
  const pairs = cursor.takeMap();
  if (pairs >= 0) return yield* readMap(cursor, pairs);
  const count = cursor.takeArray();
  if (count > 0) return yield* readTagged(cursor, count);
  if (count < 0) yield* skipValues(cursor, 1);
  return undefined;
}

function* readMap(cursor: MsgpackCursor, pairs: number): Steps<EventFields> {
  const fields: EventFields = {};
  for (let i = 0; i < pairs; i++) {
    const name = yield* readKey(cursor);
    if (name === "type") {
      const type = yield* readText(cursor);
      fields.type = type === malformed ? undefined : type;
    } else {
      yield* readField(cursor, name, fields);
    }
  }
  return fields;
}

function* readTagged(cursor: MsgpackCursor, count: number): Steps<EventFields | undefined> {
  const type = cursor.takeString();
  const fields: EventFields = { type };
  const names = placedFields.get(type ?? "") ?? [];
  let left = type === undefined ? count : count - 1;
  for (let i = 0; i < names.length && left > 0; i++, left--) yield* readField(cursor, names[i], fields);
  if (type === "BlockStored" || type === "BlockRemoved") left = yield* readTail(cursor, left, fields);
  yield* skipValues(cursor, left);
  return type === undefined ? undefined : fields;
}

function* readField(cursor: MsgpackCursor, name: string | undefined, fields: EventFields): Steps<void> {
  const text = textFields.get(name ?? "");
  switch (name) {
    case "block_hashes":
      fields.blockHashes = yield* readHashes(cursor);
      return;
    case "parent_block_hash":
      fields.parentHash = yield* readParent(cursor);
      return;
    case "token_ids":
      fields.tokens = yield* readTokens(cursor);
      return;
    case "block_size":
      fields.blockSize = yield* readIndex(cursor);
      return;
    case "group_idx":
      fields.groupIndex = yield* readIndex(cursor);
      return;
    case "lora_name":
      yield* readLoraName(cursor, fields);
      return;
    case "cache_salt":
      // The event's own goes before that of its metadata, wherever they stand.
      fields.cacheSalt = (yield* readText(cursor)) ?? fields.cacheSalt;
      return;
    case "extra_keys":
      fields.extraKeys = yield* readExtraKeys(cursor);
      return;
    case "block_mm_infos":
      fields.mmInfos = yield* readMmInfos(cursor);
      return;
    default:
      if (text === undefined) yield* skipValues(cursor, 1);
      else fields[text] = yield* readText(cursor);
  }
}

/** SGLang puts a map of metadata where vLLM has the adapter's name. */
function* readLoraName(cursor: MsgpackCursor, fields: EventFields): Steps<void> {
  const pairs = cursor.takeMap();
  if (pairs < 0) {
    fields.loraName = yield* readText(cursor);
    return;
  }
  for (let i = 0; i < pairs; i++) {
    const key = yield* readKey(cursor);
    if (key === "cache_salt") {
      const salt = yield* readText(cursor);
      fields.cacheSalt ??= salt;
    } else yield* skipValues(cursor, 1);
  }
}

const parentWords = new Uint32Array(2);

function* readParent(cursor: MsgpackCursor): Steps<U64 | Malformed | undefined> {
  if (cursor.takeNil()) return undefined;
  if (readHash(cursor, parentWords, 0)) return { low: parentWords[0] as number, high: parentWords[1] as number };
  yield* skipValues(cursor, 1);
  return malformed;
}
