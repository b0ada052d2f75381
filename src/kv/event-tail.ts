import type { BlockMmInfo } from "./block-hashes.ts";
import type { EventFields } from "./event-fields.ts";
import { malformed, readMmInfos, type Steps, skipValues } from "./event-values.ts";
import type { MsgpackCursor } from "./msgpack-cursor.ts";

/** Most fields that a tail can have: media, then five. What comes after them is of a later version. */
const tailFields = 6;

type MmInfos = readonly (BlockMmInfo | undefined)[];
/** Null is undefined; what is neither a number nor a text nor a list of media is null as well. */
type TailValue = number | string | MmInfos | undefined;

/**
 * Reads up to `left` fields at the end of a tagged array, which versions fill differently: per-block media first or not at all,
 * then group, kind of attention, sliding window, locality and ownership at fixed places; or, in old ones, group, window and kind
 * as far as they are known, in any order (dynamo@1.6.1 `parse_block_stored_trailing`). Returns how many fields are left.
 */
export function* readTail(cursor: MsgpackCursor, left: number, fields: EventFields): Steps<number> {
  const values: TailValue[] = [];
  for (; values.length < Math.min(left, tailFields); ) values.push(yield* readTailValue(cursor));
  const rest = left - values.length;
  const media = values.findIndex((value) => typeof value === "object");
  if (media >= 0) {
    const infos = values.splice(media, 1)[0] as MmInfos;
    // A list of blocks without media says no more than none, as in a map.
    if (infos.length > 0) fields.mmInfos = infos;
  } else if (values[0] === undefined && typeof values[1] === "number") {
    // A number in the second place stands for the group: before it is the place of the media.
    values.shift();
  }
  if (hasFixedPlaces(values)) assignPlaced(values, fields);
  else assignByKind(values, fields);
  return rest;
}

function* readTailValue(cursor: MsgpackCursor): Steps<TailValue> {
  const { kind } = cursor;
  if (kind === "integer") return unsigned(cursor.takeNumber());
  if (kind === "string") return cursor.takeString();
  if (kind === "array") {
    const infos = yield* readMmInfos(cursor);
    return infos === malformed ? undefined : (infos ?? []);
  }
  yield* skipValues(cursor, 1);
  return undefined;
}

function unsigned(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 ? value : undefined;
}

function hasFixedPlaces(values: readonly TailValue[]): boolean {
  if (values.length < 4) return false;
  const kinds = ["number", "string", "number", "string", "string"];
  return kinds.every((kind, i) => values[i] === undefined || typeof values[i] === kind);
}

function assignPlaced(values: readonly TailValue[], fields: EventFields): void {
  fields.groupIndex = values[0] as number | undefined;
  fields.attentionKind = values[1] as string | undefined;
  fields.locality = values[3] as string | undefined;
  fields.ownership = values[4] as string | undefined;
}

function assignByKind(values: readonly TailValue[], fields: EventFields): void {
  for (const value of values) {
    if (typeof value === "number") fields.groupIndex ??= value;
    else if (typeof value === "string") fields.attentionKind = value;
  }
}
