import fc from "fast-check";
import { pack } from "msgpackr";
import { describe, expect, it } from "vitest";
import { type DecodedBatch, decodeEventBatch, decodeSteps } from "../../../src/kv/index.ts";
import { words } from "./u64.ts";

function stepsOf(payload: Buffer): { steps: number; batch: DecodedBatch } {
  const decoding = decodeSteps(payload);
  for (let steps = 1; ; steps++) {
    const { done, value } = decoding.next();
    if (done === true) return { steps, batch: value };
  }
}

/** A store as an array, up to its last field that is given. */
function stored(tail: readonly unknown[], fields: { lora?: unknown; extra?: unknown } = {}): unknown[] {
  return ["BlockStored", [1], null, [1, 2, 3, 4], 4, null, "GPU", fields.lora ?? null, fields.extra ?? null, ...tail];
}

function only(event: unknown): unknown {
  return decodeEventBatch(pack([0, [event], 0])).events[0];
}

describe("decodeSteps", () => {
  it("takes a long event in many short steps", () => {
    const blocks = 20_000;
    const tokens = Array.from({ length: 16 * blocks }, (_, i) => (i * 7_919) % 151_936);
    const hashes = Array.from({ length: blocks }, (_, i) => BigInt(i) << 40n);
    const { steps, batch } = stepsOf(pack([0, [["BlockStored", hashes, null, tokens, 16, null]], 0]));
    expect(steps).toBeGreaterThan((16 * blocks) / 8_192);
    const [event] = batch.events;
    if (event?.kind !== "stored") throw new Error("no store");
    expect(event.tokenIds).toEqual(Uint32Array.from(tokens));
    expect(event.blockHashes).toEqual(words(hashes));
  });

  it("takes a step for each event, and passes over long nonsense in steps too", () => {
    const removed = ["BlockRemoved", [1]];
    expect(stepsOf(pack([0, Array(50).fill(removed), 0])).steps).toBe(50);
    const nonsense = ["Weird", Array.from({ length: 100_000 }, (_, i) => [i])];
    const { steps, batch } = stepsOf(pack([0, [nonsense, removed], 0]));
    expect(steps).toBeGreaterThan(20);
    expect(batch).toMatchObject({ skipped: { unknown_event: 1 }, events: [{ kind: "removed" }] });
  });

  it("keeps its place after any value in any field", () => {
    const junk = fc.oneof(
      fc.constant(null),
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.boolean(),
      fc.array(fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer()))),
      fc.dictionary(fc.string(), fc.array(fc.string()), { noNullPrototype: true }),
    );
    const names = ["block_hashes", "parent_block_hash", "token_ids", "block_size", "medium", "lora_name", "cache_salt"];
    names.push("extra_keys", "block_mm_infos", "group_idx", "kv_cache_spec_kind", "locality", "ownership", "new_field");
    const map = fc
      .dictionary(fc.constantFrom(...names), junk, { noNullPrototype: true })
      .map((fields) => ({ ...fields, type: "BlockStored" }));
    const array = fc.array(junk, { maxLength: 18 }).map((fields) => ["BlockStored", ...fields]);
    fc.assert(
      fc.property(fc.oneof(map, array, junk), (event) => {
        const batch = decodeEventBatch(pack([2.5, [event, ["BlockRemoved", [77]]], 3]));
        expect(batch.events.at(-1)).toMatchObject({ kind: "removed", blockHashes: Uint32Array.of(77, 0) });
        expect(batch).toMatchObject({ timestamp: 2.5, dataParallelRank: 3 });
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("the end of a store", () => {
  const infos = [{ mm_objects: [{ mm_hash: 99, offsets: [[0, 4]] }] }];

  it.each([
    { name: "nothing", tail: [], fields: {} },
    {
      name: "group, kind, window",
      tail: [2, "mla_attention", 128],
      fields: { groupIndex: 2, attentionKind: "mla_attention" },
    },
    { name: "kind alone, in old order", tail: ["mamba"], fields: { groupIndex: undefined, attentionKind: "mamba" } },
    {
      name: "group and window, in old order",
      tail: [1, 128, "mamba"],
      fields: { groupIndex: 1, attentionKind: "mamba" },
    },
    {
      name: "all five",
      tail: [0, "full_attention", null, "LOCAL", "kvcr"],
      fields: { groupIndex: 0, attentionKind: "full_attention", locality: "LOCAL", ownership: "kvcr" },
    },
    { name: "five and later ones", tail: [0, null, null, "REMOTE", null, 7, {}], fields: { locality: "REMOTE" } },
    { name: "a place for media, empty", tail: [null, 3, "mamba"], fields: { groupIndex: 3, attentionKind: "mamba" } },
    {
      name: "media before all five",
      tail: [infos, 1, "mamba", null, "LOCAL", null],
      fields: { groupIndex: 1, locality: "LOCAL" },
    },
    { name: "media alone", tail: [infos], fields: { groupIndex: undefined } },
    { name: "what nobody knows", tail: [{ a: 1 }, true], fields: { groupIndex: undefined, attentionKind: undefined } },
  ])("has $name", ({ tail, fields }) => {
    const event = only(stored(tail));
    expect(event).toMatchObject({ kind: "stored", medium: "GPU", ...fields });
    const hasMedia = tail.includes(infos as never);
    const { blockMmInfos } = event as { blockMmInfos: { hashes: Uint32Array }[] | undefined };
    expect(blockMmInfos?.[0]?.hashes).toEqual(hasMedia ? Uint32Array.of(99, 0) : undefined);
  });

  it.each([
    {
      name: "the namespace of SGLang's metadata",
      lora: { cache_salt: "tenant", other: [1] },
      salt: "tenant",
      loraName: undefined,
    },
    { name: "the adapter's name", lora: "adapter", salt: undefined, loraName: "adapter" },
    { name: "the mark in the first block's keys", extra: [["dynamo-cache-salt:t"], null], salt: "t" },
    { name: "no mark of a later block", extra: [null, ["dynamo-cache-salt:t"]], salt: undefined },
    { name: "an empty mark as none", extra: [["dynamo-cache-salt:"]], salt: undefined },
    {
      name: "an adapter whose name looks like a mark",
      lora: "dynamo-cache-salt:x",
      extra: [["dynamo-cache-salt:x", "dynamo-cache-salt:t"]],
      salt: "t",
    },
  ])("reads $name", ({ lora, extra, salt, loraName }) => {
    const event = only(stored([], { lora, extra }));
    expect(event).toMatchObject({ cacheSalt: salt, ...(loraName === undefined ? {} : { loraName }) });
  });

  it("knows media by Dynamo's mark, in keys and in pairs of key and offset", () => {
    const mark = `${"0".repeat(14)}2a${"0".repeat(48)}`;
    const native = "ab".repeat(32);
    const event = only(stored([], { extra: [["lora", mark], null, [[mark, 3], [native, 0], 5], [native]] }));
    const { blockMmInfos } = event as { blockMmInfos: ({ hashes: Uint32Array } | undefined)[] };
    const found = [0, 1, 2, 3].map((i) => blockMmInfos[i]?.hashes[0]);
    expect(found).toEqual([42, undefined, 42, undefined]);
  });
});
