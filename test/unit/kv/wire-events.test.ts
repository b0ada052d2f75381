import { readFileSync } from "node:fs";
import fc from "fast-check";
import { pack } from "msgpackr";
import { describe, expect, it } from "vitest";
import {
  decodeEventBatch,
  KvEventDecodeError,
  KvEventNormalizer,
  oneShotSalt,
  PrefixIndex,
} from "../../../src/kv/index.ts";
import { decimal, decimals } from "./u64.ts";

interface ExpectedEvent {
  readonly type: string;
  readonly tier?: string;
  readonly filtered?: string;
  readonly data?:
    | "cleared"
    | { readonly stored?: { blocks: { block_hash: string; tokens_hash: string }[]; parent_hash: string | null } }
    | { readonly removed?: string[] };
}
interface WireCase {
  readonly name: string;
  readonly payload_hex: string;
  readonly router_block_size: number;
  readonly ts?: number;
  readonly data_parallel_rank?: number | null;
  readonly events?: readonly ExpectedEvent[];
  readonly decode_error?: string;
}
const file = new URL("../../fixtures/kv/wire_events.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly WireCase[] };

/** What Dynamo turns into an event without effect, we name: nothing is stored either way. */
const namedReasons: Readonly<Record<string, string>> = {
  block_size_mismatch: "block_size_mismatch",
  self_reference_duplicate_hash: "self_reference",
  parent_equals_block: "self_reference",
};

/** Normalises a payload as a rank would, applying the changes as it goes. */
function changesOf(payload: Buffer, blockSize: number): unknown[] {
  const index = new PrefixIndex({ blockSize, maxBlocks: 100 });
  const normalizer = new KvEventNormalizer(blockSize);
  return decodeEventBatch(payload).events.map((event) => {
    const change = normalizer.normalize(event, (hash) => index.cacheSaltOf(0, hash));
    if (change.kind === "store") {
      const blocks = change.run.slice(0, change.run.count, true);
      index.store(0, blocks);
      return {
        stored: {
          hashes: decimals(blocks.blockHashes),
          locals: decimals(blocks.localHashes),
          parent: blocks.parentHash === undefined ? null : decimal(blocks.parentHash),
        },
        tier: blocks.tier,
      };
    }
    if (change.kind === "remove") return { removed: decimals(change.blockHashes), tier: change.tier };
    return change.kind === "filtered" ? { filtered: change.reason } : "cleared";
  });
}

function expectedChange(name: string, event: ExpectedEvent): unknown {
  if (event.filtered !== undefined) return { filtered: event.filtered };
  const { data } = event;
  if (namedReasons[name] !== undefined) return { filtered: namedReasons[name] };
  if (data === "cleared" || data === undefined) return data;
  if ("removed" in data) return { removed: data.removed, tier: event.tier };
  const { blocks = [], parent_hash: parent = null } = "stored" in data ? (data.stored ?? {}) : {};
  const hashes = blocks.map((block) => block.block_hash);
  return { stored: { hashes, locals: blocks.map((block) => block.tokens_hash), parent }, tier: event.tier };
}

describe("decoding and normalising", () => {
  it.each(cases.filter((vector) => vector.decode_error === undefined))("equals Dynamo: $name", (vector) => {
    const payload = Buffer.from(vector.payload_hex, "hex");
    const batch = decodeEventBatch(payload);
    expect(batch.timestamp).toBe(vector.ts);
    expect(batch.dataParallelRank ?? null).toBe(vector.data_parallel_rank);
    expect(batch.skipped).toEqual({ unknown_event: 0, malformed_event: 0 });
    const expected = vector.events?.map((event) => expectedChange(vector.name, event));
    expect(changesOf(payload, vector.router_block_size)).toEqual(expected);
  });

  const local = "14643705804678351452";
  it.each([
    {
      name: "map_batch_current_vllm_main",
      changes: [{ stored: { hashes: ["5"], locals: [local], parent: null }, tier: "device" }],
    },
    { name: "two_element_batch_old_sglang", changes: [{ removed: ["1"], tier: "device" }] },
    {
      name: "bytes_block_hash_sha256",
      changes: [{ stored: { hashes: [String(0xababababababababn)], locals: [local], parent: null }, tier: "device" }],
    },
    {
      name: "bytes_block_hash_8",
      changes: [{ stored: { hashes: [String(0x0102030405060708n)], locals: [local], parent: null }, tier: "device" }],
    },
    { name: "unknown_variant_fails_whole_batch", changes: [{ removed: ["1"], tier: "device" }] },
  ])("understands what Dynamo rejects: $name", ({ name, changes }) => {
    const payload = Buffer.from(cases.find((vector) => vector.name === name)?.payload_hex ?? "", "hex");
    expect(changesOf(payload, 4)).toEqual(changes);
  });
});

describe("decodeEventBatch", () => {
  const removed = ["BlockRemoved", [1, 2]];

  it.each([
    { what: "an unknown event", event: ["Weird", 1], reason: "unknown_event" },
    { what: "a store without tokens", event: ["BlockStored", [1], null], reason: "malformed_event" },
    { what: "a token that is no u32", event: ["BlockStored", [1], null, [-1, 2, 3, 4], 4], reason: "malformed_event" },
    { what: "a hash that is text", event: ["BlockRemoved", ["x"]], reason: "malformed_event" },
    { what: "a hash that is a fraction", event: ["BlockRemoved", [1.5]], reason: "malformed_event" },
    {
      what: "an endless cache salt",
      event: ["BlockStored", [1], null, [1, 2, 3, 4], 4, null, null, { cache_salt: "x".repeat(5_000) }],
      reason: "malformed_event",
    },
    { what: "a number for an event", event: 7, reason: "malformed_event" },
    { what: "a map without a type", event: { block_hashes: [1] }, reason: "malformed_event" },
    { what: "a medium that is a number", event: ["BlockRemoved", [1], 5], reason: "malformed_event" },
  ])("passes over $what and keeps the event beside it", ({ event, reason }) => {
    const batch = decodeEventBatch(pack([1.5, [event, removed], 0]));
    expect(batch.events).toHaveLength(1);
    expect(batch.skipped).toMatchObject({ [reason]: 1 });
  });

  it.each([
    { what: "a hash of no bytes", event: ["BlockStored", [Buffer.alloc(0), 7], null, [1, 2, 3, 4, 5, 6, 7, 8], 4] },
    { what: "a parent of no bytes", event: ["BlockStored", [1], Buffer.alloc(0), [1, 2, 3, 4], 4] },
    {
      what: "a medium's hash of no bytes",
      event: {
        type: "BlockStored",
        block_hashes: [1],
        block_mm_infos: [{ mm_objects: [{ mm_hash: Buffer.alloc(0) }] }],
      },
    },
  ])("keeps its place behind $what", ({ event }) => {
    const batch = decodeEventBatch(pack([1.5, [event, removed, removed], 0]));
    expect(batch.events).toHaveLength(2);
    expect(batch.skipped).toEqual({ unknown_event: 0, malformed_event: 1 });
  });

  it.each([
    { own: null, salt: "s" },
    { own: "t", salt: "t" },
  ])("finds a cache salt wherever metadata and the event's own, $own, stand", ({ own, salt }) => {
    const fields = { type: "BlockStored", block_hashes: [1], token_ids: [1, 2, 3, 4], block_size: 4 };
    const named = { lora_name: { cache_salt: "s" } };
    const { events } = decodeEventBatch(
      pack([
        0,
        [
          { ...fields, ...named, cache_salt: own },
          { ...fields, cache_salt: own, ...named },
        ],
        0,
      ]),
    );
    expect(events.map((event) => event.kind === "stored" && event.cacheSalt)).toEqual([salt, salt]);
  });

  it.each([3, 40])("keeps a byte order mark that a name of %i characters begins with", (length) => {
    const salt = "\ufeff".padEnd(length, "x");
    const event = ["BlockStored", [1], null, [1, 2, 3, 4], 4, null, null, { cache_salt: salt }];
    const [stored] = decodeEventBatch(pack([0, [event], 0])).events;
    expect(stored).toMatchObject({ kind: "stored", cacheSalt: salt });
  });

  it.each([
    { what: "nothing", payload: Buffer.alloc(0) },
    { what: "half a message", payload: pack([1.5, [removed], 0]).subarray(0, 12) },
    { what: "a string", payload: pack("hello") },
    { what: "a map without events", payload: pack({ ts: 1 }) },
    { what: "an array without events", payload: pack([1.5]) },
  ])("refuses $what", ({ payload }) => {
    expect(() => decodeEventBatch(payload)).toThrow(KvEventDecodeError);
  });

  it("keeps every 64-bit hash exact", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(1n << 63n), max: (1n << 64n) - 1n }), { maxLength: 20 }), (hashes) => {
        const [event] = decodeEventBatch(pack([0, [["BlockRemoved", hashes]], 0])).events;
        const decoded = event?.kind === "removed" ? decimals(event.blockHashes) : undefined;
        expect(decoded).toEqual(hashes.map((hash) => BigInt.asUintN(64, hash).toString()));
      }),
    );
  });

  it("takes hashes that an encoder without 64-bit integers wrote as floats", () => {
    const hashes = [2 ** 40 + 1, -(2 ** 40), Number.MAX_SAFE_INTEGER];
    const [event] = decodeEventBatch(pack([0, [["BlockRemoved", hashes]], 0])).events;
    const decoded = event?.kind === "removed" ? decimals(event.blockHashes) : undefined;
    expect(decoded).toEqual(hashes.map((hash) => BigInt.asUintN(64, BigInt(hash)).toString()));
  });

  it("throws nothing but KvEventDecodeError on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeEventBatch(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(KvEventDecodeError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads media infos that come before the tail", () => {
    const infos = [{ mm_objects: [{ mm_hash: 99, offsets: [] }] }];
    const tail = [0, "full_attention", null, "LOCAL", null];
    const event = ["BlockStored", [1], null, [1, 2, 3, 4], 4, null, "GPU", null, null, infos, ...tail];
    const [stored] = decodeEventBatch(pack([0, [event], 0])).events;
    expect(stored).toMatchObject({ groupIndex: 0, attentionKind: "full_attention", locality: "LOCAL" });
    expect(stored?.kind === "stored" && stored.blockMmInfos?.[0]?.hashes).toEqual(Uint32Array.of(99, 0));
  });
});

describe("KvEventNormalizer", () => {
  function reasons(events: readonly unknown[]): string[] {
    const normalizer = new KvEventNormalizer(4);
    return decodeEventBatch(pack([0, events, 0])).events.map((event) => {
      const change = normalizer.normalize(event, () => undefined);
      return change.kind === "filtered" ? change.reason : change.kind;
    });
  }
  const store = (fields: object) => ({
    type: "BlockStored",
    block_hashes: [1],
    token_ids: [1, 2, 3, 4],
    block_size: 4,
    ...fields,
  });
  const remove = (fields: object) => ({ type: "BlockRemoved", block_hashes: [1], ...fields });

  it("keeps nothing of a namespace of one request, as the event or its parent's block says", () => {
    const salt = oneShotSalt(Uint8Array.from({ length: 12 }, (_, at) => at));
    const marked = { extra_keys: [[`dynamo-cache-salt:${salt}`]] };
    expect(reasons([store({ cache_salt: salt }), store(marked)])).toEqual(["one_shot_namespace", "one_shot_namespace"]);
    const others = ["tenant-a", "AAAAAAAAAAAAAAAAAAAAAA", `${salt}A`, salt.replace(/^A/, "B")];
    expect(reasons(others.map((each) => store({ cache_salt: each })))).toEqual(others.map(() => "store"));
    const [child] = decodeEventBatch(pack([0, [store({ parent_block_hash: 9 })], 0])).events;
    const change = child && new KvEventNormalizer(4).normalize(child, () => salt);
    expect(change).toEqual({ kind: "filtered", reason: "one_shot_namespace" });
  });

  it("learns a group's kind from its stores, for removals that do not name it", () => {
    expect(
      reasons([
        remove({ group_idx: 1 }),
        remove({ group_idx: 0 }),
        store({ group_idx: 1, kv_cache_spec_kind: "mamba" }),
        store({ group_idx: 2, kv_cache_spec_kind: "mla_attention" }),
        remove({ group_idx: 1 }),
        remove({ group_idx: 2 }),
      ]),
    ).toEqual([
      "unlearned_group_idx",
      "remove",
      "non_main_attention_kind",
      "store",
      "non_main_attention_group",
      "remove",
    ]);
  });

  it.each([
    { fields: { kv_cache_spec_kind: "new_kind" }, reason: "unknown_kind" },
    { fields: { locality: "REMOTE" }, reason: "non_local_locality" },
    { fields: { medium: "OBJ" }, reason: "unknown_medium" },
    { fields: { ownership: "kvcr" }, reason: "unsupported_ownership" },
    { fields: { ownership: "someone" }, reason: "unknown_ownership" },
    { fields: { block_size: 8 }, reason: "block_size_mismatch" },
    { fields: { parent_block_hash: 1 }, reason: "self_reference" },
    { fields: { medium: "STORAGE", group_idx: 3 }, reason: "store" },
  ])("answers a store with $fields by $reason", ({ fields, reason }) => {
    expect(reasons([store(fields)])).toEqual([reason]);
  });
});
