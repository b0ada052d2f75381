import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import { type DumpedEvent, DumpReader, DumpSyntaxError, type ReadPoint } from "../../../src/kv-events/index.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { PythonJson } from "../framework/python-json.ts";
import { type PlainDump, type PlainDumpEvent, plainDump } from "./kv/plain-dump.ts";
import { piecesOf } from "./pieces-of.ts";

interface DumpCase {
  readonly text: string;
  readonly cuts: readonly number[];
}

/** What another replica, or Dynamo's services, answer under `/dump`. */
export const kvDumps: FuzzTarget = {
  name: "kv-dumps",
  claim: "a dump is read as what its whole value says, however it is cut, or refused where Python's json refuses it",
  cases: 1_500,
  async open() {
    const python = new PythonJson();
    const check = async ({ text, cuts }: DumpCase) => {
      const bytes = Buffer.from(text);
      const whole = read([bytes]);
      assert.deepEqual(read(piecesOf(bytes, cuts)), whole, "however it is cut");
      assert.deepEqual(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))), whole, "byte by byte");
      const value = await python.read(bytes);
      const plain = value === undefined ? undefined : plainDump(value);
      // Texts that say nothing here are not looked into.
      if (plain === undefined && /[\\\x80-\uffff]/.test(text)) return;
      assert.deepEqual(whole, plain);
    };
    return fuzzing<DumpCase>({ cases: dumpCase, check }, () => python.close());
  },
};

function read(pieces: readonly Buffer[]): PlainDump | undefined {
  const reader = new DumpReader();
  try {
    const events = pieces.flatMap((piece) => [...reader.read(Buffer.from(piece))].filter((each) => each !== undefined));
    reader.end();
    return { events: events.map(shownEvent), skipped: reader.skippedEvents, points: reader.points.map(shownPoint) };
  } catch (error) {
    assert.ok(error instanceof DumpSyntaxError, String(error));
    return undefined;
  }
}

function shownEvent({ group, blockSize, workerId, dpRank, change }: DumpedEvent): PlainDumpEvent {
  const head = { group, blockSize, workerId, dpRank, kind: change.kind };
  if (change.kind === "clear") return head;
  if (change.kind === "remove") return { ...head, tier: change.tier, hashes: bigints(change.blockHashes) };
  const { blockHashes, localHashes, parentHash, tier, cacheSalt } = change.blocks;
  const locals = bigints(localHashes);
  const blocks = bigints(blockHashes).map((hash, i) => [hash, locals[i]]);
  return { ...head, tier, parentHash: parentHash && u64(parentHash), cacheSalt, blocks };
}

function shownPoint({ content, ...point }: ReadPoint): Readonly<Record<string, unknown>> {
  return { ...point, content: u64(content) };
}

function bigints(words: Uint32Array): readonly bigint[] {
  return Array.from({ length: words.length >> 1 }, (_, i) =>
    u64({ low: words[2 * i] as number, high: words[2 * i + 1] as number }),
  );
}

function u64({ low, high }: { readonly low: number; readonly high: number }): bigint {
  return (BigInt(high) << 32n) + BigInt(low);
}

const integer = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 9 }).map(String) },
  { weight: 2, arbitrary: fc.bigInt({ min: -(1n << 63n), max: (1n << 64n) - 1n }).map(String) },
  fc.constantFrom("-0", "18446744073709551616", "-9223372036854775809", "9007199254740993", `1${"0".repeat(40)}`),
);
/** Anything that may stand where something else should. */
const odd = fc.constantFrom(
  "null",
  "true",
  '"x"',
  '"1"',
  "1.5",
  "1e2",
  "[]",
  "{}",
  "[1]",
  '{"worker_id":7}',
  "01",
  "-",
  "1.",
  "1-2",
  "1e",
);
const number = fc.oneof({ weight: 12, arbitrary: integer }, { weight: 1, arbitrary: odd });

/** An object of some of the members, in any order, with spaces; rarely with one that nobody knows. */
function object(members: Readonly<Record<string, Arbitrary<string>>>): Arbitrary<string> {
  const each = Object.entries(members).map(([name, value]) =>
    fc.option(value, { nil: undefined, freq: 12 }).map((text) => (text === undefined ? [] : [`"${name}":${text}`])),
  );
  const more = fc.option(fc.constantFrom('"later":{"events":[{}]}', '"__proto__":1', '"é":["\\u0000\\""]'), {
    nil: undefined,
    freq: 8,
  });
  return fc
    .tuple(fc.tuple(...each), more, fc.nat({ max: 9 }), fc.constantFrom("", " ", "\n\t"))
    .map(([parts, rest, turn, space]) => {
      const all = [...parts.flat(), ...(rest === undefined ? [] : [rest])];
      const turned = [...all.slice(turn % (all.length + 1)), ...all.slice(0, turn % (all.length + 1))];
      return `{${space}${turned.join(`${space},`)}${space}}`;
    });
}

function list(element: Arbitrary<string>, maxLength = 3): Arbitrary<string> {
  return fc
    .array(fc.oneof({ weight: 20, arbitrary: element }, { weight: 1, arbitrary: odd }), { maxLength })
    .map((each) => `[${each.join(",")}]`);
}

const orOdd = (value: Arbitrary<string>) => fc.oneof({ weight: 20, arbitrary: value }, { weight: 1, arbitrary: odd });
const block = object({
  block_hash: number,
  tokens_hash: number,
  mm_extra_info: fc.constantFrom("null", '{"block_hash":1}', "5"),
});
const stored = object({
  parent_hash: fc.oneof({ weight: 3, arbitrary: fc.constant("null") }, { weight: 3, arbitrary: number }),
  start_position: fc.constantFrom("null", "3"),
  blocks: orOdd(list(block)),
  cache_salt: orOdd(fc.constantFrom('"s"', '"\\u00e9\\n"', "null", '"é"')),
});
const data = fc.oneof(
  { weight: 3, arbitrary: stored.map((each) => `{"stored":${each}}`) },
  { weight: 2, arbitrary: object({ block_hashes: orOdd(list(number, 4)) }).map((each) => `{"removed":${each}}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"cleared"',
      '"other"',
      '{"moved":{}}',
      '{"stored":{"blocks":[]},"removed":{"block_hashes":[]}}',
    ),
  },
);
const event = object({
  worker_id: number,
  storage_tier: orOdd(fc.constantFrom('"device"', '"disk"', '"host_pinned"', '"external"', '"tape"')),
  residency_domain: orOdd(fc.constantFrom('"worker"', '"worker"', '"cache_owner"')),
  event: orOdd(object({ event_id: number, data: orOdd(data), dp_rank: number })),
});
const stream = object({
  worker_id: number,
  dp_rank: number,
  sequence: number,
  content: number,
  complete: orOdd(fc.constantFrom("true", "false")),
});
const group = object({ block_size: number, streams: orOdd(list(stream)), events: orOdd(list(event)) });
const dump = fc
  .array(fc.tuple(fc.constantFrom("m:default", "é:g", "", "a\\nb:c"), orOdd(group)), { maxLength: 3 })
  .map((groups) => `{${groups.map(([name, each]) => `"${name}":${each}`).join(",")}}`);
const edit = fc.record({
  at: fc.nat({ max: 2_000 }),
  remove: fc.constantFrom(0, 1, 1, 4),
  put: fc.constantFrom("", "", ...'{}[]",:-0e.t'.split(""), "null", "\0", "\\"),
});

const dumpCase: Arbitrary<DumpCase> = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: dump }, { weight: 1, arbitrary: odd }),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(edit, { maxLength: 2 }) }),
    fc.array(fc.nat({ max: 1_500 }), { maxLength: 8 }),
  )
  .map(([whole, edits, cuts]) => {
    let text = whole;
    for (const { at, remove, put } of edits) {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + put + text.slice(place + remove);
    }
    return { text, cuts };
  });
