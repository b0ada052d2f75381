import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc, { type Arbitrary } from "fast-check";
import {
  applyEdit,
  editRoot,
  JsonObject,
  JsonReader,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
  rootMemberList,
  setMember,
  stringifyJson,
} from "../../../src/json/index.ts";
import { Parser } from "../../../src/json/parser.ts";
import { mutilatedText } from "../../unit/json/json-texts.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { lastOfRepeats, PythonJson, type Seen } from "../framework/python-json.ts";
import { bodiesWithParts, checkParts, finished, recordsIn } from "./json/lifted-parts.ts";
import { shownJson } from "./json/shown-json.ts";

interface JsonCase {
  readonly text: Buffer;
  /** What members of the outermost object become, as JSON; null = they go. */
  readonly changes: readonly (readonly [name: string, json: string | null])[];
  /** Whether it is weighed before it is parsed. */
  readonly isWeighed: boolean;
}

const maxDepth = 64;

/** Texts that are JSON or nearly so, edits of their outermost object, and bodies that clients send. */
export const jsonTexts: FuzzTarget = {
  name: "json",
  claim: "texts are taken, refused and edited as Python's json reads them",
  cases: 4_000,
  async open() {
    const oracle = new PythonJson();
    const reader = new JsonReader({ internedBytes: 65_536, maxScannedBytes: 262_144 });
    const check = async ({ text, changes, isWeighed }: JsonCase) => {
      await checkParts(oracle, text);
      const theirs = await python(oracle, text);
      const weight = isWeighed ? reader.weigh(text, 10_000, { maxDepth }) : undefined;
      for (const parse of [(bytes: Buffer) => reader.parse(bytes, { maxDepth }), parsedPlainly]) {
        const ours = read(() => parse(text));
        if (ours === undefined) assert.ok(theirs === undefined || isDeep(theirs), "refused, which Python takes");
        else assert.deepEqual(shownJson(ours), theirs, "the same value");
      }
      const whole = weight === undefined ? undefined : await oracle.read(text);
      if (whole !== undefined) assert.equal(weight?.records, recordsIn(whole), "values and keys");
      const value = read(() => parseJson(text, { maxDepth }));
      if (value === undefined || theirs === undefined) return;
      assert.deepEqual(await python(oracle, Buffer.from(stringifyJson(value))), theirs, "written and read again");
      if (value instanceof JsonObject) await checkEdits(oracle, text, value, theirs, changes);
    };
    const show = ({ text, changes }: JsonCase) =>
      `${JSON.stringify(text.toString("latin1"))} ${JSON.stringify(changes)}`;
    return fuzzing<JsonCase>({ cases: jsonCases(), check, show }, () => oracle.close());
  },
};

/** As texts are that are too long for the scan. */
function parsedPlainly(text: Buffer): JsonValue {
  return new Parser(text, { maxDepth, finiteNumbers: false, rawControlCharacters: false }).document();
}

function jsonCases(): Arbitrary<JsonCase> {
  const name = fc.constantFrom("a", "b", "model", "messages", "role", "content", "", 'q"\\', "é");
  const json = fc.constantFrom("1", '"x"', "[1, 2]", '{"a": {}}', "null", "1e400", '"\\u00e9"');
  const changes = fc.array(fc.tuple(name, fc.option(json, { freq: 2 })), { maxLength: 3 });
  const body = fc.tuple(fc.constantFrom(...realBodies()), fc.array(edit, { maxLength: 3 })).map(mutated);
  const odd = fc.constantFrom(
    ...["[".repeat(70), `${"[".repeat(64)}${"]".repeat(64)}`, `${"[".repeat(65)}${"]".repeat(65)}`, '{"a":'.repeat(70)],
    ...[
      '"\\ud83d"',
      '"\\ud83d\\ude00"',
      '"\\ude00\\ud83d"',
      '"\\ud83d\\ue000"',
      '"\\udbff\\uffff"',
      '"\\ud800\\u0041"',
      '"\\ud800\\udc00\\udbff\\udfff"',
      '"\xed\xa0\x80"',
      "\ufeff{}",
      "1".repeat(5_000),
      "-",
      "NaN",
    ],
    ...[
      "Infinity",
      "01",
      "1.e1",
      ".5",
      "+1",
      "1E+",
      "0x1",
      "'a'",
      "{a:1}",
      "[1,]",
      '{"a":1,}',
      "/**/1",
      "1 2",
      "\0",
      "",
    ],
  );
  // Half of the bytes are such as begin or go on with a character of several.
  const byte = fc.oneof(
    fc.nat({ max: 255 }),
    fc.constantFrom(
      ...[0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5],
      ...[0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf],
    ),
  );
  const anyBytes = fc.array(byte, { maxLength: 6 }).map((bytes) => Buffer.from([0x22, ...bytes, 0x22]));
  const text = fc.oneof(
    { weight: 4, arbitrary: mutilatedText },
    { weight: 2, arbitrary: body },
    { weight: 2, arbitrary: bodiesWithParts() },
    { weight: 1, arbitrary: anyBytes },
    { weight: 1, arbitrary: odd.map((each) => Buffer.from(each, "latin1")) },
  );
  return fc.record({ text, changes, isWeighed: fc.boolean() });
}

const edit = fc.record({
  at: fc.nat({ max: 100_000 }),
  remove: fc.constantFrom(0, 0, 1, 2, 20),
  put: fc.oneof(
    fc.constantFrom(...'{}[]",:\\ue0'.split(""), '"a":1,', '"model":"x",', "\\ud800"),
    fc.string({ maxLength: 3 }),
  ),
});

function mutated([text, edits]: [string, readonly { at: number; remove: number; put: string }[]]): Buffer {
  let changed = text;
  for (const { at, remove, put } of edits) {
    const place = at % (changed.length + 1);
    changed = changed.slice(0, place) + put + changed.slice(place + remove);
  }
  return Buffer.from(changed);
}

/** Bodies of recorded requests, the shorter ones. */
function realBodies(): readonly string[] {
  const path = join(import.meta.dirname, "..", "..", "fixtures", "parity", "cases.jsonl");
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const bodies = lines.map((line) => JSON.parse(line) as { readonly body?: unknown; readonly raw?: string });
  return bodies.map(({ body, raw }) => raw ?? JSON.stringify(body) ?? "{}").filter(({ length }) => length < 4_000);
}

async function python(oracle: PythonJson, text: Buffer): Promise<Seen | undefined> {
  const value = await oracle.read(text);
  return value === undefined ? undefined : lastOfRepeats(value);
}

function read(parse: () => JsonValue): JsonValue | undefined {
  try {
    return parse();
  } catch (error) {
    assert.ok(error instanceof JsonSyntaxError, String(error));
    return undefined;
  }
}

function isDeep(value: Seen, depth = 0): boolean {
  if (!Array.isArray(value) || value[0] === "number") return false;
  const [kind, ...rest] = value as readonly [string, ...unknown[]];
  if (depth >= maxDepth) return true;
  return rest.some((each) => isDeep((kind === "object" ? (each as [string, Seen])[1] : each) as Seen, depth + 1));
}

async function checkEdits(
  oracle: PythonJson,
  text: Buffer,
  value: JsonObject,
  before: Seen,
  changes: JsonCase["changes"],
): Promise<void> {
  const members = new Map((before as readonly unknown[]).slice(1) as [string, Seen][]);
  const wanted = new Map(changes.map(([name, json]) => [name, json === null ? undefined : Buffer.from(json)]));
  for (const [name, json] of wanted) {
    if (json === undefined) members.delete(name);
    else members.set(name, (await python(oracle, json)) ?? null);
  }
  const found = finished(rootMemberList(text, new Set(wanted.keys())));
  const edited = editRoot(text, found, wanted);
  assert.deepEqual(sorted(await python(oracle, edited)), sorted(["object", ...members]), edited.toString("latin1"));
  const [name, json] = [...wanted].find(([, each]) => each !== undefined) ?? [];
  if (name === undefined || json === undefined) return;
  const set = new Map((before as readonly unknown[]).slice(1) as [string, Seen][]);
  set.set(name, (await python(oracle, json)) ?? null);
  const spliced = applyEdit(text, setMember(text, value, name, json));
  assert.deepEqual(await python(oracle, spliced), ["object", ...set], spliced.toString("latin1"));
  checkOtherBytes(text, spliced, json);
}

/** Nothing but the edit is another. */
function checkOtherBytes(text: Buffer, spliced: Buffer, json: Buffer): void {
  let start = 0;
  while (start < text.length && text[start] === spliced[start]) start++;
  let end = 0;
  while (end < text.length - start && text[text.length - 1 - end] === spliced[spliced.length - 1 - end]) end++;
  const changed = spliced.length - start - end;
  assert.ok(changed <= json.length + 64, `${changed} bytes changed to set ${json.length}`);
}

/** Members in the order of their names: a member that is removed and set again changes its place. */
function sorted(value: Seen | undefined): unknown {
  if (!Array.isArray(value) || value[0] !== "object") return value;
  const members = (value as readonly unknown[]).slice(1) as [string, Seen][];
  return members.toSorted(([a], [b]) => (a < b ? -1 : 1));
}
