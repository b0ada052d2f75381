import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc, { type Arbitrary } from "fast-check";
import { pack } from "msgpackr";
import {
  type DecodedBatch,
  decodeEventBatch,
  type KvEvent,
  KvEventDecodeError,
  KvEventNormalizer,
  PrefixIndex,
  restoreChange,
  type StorageTier,
} from "../../../src/kv/index.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { type PlainBatch, type PlainEvent, plainBatch } from "./kv/plain-events.ts";
import { type Packed, PlainMsgpackError, readPlainly } from "./kv/plain-msgpack.ts";

const blockSize = 4;
const tiers: readonly StorageTier[] = ["device", "host_pinned", "disk", "external"];

/** Payloads of engines' event streams: recorded ones, mutated, and made ones. */
export const kvEvents: FuzzTarget = {
  name: "kv-events",
  claim: "a payload is the batch that a plain reader of its value makes of it, and leaves an index that is whole",
  cases: 6_000,
  async open() {
    const show = (payloads: readonly Buffer[]) => JSON.stringify(payloads.map((each) => each.toString("hex")));
    return fuzzing<readonly Buffer[]>({ cases: fc.array(payload(), { minLength: 1, maxLength: 6 }), check, show });
  },
};

function check(payloads: readonly Buffer[]): void {
  const index = new PrefixIndex({ blockSize, maxBlocks: 1_000, maxOrphans: 50 });
  const normalizer = new KvEventNormalizer(blockSize);
  for (const bytes of payloads) {
    const ours = decoded(bytes);
    assert.deepEqual(ours === undefined ? undefined : shownBatch(ours), plainly(bytes));
    for (const event of ours?.events ?? []) apply(index, normalizer, event);
  }
  checkIndex(index);
}

function decoded(bytes: Buffer): DecodedBatch | undefined {
  try {
    return decodeEventBatch(bytes);
  } catch (error) {
    assert.ok(error instanceof KvEventDecodeError, String(error));
    return undefined;
  }
}

function plainly(bytes: Buffer): PlainBatch | undefined {
  try {
    return plainBatch(readPlainly(bytes));
  } catch (error) {
    if (error instanceof PlainMsgpackError) return undefined;
    throw error;
  }
}

function shownBatch({ timestamp, dataParallelRank, events, skipped }: DecodedBatch): PlainBatch {
  const { unknown_event: unknown, malformed_event: malformed } = skipped;
  return { ts: timestamp, rank: dataParallelRank, events: events.map(shownEvent), unknown, malformed };
}

function shownEvent(event: KvEvent): PlainEvent {
  if (event.kind !== "stored") {
    return event.kind === "removed" ? { ...event, blockHashes: bigints(event.blockHashes) } : { ...event };
  }
  const { parentHash, blockMmInfos } = event;
  return {
    ...event,
    blockHashes: bigints(event.blockHashes),
    parentHash: parentHash && (BigInt(parentHash.high) << 32n) + BigInt(parentHash.low),
    tokenIds: [...event.tokenIds],
    blockMmInfos: blockMmInfos && trimmed([...blockMmInfos].map((info) => info && bigints(info.hashes))),
  };
}

function trimmed<T>(list: readonly (T | undefined)[]): readonly (T | undefined)[] {
  return list.slice(0, list.findLastIndex((each) => each !== undefined) + 1);
}

function bigints(words: Uint32Array): readonly bigint[] {
  return Array.from({ length: words.length >> 1 }, (_, i) => {
    return (BigInt(words[2 * i + 1] as number) << 32n) + BigInt(words[2 * i] as number);
  });
}

function apply(index: PrefixIndex, normalizer: KvEventNormalizer, event: KvEvent): void {
  const effect = normalizer.normalize(event, (hash) => index.cacheSaltOf(0, hash));
  if (effect.kind === "store") index.store(0, effect.run.slice(0, effect.run.count, true));
  else if (effect.kind === "remove") index.remove(0, effect.blockHashes, effect.tier);
  else if (effect.kind === "add_tier") index.addTier(0, effect.blockHashes, effect.tier);
  else if (effect.kind === "clear") index.clear(0);
}

/** A dump gives the index again, and nothing is left of it once it is cleared. */
function checkIndex(index: PrefixIndex): void {
  const restored = new PrefixIndex({ blockSize, maxBlocks: 1_000, maxOrphans: 50 });
  for (const change of index.dump()) restoreChange(restored, change);
  const counts = (each: PrefixIndex) => tiers.map((tier) => each.blocksIn(0, tier));
  assert.deepEqual(counts(restored), counts(index), "blocks by tier, from its dump");
  assert.equal(restored.blocksOf(0), index.blocksOf(0));
  assert.ok(index.stats.orphans <= 50);
  assert.equal(index.stats.blocks, index.blocksOf(0));
  for (const each of [index, restored]) {
    each.clear(0);
    while (!each.sweep(1_000)) {}
    const { blocks, prefixes, orphans } = each.stats;
    assert.deepEqual({ blocks, prefixes, orphans, counts: counts(each) }, { ...nothing, counts: [0, 0, 0, 0] });
  }
}

const nothing = { blocks: 0, prefixes: 0, orphans: 0 };

/** Payloads of vLLM's and SGLang's versions. */
function recorded(): readonly Buffer[] {
  const path = join(import.meta.dirname, "..", "..", "fixtures", "kv", "wire_events.json");
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as { readonly cases: readonly { payload_hex: string }[] };
  return cases.map(({ payload_hex: hex }) => Buffer.from(hex, "hex"));
}

function payload(): Arbitrary<Buffer> {
  const splice = fc.record({
    at: fc.nat({ max: 400 }),
    remove: fc.constantFrom(0, 0, 1, 1, 2, 5),
    put: fc.oneof(
      fc.uint8Array({ maxLength: 3 }),
      fc.constantFrom([0xc0], [0xc1], [0x90], [0xdc, 0xff, 0xff], [0xdd, 0x7f, 0xff, 0xff, 0xff], [0xd9, 5], [0xc4, 2]),
    ),
  });
  const mutated = fc
    .tuple(fc.constantFrom(...recorded()), fc.array(splice, { maxLength: 4 }))
    .map(([bytes, splices]) => {
      let changed = bytes;
      for (const { at, remove, put } of splices) {
        const place = at % (changed.length + 1);
        changed = Buffer.concat([changed.subarray(0, place), Buffer.from(put), changed.subarray(place + remove)]);
      }
      return changed;
    });
  return fc.oneof({ weight: 2, arbitrary: mutated }, { weight: 3, arbitrary: made() });
}

const hash = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }) },
  fc.bigInt({ min: -(1n << 63n), max: (1n << 64n) - 1n }),
  fc.constantFrom(
    1.5,
    -3,
    -128,
    -129,
    -32_768,
    -(2 ** 31),
    2 ** 40,
    Buffer.from("0102030405060708ff", "hex"),
    Buffer.alloc(0),
    "x",
    null,
    true,
    -0.0,
  ),
);
const text = fc.constantFrom(
  null,
  "GPU",
  "cpu",
  "DISK",
  "",
  "\ufeffGPU",
  "EXTERNAL",
  "x".repeat(40),
  5,
  "LOCAL",
  "\u00e9",
);
const token = fc.oneof(
  { weight: 9, arbitrary: fc.nat({ max: 3 }) },
  fc.constantFrom(-1, 2 ** 32, 2 ** 32 - 1, 1.5, "a", null),
);
const tokens = fc.oneof(
  { weight: 4, arbitrary: fc.array(token, { maxLength: 12 }) },
  fc.array(fc.array(token, { minLength: 2, maxLength: 2 }), { maxLength: 6 }),
  fc.constantFrom(null, [[1], [1, 2]], [1, [1, 2]], "x"),
);
const mark = "00000000000000aa".padEnd(64, "0");
const extra = fc.oneof(
  fc.constantFrom(null, 5, [], [null, ["dynamo-cache-salt:t"]], [["dynamo-cache-salt:t", "l"]], [[["k", 3]], null]),
  fc.constantFrom(
    [[mark], null, [mark, "dynamo-cache-salt:"]],
    ["x"],
    [[[], [5], [mark, 1]]],
    [[[mark, [1, { a: 2 }]]]],
  ),
);
const media = fc.constantFrom(
  ...[null, [], [null], [{ mm_objects: [{ mm_hash: 7, offsets: [] }] }], [{ mm_objects: [] }], [{ x: 1 }], [5, "x"]],
  ...[
    [{ mm_objects: [{ mm_hash: "x" }] }],
    [{ mm_objects: [{ mm_hash: 1 }, {}] }],
    [null, { mm_objects: [{ mm_hash: 9 }] }],
  ],
);
const group = fc.constantFrom(null, 0, 1, 2, -1, 1.5, "0");
const kind = fc.constantFrom(null, "full_attention", "mamba", "new", 3);

/** Batches of events whose fields are mostly as they should be. */
function made(): Arbitrary<Buffer> {
  const fields = fc.record(
    {
      block_hashes: fc.array(hash, { maxLength: 4 }),
      parent_block_hash: hash,
      token_ids: tokens,
      block_size: fc.constantFrom(4, 4, 4, 4, 16, 0, null, -1, 4.5),
      medium: text,
      lora_name: fc.constantFrom(null, "l", "dynamo-cache-salt:l", { cache_salt: "s" }, { cache_salt: 5, x: [1] }, 7),
      extra_keys: extra,
      group_idx: group,
      kv_cache_spec_kind: kind,
      locality: fc.constantFrom(null, "LOCAL", "remote", 1),
      ownership: fc.constantFrom(null, "framework", "kvcr", 1),
      cache_salt: fc.constantFrom(null, "", "salt", "x".repeat(5_000)),
      block_mm_infos: media,
      later: fc.constantFrom(1, { deep: [[]] }),
    },
    { requiredKeys: ["block_hashes", "token_ids", "block_size"] },
  );
  const type = fc.constantFrom("BlockStored", "BlockStored", "BlockRemoved", "AllBlocksCleared", "Ignored", "Odd", 5);
  const map = fc.tuple(type, fields, fc.boolean()).map(([of, rest, isTurned]) => {
    const members = Object.entries({ type: of, ...rest });
    return Object.fromEntries(isTurned ? members.reverse() : members);
  });
  const tail = fc.array(fc.oneof(group, kind, text, media), { maxLength: 8 });
  const tagged = fc.tuple(type, fields, tail, fc.nat({ max: 16 })).map(([of, each, rest, length]) => {
    const stored = [each.block_hashes, each.parent_block_hash ?? null, each.token_ids, each.block_size, null];
    const placed = [...stored, each.medium ?? null, each.lora_name ?? null, each.extra_keys ?? null];
    const own = of === "BlockRemoved" ? [each.block_hashes, each.medium ?? null] : placed;
    return [of, ...own, ...rest].slice(0, length);
  });
  const event = fc.oneof(
    { weight: 3, arbitrary: map },
    { weight: 4, arbitrary: tagged },
    fc.constantFrom(5, null, [], {}),
  );
  const events = fc.array(event, { maxLength: 4 });
  const ts = fc.constantFrom(1.5, 0, null, "x", 2 ** 60);
  const rank = fc.constantFrom(null, 0, 3, -1, 1.5, "1", 2 ** 60);
  return fc
    .tuple(ts, events, rank, fc.nat({ max: 4 }))
    .map(([when, list, of, form]): Packed | object => {
      if (form === 0) return { ts: when, events: list, data_parallel_rank: of, dp_rank: of };
      return [when, list, of, "later"].slice(0, form === 1 ? 2 : form);
    })
    .map((batch) => pack(batch));
}
