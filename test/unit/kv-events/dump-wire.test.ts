import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/json/index.ts";
import { chainHashes, type DumpedChange, PrefixIndex, restoreChange } from "../../../src/kv/index.ts";
import { type DumpedEvent, DumpReader, DumpSyntaxError, dumpText } from "../../../src/kv-events/index.ts";
import { words } from "../kv/u64.ts";

const workers = [2n ** 64n - 1n, 7n];
const rankOf = (slot: number) => ({ workerId: workers[slot] ?? 0n, dpRank: 3 });

/** Reads a text that comes in chunks of so many bytes. */
function read(text: string, chunkBytes = 1_000_000): { events: DumpedEvent[]; skipped: number } {
  const bytes = Buffer.from(text);
  const reader = new DumpReader();
  const events: DumpedEvent[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    events.push(...[...reader.read(bytes.subarray(at, at + chunkBytes))].filter((event) => event !== undefined));
  reader.end();
  return { events, skipped: reader.skippedEvents };
}

function textOf(changes: readonly DumpedChange[], model = "m"): string {
  return [...dumpText([{ model, routingGroup: "default", blockSize: 16, changes }], rankOf)].join("");
}

function members(value: JsonValue | undefined): Record<string, JsonValue> {
  return value instanceof JsonObject ? Object.fromEntries(value.entries()) : {};
}

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const tier = fc.constantFrom("device", "host_pinned", "disk", "external");
const store = fc.record({
  kind: fc.constant("store" as const),
  blocks: fc.record({
    parentHash: fc.option(
      u64.map((value) => ({ low: Number(value & 0xffffffffn), high: Number(value >> 32n) })),
      { nil: undefined },
    ),
    hashes: fc.array(fc.tuple(u64, u64), { maxLength: 5 }),
    tier,
    cacheSalt: fc.option(fc.string({ unit: "grapheme" }), { nil: undefined }),
  }),
});
const remove = fc.record({ kind: fc.constant("remove" as const), hashes: fc.array(u64, { maxLength: 5 }), tier });
const change: fc.Arbitrary<DumpedChange> = fc.record({
  slot: fc.nat(1),
  change: fc.oneof(
    store.map(({ kind, blocks: { hashes, ...rest } }) => ({
      kind,
      blocks: { ...rest, blockHashes: words(hashes.map(([a]) => a)), localHashes: words(hashes.map(([, b]) => b)) },
    })),
    remove.map(({ kind, hashes, tier }) => ({ kind, blockHashes: words(hashes), tier })),
  ),
});

describe("a dump", () => {
  it("is read as it was written, in chunks of any size", () => {
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 6 }),
        fc.string(),
        fc.integer({ min: 1, max: 400 }),
        (changes, model, size) => {
          const { events, skipped } = read(textOf(changes, model), size);
          expect(skipped).toBe(0);
          expect(events).toEqual(
            changes.map(({ slot, change }) => ({ group: `${model}:default`, blockSize: 16, ...rankOf(slot), change })),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("is one JSON object, with the numbers of a u64 in full", () => {
    const text = textOf([{ slot: 0, change: { kind: "remove", blockHashes: words([2n ** 64n - 1n]), tier: "disk" } }]);
    expect(text).toContain('"worker_id":18446744073709551615');
    expect(text).toContain('{"removed":{"block_hashes":[18446744073709551615]}}');
    expect(() => JSON.parse(text)).not.toThrow();
    expect([...dumpText([], rankOf)].join("")).toBe("{}");
  });

  it("leaves out slots of nobody", () => {
    const changes: DumpedChange[] = [{ slot: 9, change: { kind: "remove", blockHashes: words([1n]), tier: "device" } }];
    const groups = [{ model: "m", routingGroup: "g", blockSize: 4, changes }];
    expect([...dumpText(groups, () => undefined)].join("")).toBe('{"m:g":{"block_size":4,"events":[]}}');
  });

  it("tells how far the streams were applied, before the first event", () => {
    const content = { low: 7, high: 0xffff_ffff };
    const points = [
      { workerId: workers[0] as bigint, dpRank: 3, sequence: 2 ** 53 - 1, content, isComplete: true },
      { workerId: 1n, dpRank: 0, sequence: 0, content: { low: 0, high: 0 }, isComplete: false },
    ];
    const group = { model: "m", routingGroup: "g", blockSize: 4, changes: [], points: () => points };
    const text = [...dumpText([group], rankOf)].join("");
    for (const size of [1, 17, 10_000]) {
      const reader = new DumpReader();
      for (let at = 0; at < text.length; at += size) [...reader.read(Buffer.from(text.slice(at, at + size)))];
      reader.end();
      expect(reader.points).toEqual(points.map((point) => ({ ...point, group: "m:g" })));
    }
  });

  it("may have streams that are not understood, which are passed over", () => {
    const bad = [
      '{"worker_id":1,"dp_rank":0,"content":1}',
      '{"worker_id":1,"dp_rank":0,"sequence":9007199254740992,"content":1}',
      '{"worker_id":-1.5,"sequence":1,"content":1}',
      '{"worker_id":1,"dp_rank":1.5,"sequence":1,"content":1}',
      '{"worker_id":1,"dp_rank":"0","sequence":1,"content":1}',
      "{}",
      "7",
      "[]",
    ];
    const reader = new DumpReader();
    [...reader.read(Buffer.from(`{"m:g":{"streams":[${bad.join(",")}],"events":[]}}`))];
    reader.end();
    expect(reader.points).toEqual([]);
  });

  it("may hold a whole prompt of 100,000 blocks in one event, and is read in slices", () => {
    const hashes = Uint32Array.from({ length: 200_000 }, (_, i) => Math.imul(i + 1, 0x9e37_79b1));
    const blocks = { parentHash: undefined, blockHashes: hashes, localHashes: hashes, tier: "device" as const };
    const text = textOf([{ slot: 0, change: { kind: "store", blocks } }]);
    const steps = [...new DumpReader().read(Buffer.from(text))];
    expect(steps.length).toBeGreaterThan(text.length / 20_000);
    expect(steps.filter((step) => step !== undefined)).toMatchObject([{ change: { kind: "store", blocks } }]);
  });

  it("is refused when an event is beyond its bound", () => {
    const head = '{"m:g":{"block_size":4,"events":[{"worker_id":1,"event":{"data":{"removed":{"block_hashes":[1';
    const reader = new DumpReader();
    [...reader.read(Buffer.from(head))];
    const more = Buffer.from(",1".repeat(65_536));
    expect(() => {
      for (let i = 0; i < 17; i++) [...reader.read(more)];
    }).toThrow(DumpSyntaxError);
  });

  it.each(["__proto__", "constructor", "toString", ""])("may have members called %j anywhere", (name) => {
    const odd = `"${name}":{"${name}":[{"${name}":1}]}`;
    const event = `{${odd},"worker_id":1,"event":{${odd},"data":{${odd},"stored":{${odd},"parent_hash":null,"blocks":[{${odd},"block_hash":1,"tokens_hash":2}]}}}}`;
    const { events, skipped } = read(`{"m:g":{${odd},"block_size":4,"streams":[{${odd}}],"events":[${event}]}}`);
    expect(skipped).toBe(0);
    expect(events).toMatchObject([
      { workerId: 1n, change: { kind: "store", blocks: { blockHashes: Uint32Array.of(1, 0) } } },
    ]);
  });

  it("of Dynamo's selection service is understood", () => {
    const file = new URL("../../fixtures/kv/http_transcripts.json", import.meta.url);
    const { exchanges } = members(parseJson(readFileSync(file)));
    const dumps = (exchanges as JsonValue[])
      .map(members)
      .filter((exchange) => exchange["service"] === "select" && members(exchange["request"])["path"] === "/dump");
    const dump = stringifyJson(members(dumps[0]?.["response"])["body"] ?? null);
    const { events, skipped } = read(dump, 50);
    expect(skipped).toBe(0);
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 100 });
    for (const { workerId, change, group, blockSize } of events) {
      expect({ group, blockSize }).toEqual({ group: "default:default", blockSize: 4 });
      if (change.kind !== "clear") restoreChange(index, { slot: Number(workerId), change });
    }
    const local = words(["14643705804678351452", "16777012769546811212", "483935686894639516", "135165725823939817"]);
    const out = new Int32Array(3);
    index.overlaps({ count: 4, local, sequence: chainHashes(local) }, out);
    expect([...out]).toEqual([0, 4, 2]);
  });

  it.each([
    { name: "cleared", data: '"cleared"', event: { kind: "clear" } },
    {
      name: "signed hashes",
      data: '{"removed":{"block_hashes":[-1]}}',
      event: { blockHashes: Uint32Array.of(-1, -1) },
    },
    {
      name: "the lowest hash",
      data: '{"removed":{"block_hashes":[-9223372036854775808]}}',
      event: { blockHashes: Uint32Array.of(0, 2 ** 31) },
    },
  ])("may have $name", ({ data, event }) => {
    const text = `{"m:g": {"events": [{"worker_id": 1, "event": {"data": ${data}}}], "block_size": 4}}`;
    expect(read(text).events).toMatchObject([{ workerId: 1n, dpRank: 0, blockSize: undefined, change: event }]);
  });

  it.each([
    {
      name: "an unknown residency",
      event: '{"worker_id":1,"residency_domain":"cache_owner","event":{"data":"cleared"}}',
    },
    { name: "an unknown tier", event: '{"worker_id":1,"storage_tier":"tape","event":{"data":"cleared"}}' },
    { name: "an unknown change", event: '{"worker_id":1,"event":{"data":{"moved":{}}}}' },
    {
      name: "a hash beyond 64 bits",
      event: '{"worker_id":1,"event":{"data":{"removed":{"block_hashes":[18446744073709551616]}}}}',
    },
    {
      name: "a block without its tokens' hash",
      event: '{"worker_id":1,"event":{"data":{"stored":{"parent_hash":null,"blocks":[{"block_hash":1}]}}}}',
    },
    {
      name: "a block that is none",
      event: '{"worker_id":1,"event":{"data":{"stored":{"parent_hash":null,"blocks":[[1,2]]}}}}',
    },
    {
      name: "a parent that is no number",
      event: '{"worker_id":1,"event":{"data":{"stored":{"parent_hash":"1","blocks":[]}}}}',
    },
    { name: "a change without its list", event: '{"worker_id":1,"event":{"data":{"stored":{"parent_hash":null}}}}' },
    {
      name: "a parent that is a list",
      event: '{"worker_id":1,"event":{"data":{"stored":{"parent_hash":[1],"blocks":[]}}}}',
    },
    {
      name: "a namespace that is no text",
      event: '{"worker_id":1,"event":{"data":{"stored":{"parent_hash":null,"blocks":[],"cache_salt":7}}}}',
    },
    { name: "a tier that is no text", event: '{"worker_id":1,"storage_tier":1,"event":{"data":"cleared"}}' },
    { name: "a residency that is no text", event: '{"worker_id":1,"residency_domain":{},"event":{"data":"cleared"}}' },
    { name: "a rank that is no integer", event: '{"worker_id":1,"event":{"data":"cleared","dp_rank":1.5}}' },
    { name: "a rank that is a text", event: '{"worker_id":1,"event":{"data":"cleared","dp_rank":"1"}}' },
    {
      name: "two changes",
      event: '{"worker_id":1,"event":{"data":{"stored":{"blocks":[]},"removed":{"block_hashes":[1]}}}}',
    },
    { name: "its worker elsewhere", event: '{"event":{"data":"cleared","worker_id":1}}' },
    { name: "no worker", event: '{"event":{"data":"cleared"}}' },
    { name: "nothing", event: "{}" },
  ])("may have events with $name, which are passed over", ({ event }) => {
    const good = '{"worker_id":2,"event":{"data":"cleared"}}';
    const { events, skipped } = read(`{"m:g":{"block_size":4,"events":[${event},${good}]}}`);
    expect(skipped).toBe(1);
    expect(events).toHaveLength(1);
  });

  it.each([
    "",
    "[",
    "{",
    '{"m:g":{"events":[{"a":"',
    "nonsense",
    "null",
    "7",
    '"{}"',
    '{"m:g":{"block_size":04}}',
    '{"m:g":{"events":[{"a" 1}]}}',
    "{}{}",
    '{"m\\x":{}}',
  ])("is refused when it is %j", (text) => {
    expect(() => read(text)).toThrow(DumpSyntaxError);
  });
});
