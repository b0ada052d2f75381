import type { Packed } from "./plain-msgpack.ts";

/** What a batch says, in values that can be compared. */
export interface PlainBatch {
  readonly ts: number;
  readonly rank: number | undefined;
  readonly events: readonly PlainEvent[];
  readonly unknown: number;
  readonly malformed: number;
}

export type PlainEvent = Readonly<Record<string, unknown>>;

const bad = Symbol("bad");
type Bad = typeof bad;

/** A batch from a whole value, by the rules of docs/kv-events.md and of the engines' own classes. Undefined = it is none. */
export function plainBatch(value: Packed): PlainBatch | undefined {
  const fields = Array.isArray(value)
    ? (["ts", "events", "data_parallel_rank"] as const).flatMap((name, i) =>
        i < value.length ? [[name, value[i]]] : [],
      )
    : (pairsOf(value) ?? []);
  const batch = {
    ts: Number.NaN,
    rank: undefined as number | undefined,
    events: undefined as PlainEvent[] | undefined,
  };
  let [unknown, malformed] = [0, 0];
  for (const [name, field] of fields as readonly (readonly [Packed, Packed])[]) {
    const number = typeof field === "bigint" || typeof field === "number" ? Number(field) : undefined;
    if (name === "events" && Array.isArray(field)) {
      const events = field.map(plainEvent);
      batch.events = events.filter((event) => typeof event !== "string");
      unknown += events.filter((event) => event === "unknown").length;
      malformed += events.filter((event) => event === "malformed").length;
    } else if (name === "ts" && number !== undefined) batch.ts = number;
    else if (name === "data_parallel_rank" || name === "dp_rank") {
      if (number !== undefined && Number.isInteger(number) && number >= 0) batch.rank = number;
    }
  }
  return batch.events === undefined ? undefined : { ...batch, events: batch.events, unknown, malformed };
}

function pairsOf(value: Packed | undefined): readonly (readonly [Packed, Packed])[] | undefined {
  return typeof value === "object" && value !== null && "pairs" in value ? value.pairs : undefined;
}

const placed: Readonly<Record<string, readonly string[]>> = {
  BlockStored: [
    "block_hashes",
    "parent_block_hash",
    "token_ids",
    "block_size",
    "",
    "medium",
    "lora_name",
    "extra_keys",
  ],
  BlockRemoved: ["block_hashes", "medium"],
  AllBlocksCleared: ["ownership"],
};

function plainEvent(value: Packed): PlainEvent | "unknown" | "malformed" {
  const fields = new Map<string, Packed>();
  const pairs = pairsOf(value);
  if (pairs !== undefined) {
    for (const [name, field] of pairs) {
      const isLost = name === "cache_salt" && field === null && fields.has(name);
      if (typeof name === "string" && !isLost) fields.set(name, field);
    }
  } else if (!Array.isArray(value) || typeof value[0] !== "string") return "malformed";
  else takePlaced(value[0], value.slice(1), fields);
  const type = fields.get("type");
  if (typeof type !== "string") return "malformed";
  if (type === "Ignored") return { kind: "ignored" };
  const ownership = textOf(fields.get("ownership"));
  if (type === "AllBlocksCleared") return ownership === bad ? "malformed" : { kind: "cleared", ownership };
  if (type !== "BlockStored" && type !== "BlockRemoved") return "unknown";
  return blockEvent(type, fields) ?? "malformed";
}

function takePlaced(type: string, values: readonly Packed[], fields: Map<string, Packed>): void {
  const names = Object.hasOwn(placed, type) ? (placed[type] ?? []) : [];
  for (const [i, name] of names.entries()) if (i < values.length) fields.set(name, values[i] as Packed);
  fields.set("type", type);
  if (type === "BlockStored" || type === "BlockRemoved") takeTail(values.slice(names.length, names.length + 6), fields);
}

/** Up to six more: media first or nowhere; then group, kind, window, locality and ownership, or the first three in any order. */
function takeTail(values: readonly Packed[], fields: Map<string, Packed>): void {
  const rest: (bigint | string | undefined | "media")[] = [];
  let hasMedia = false;
  for (const value of values) {
    if (Array.isArray(value) && mediaOf(value) !== bad && !hasMedia) {
      fields.set("block_mm_infos", value);
      hasMedia = true;
      continue;
    }
    if (typeof value === "string" || (typeof value === "bigint" && value >= 0n)) rest.push(value);
    else rest.push(Array.isArray(value) && mediaOf(value) !== bad ? "media" : undefined);
  }
  if (!hasMedia && rest[0] === undefined && typeof rest[1] === "bigint") rest.shift();
  const isPlaced =
    rest.length >= 4 &&
    ["bigint", "string", "bigint", "string", "string"].every(
      (kind, i) => rest[i] === undefined || (typeof rest[i] === kind && rest[i] !== "media"),
    );
  const set = (name: string, value: Packed | undefined) => {
    if (value !== undefined) fields.set(name, value);
  };
  if (isPlaced) {
    set("group_idx", rest[0]);
    set("kv_cache_spec_kind", rest[1]);
    set("locality", rest[3]);
    set("ownership", rest[4]);
    return;
  }
  const group = rest.find((value) => typeof value === "bigint");
  set("group_idx", group);
  set(
    "kv_cache_spec_kind",
    rest.findLast((value) => typeof value === "string" && value !== "media"),
  );
}

function blockEvent(type: string, fields: ReadonlyMap<string, Packed>): PlainEvent | undefined {
  const scope = {
    medium: textOf(fields.get("medium")),
    groupIndex: indexOf(fields.get("group_idx")),
    attentionKind: textOf(fields.get("kv_cache_spec_kind")),
    locality: textOf(fields.get("locality")),
    ownership: textOf(fields.get("ownership")),
  };
  const blockHashes = hashesOf(fields.get("block_hashes"));
  if (Object.values(scope).includes(bad) || blockHashes === bad) return undefined;
  if (type === "BlockRemoved") return { kind: "removed", blockHashes, ...scope };
  const parent = fields.get("parent_block_hash") ?? null;
  const parentHash = parent === null ? undefined : hashOf(parent);
  const tokens = tokensOf(fields.get("token_ids"));
  const blockSize = indexOf(fields.get("block_size"));
  const metadata = pairsOf(fields.get("lora_name"))?.findLast(([name]) => name === "cache_salt")?.[1];
  const loraName = pairsOf(fields.get("lora_name")) === undefined ? textOf(fields.get("lora_name")) : undefined;
  const named = textOf(fields.get("cache_salt") ?? metadata);
  const extra = extraKeysOf(fields.get("extra_keys"));
  const media = mediaOf(fields.get("block_mm_infos"));
  if (parentHash === bad || tokens === bad || blockSize === bad || blockSize === undefined) return undefined;
  if (loraName === bad || named === bad || extra === bad || media === bad) return undefined;
  const cacheSalt = named || saltOf(extra?.ofFirst ?? [], loraName);
  if (cacheSalt !== undefined && cacheSalt.length > 4_096) return undefined;
  const blockMmInfos = media ?? extra?.media;
  return { kind: "stored", blockHashes, parentHash, ...tokens, blockSize, loraName, cacheSalt, blockMmInfos, ...scope };
}

function textOf(value: Packed | undefined): string | undefined | Bad {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : bad;
}

function indexOf(value: Packed | undefined): number | undefined | Bad {
  if (value === undefined || value === null) return undefined;
  return typeof value === "bigint" && value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : bad;
}

function hashOf(value: Packed): bigint | Bad {
  if (typeof value === "bigint") return BigInt.asUintN(64, value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt.asUintN(64, BigInt(value)) : bad;
  if (!Buffer.isBuffer(value) || value.length === 0) return bad;
  return BigInt(`0x${value.subarray(-8).toString("hex")}`);
}

function hashesOf(value: Packed | undefined): readonly bigint[] | Bad {
  if (!Array.isArray(value)) return bad;
  const hashes = value.map(hashOf);
  return hashes.includes(bad) ? bad : (hashes as bigint[]);
}

function tokensOf(
  value: Packed | undefined,
): { readonly tokenIds: readonly number[]; readonly isEagle: boolean } | Bad {
  if (!Array.isArray(value)) return bad;
  const isToken = (each: Packed) => typeof each === "bigint" && each >= 0n && each <= 0xffff_ffffn;
  const isEagle = Array.isArray(value[0]);
  if (!isEagle) return value.every(isToken) ? { tokenIds: value.map(Number), isEagle } : bad;
  if (!value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isToken))) return bad;
  const pairs = value as readonly (readonly [bigint, bigint])[];
  return { tokenIds: [...pairs.map(([first]) => Number(first)), Number(pairs.at(-1)?.[1])], isEagle };
}

interface PlainExtra {
  readonly ofFirst: readonly string[];
  readonly media: PlainMedia | undefined;
}
type PlainMedia = readonly (readonly bigint[] | undefined)[];

function extraKeysOf(value: Packed | undefined): PlainExtra | undefined | Bad {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return bad;
  const keys = value.map((each) =>
    (Array.isArray(each) ? each : [])
      .map((key) => (Array.isArray(key) ? key[0] : key))
      .filter((key): key is string => typeof key === "string"),
  );
  const media = keys.map((each) => {
    const marks = each.filter((key) => /^[0-9a-f]{16}0{48}$/i.test(key)).map((key) => BigInt(`0x${key.slice(0, 16)}`));
    return marks.length === 0 ? undefined : marks;
  });
  return { ofFirst: keys[0] ?? [], media: trimmed(media) };
}

function mediaOf(value: Packed | undefined): PlainMedia | undefined | Bad {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return bad;
  const infos = value.map(mediumOf);
  return infos.includes(bad) ? bad : trimmed(infos as PlainMedia);
}

function mediumOf(value: Packed): readonly bigint[] | undefined | Bad {
  const pairs = pairsOf(value);
  if (pairs === undefined) return undefined;
  const lists = pairs.flatMap(([name, objects]) => (name === "mm_objects" && Array.isArray(objects) ? [objects] : []));
  if (lists.length === 0) return bad;
  const hashesIn = (list: readonly Packed[]) =>
    list.flatMap((object) =>
      (pairsOf(object) ?? []).flatMap(([name, hash]) => {
        const read = name === "mm_hash" ? hashOf(hash) : bad;
        return read === bad ? [] : [read];
      }),
    );
  const last = lists.at(-1) ?? [];
  if (hashesIn(last).length !== last.length) return bad;
  const hashes = lists.flatMap(hashesIn);
  return hashes.length === 0 ? undefined : hashes;
}

/** Undefined where no block has any; without the blocks behind the last that has. */
function trimmed(infos: PlainMedia): PlainMedia | undefined {
  const last = infos.findLastIndex((info) => info !== undefined);
  return last < 0 ? undefined : infos.slice(0, last + 1);
}

function saltOf(keys: readonly string[], loraName: string | undefined): string | undefined {
  const prefix = "dynamo-cache-salt:";
  const adapter = loraName === undefined || loraName === "" ? -1 : keys.indexOf(loraName);
  return keys
    .find((key, i) => i !== adapter && key.startsWith(prefix) && key.length > prefix.length)
    ?.slice(prefix.length);
}
