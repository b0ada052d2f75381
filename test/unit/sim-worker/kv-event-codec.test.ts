import { Unpackr } from "msgpackr";
import { describe, expect, it } from "vitest";
import type { CacheEvent } from "../../../src/sim-worker/block-cache.ts";
import { encodeEventBatch } from "../../../src/sim-worker/kv-event-codec.ts";

const unpackr = new Unpackr({ int64AsType: "bigint", mapsAsObjects: true, useRecords: false });
const stored: CacheEvent = {
  kind: "stored",
  blockIds: [0xffff_ffff_ffff_fff5n, 12n],
  parentId: undefined,
  tokenIds: Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 0xffff_ffff),
  namespace: "",
};

function decode(events: readonly CacheEvent[], format: "array" | "map"): unknown {
  return unpackr.unpack(encodeEventBatch(events, 1_700_000_000_500, { format, blockSize: 4, dpRank: 2 }));
}

describe("encodeEventBatch", () => {
  it("writes tagged arrays in vLLM's field order", () => {
    const events: CacheEvent[] = [stored, { kind: "removed", blockId: 12n }, { kind: "cleared" }];
    expect(decode(events, "array")).toEqual([
      1_700_000_000.5,
      [
        [
          "BlockStored",
          [0xffff_ffff_ffff_fff5n, 12n],
          null,
          [1, 2, 3, 4, 5, 6, 7, 0xffff_ffff],
          4,
          null,
          "GPU",
          null,
          null,
        ],
        ["BlockRemoved", [12n], "GPU"],
        ["AllBlocksCleared"],
      ],
      2,
    ]);
  });

  it("writes maps with vLLM's field names", () => {
    const child: CacheEvent = { ...stored, blockIds: [5n], parentId: 4n, tokenIds: Uint32Array.of(1, 2, 3, 4) };
    expect(decode([child, { kind: "removed", blockId: 12n }, { kind: "cleared" }], "map")).toEqual([
      1_700_000_000.5,
      [
        {
          type: "BlockStored",
          block_hashes: [5n],
          parent_block_hash: 4n,
          token_ids: [1, 2, 3, 4],
          block_size: 4,
          lora_id: null,
          medium: "GPU",
          lora_name: null,
          extra_keys: null,
        },
        { type: "BlockRemoved", block_hashes: [12n], medium: "GPU" },
        { type: "AllBlocksCleared" },
      ],
      2,
    ]);
  });

  it.each([
    {
      name: "marks the salt on the first block of a prompt",
      event: { namespace: "tenant-a" },
      extra: [["dynamo-cache-salt:tenant-a"], null],
    },
    { name: "leaves it to the parent elsewhere", event: { namespace: "tenant-a", parentId: 3n }, extra: null },
    {
      name: "does not mark a marked salt again",
      event: { namespace: "dynamo-cache-salt:x" },
      extra: [["dynamo-cache-salt:x"], null],
    },
  ])("$name", ({ event, extra }) => {
    const batch = decode([{ ...stored, ...event }], "array") as [number, unknown[][]];
    expect(batch[1][0]?.[8]).toEqual(extra);
  });

  it("writes whole seconds as a float too", () => {
    const bytes = encodeEventBatch([], 1_700_000_000_000, { format: "array", blockSize: 4, dpRank: 0 });
    expect(bytes[1]).toBe(0xcb);
  });
});
