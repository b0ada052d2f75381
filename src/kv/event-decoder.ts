import type { Buffer } from "node:buffer";
import { cacheSaltOfExtraKeys } from "./cache-salt-mark.ts";
import { type EventFields, readFields } from "./event-fields.ts";
import { type Malformed, malformed, readKey, type Steps, skipValues } from "./event-values.ts";
import type { DecodedBatch, KvEvent, KvEventScope, SkipReason, StoredEvent } from "./kv-event.ts";
import { MsgpackCursor, MsgpackError } from "./msgpack-cursor.ts";

/** A payload that holds no batch at all: not MessagePack, or another shape. */
export class KvEventDecodeError extends Error {
  override readonly name = "KvEventDecodeError";
}

interface OpenBatch {
  timestamp: number;
  dataParallelRank: number | undefined;
  events: KvEvent[] | undefined;
  readonly skipped: Record<SkipReason, number>;
}

/** Longest cache namespace, UTF-16 units: names are kept as long as blocks have them. */
const maxSaltLength = 4_096;

const numberFields: ReadonlySet<string | undefined> = new Set(["ts", "data_parallel_rank", "dp_rank"]);

/** Decodes a batch at once: see `decodeSteps`. */
export function decodeEventBatch(payload: Buffer): DecodedBatch {
  const steps = decodeSteps(payload);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Decodes one message of a vLLM or SGLang event stream, of any version: batches as arrays of two or three elements or as
 * maps, events as tagged arrays or as maps, hashes as integers or bytes. An event that cannot be understood is passed over
 * alone. A step is one event, or some 8,000 values of a long one. Throws KvEventDecodeError when there is no batch in the payload.
 */
export function* decodeSteps(payload: Buffer): Steps<DecodedBatch> {
  try {
    return yield* readBatch(new MsgpackCursor(payload));
  } catch (cause) {
    if (cause instanceof MsgpackError) throw new KvEventDecodeError("not MessagePack", { cause });
    throw cause;
  }
}

function* readBatch(cursor: MsgpackCursor): Steps<DecodedBatch> {
  const batch: OpenBatch = {
    timestamp: Number.NaN,
    dataParallelRank: undefined,
    events: undefined,
    skipped: { unknown_event: 0, malformed_event: 0 },
  };
  const pairs = cursor.takeMap();
  const count = pairs >= 0 ? 0 : cursor.takeArray();
  for (let i = 0; i < pairs; i++) yield* readBatchField(cursor, yield* readKey(cursor), batch);
  const names = ["ts", "events", "data_parallel_rank"];
  for (let i = 0; i < count; i++) yield* readBatchField(cursor, names[i], batch);
  const { events } = batch;
  if (events === undefined) throw new KvEventDecodeError("not a batch of KV events");
  return { ...batch, events };
}

function* readBatchField(cursor: MsgpackCursor, name: string | undefined, batch: OpenBatch): Steps<void> {
  if (name === "events" && cursor.kind === "array") {
    yield* readEvents(cursor, batch);
    return;
  }
  const value = numberFields.has(name) ? cursor.takeNumber() : undefined;
  if (value === undefined) yield* skipValues(cursor, 1);
  else if (name === "ts") batch.timestamp = value;
  else if (Number.isInteger(value) && value >= 0) batch.dataParallelRank = value;
}

function* readEvents(cursor: MsgpackCursor, batch: OpenBatch): Steps<void> {
  batch.events = [];
  const count = cursor.takeArray();
  for (let i = 0; i < count; i++) {
    if (i > 0) yield;
    const event = eventOf(yield* readFields(cursor));
    if (typeof event === "string") batch.skipped[event]++;
    else batch.events.push(event);
  }
}

function eventOf(fields: EventFields | undefined): KvEvent | SkipReason {
  switch (fields?.type) {
    case undefined:
      return "malformed_event";
    case "BlockStored":
      return storedEvent(fields) ?? "malformed_event";
    case "BlockRemoved": {
      const scope = scopeOf(fields);
      const { blockHashes } = fields;
      if (scope === undefined || !isGood(blockHashes)) return "malformed_event";
      return { kind: "removed", blockHashes, ...scope };
    }
    case "AllBlocksCleared":
      return fields.ownership === malformed ? "malformed_event" : { kind: "cleared", ownership: fields.ownership };
    case "Ignored":
      return { kind: "ignored" };
    default:
      return "unknown_event";
  }
}

function storedEvent(fields: EventFields): StoredEvent | undefined {
  const { blockHashes, parentHash, tokens, blockSize, loraName, cacheSalt, extraKeys, mmInfos } = fields;
  const scope = scopeOf(fields);
  if (scope === undefined || !isGood(blockHashes) || !isGood(tokens) || !isGood(blockSize)) return undefined;
  if (parentHash === malformed || loraName === malformed || cacheSalt === malformed) return undefined;
  if (extraKeys === malformed || mmInfos === malformed) return undefined;
  const salt = cacheSalt || cacheSaltOfExtraKeys(extraKeys?.ofFirst ?? [], loraName);
  if (salt !== undefined && salt.length > maxSaltLength) return undefined;
  return {
    kind: "stored",
    blockHashes,
    parentHash,
    tokenIds: tokens.tokenIds,
    isEagle: tokens.isEagle,
    blockSize,
    loraName,
    cacheSalt: salt,
    blockMmInfos: mmInfos ?? extraKeys?.mmInfos,
    ...scope,
  };
}

function scopeOf(fields: EventFields): KvEventScope | undefined {
  const { medium, groupIndex, attentionKind, locality, ownership } = fields;
  if (medium === malformed || groupIndex === malformed || attentionKind === malformed) return undefined;
  if (locality === malformed || ownership === malformed) return undefined;
  return { medium, groupIndex, attentionKind, locality, ownership };
}

function isGood<T>(value: T | Malformed | undefined): value is T {
  return value !== undefined && value !== malformed;
}
