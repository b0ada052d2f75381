import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import {
  FieldError,
  itemCount,
  JsonSyntaxError,
  liftNumberArrays,
  liftObject,
  parseJson,
  rootMemberList,
} from "../../../../src/json/index.ts";
import {
  digitsOf,
  elementsOf,
  lastOfRepeats,
  membersOf,
  type PythonJson,
  type Seen,
} from "../../framework/python-json.ts";
import { shownJson } from "./shown-json.ts";

const maxItems = 24;
/** Lists that are read as numbers, with the least and the greatest of each. */
const ranges = {
  ids: { kind: "u32", least: 0n, most: (1n << 32n) - 1n },
  hashes: { kind: "i64", least: -(1n << 63n), most: (1n << 63n) - 1n },
} as const;
type ListName = keyof typeof ranges;
const isList = (name: string): name is ListName => Object.hasOwn(ranges, name);

/** Bodies with lists of numbers, and with an object in another one. */
export function bodiesWithParts(): Arbitrary<Buffer> {
  const integer = fc.oneof(
    { weight: 8, arbitrary: fc.nat({ max: 2_000_000 }).map(String) },
    { weight: 1, arbitrary: fc.bigInt({ min: -(1n << 64n), max: 1n << 64n }).map(String) },
    fc.constantFrom("4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    fc.constantFrom(
      "-9223372036854775809",
      "-0",
      "00",
      "1.0",
      "1e2",
      '"1"',
      "null",
      "[1]",
      "{}",
      "",
      "-",
      "1 2",
      "9".repeat(40),
    ),
  );
  const space = fc.constantFrom("", "", " ", "\n\t ", "\r");
  const list = fc
    .tuple(
      fc.oneof(
        fc.array(integer, { maxLength: maxItems + 1 }),
        fc.array(fc.nat({ max: 200_000 }).map(String), { maxLength: maxItems }),
      ),
      space,
      space,
    )
    .map(([items, before, after]) => `[${before}${items.join(`${after},${before}`)}${after}]`);
  const other = fc.constantFrom(
    '"a]\\"b"',
    '{"ids":[1,2]}',
    "[[1],[2,[3]]]",
    "1.5",
    "true",
    '"\\\\"',
    '{"x":{"body":{}}}',
  );
  const inner = fc
    .array(fc.tuple(fc.constantFrom("body", "path", "headers"), fc.oneof(other, list)), { maxLength: 3 })
    .map((members) => `{${members.map(([name, value]) => `"${name}" : ${value}`).join(",")}}`);
  const member = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom("ids", "hashes"), list) },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.constantFrom("request", "x", "i\\u0064s", "a longer key than any that is looked for"),
        fc.oneof(other, inner),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("ids", "hashes", "request"), fc.oneof(other, list)) },
  );
  const edit = fc.option(fc.tuple(fc.nat({ max: 500 }), fc.constantFrom("", ...'[]{},:"\\0-'.split(""))), { freq: 3 });
  return fc.tuple(fc.array(fc.tuple(space, member, space), { maxLength: 4 }), edit).map(([members, change]) => {
    const text = `{${members.map(([before, [name, value], after]) => `${before}"${name}"${after}:${before}${value}${after}`).join(",")}}`;
    const at = change === null ? 0 : change[0] % (text.length + 1);
    return Buffer.from(change === null ? text : `${text.slice(0, at)}${change[1]}${text.slice(at + 1)}`);
  });
}

/** What is read of a body without making values of it is what Python reads. */
export async function checkParts(python: PythonJson, body: Buffer): Promise<void> {
  const theirs = await python.read(body);
  checkLists(body, theirs);
  await checkObject(python, body, theirs);
  const members = membersOf(theirs) ?? [];
  for (const [name, value] of members) {
    if (members.filter(([other]) => other === name).length === 1) checkCount(body, name, value);
  }
}

function checkLists(body: Buffer, theirs: Seen | undefined): void {
  const members = membersOf(theirs) ?? [];
  const names = members.map(([name]) => name);
  const isRepeated = names.some((name, at) => names.indexOf(name) !== at);
  const bad = members.flatMap(([name, value]) =>
    isList(name) && !areInRange(name, elementsOf(value) ?? []) ? [name] : [],
  );
  const result = attempt(() => {
    const { rest, arrays } = liftNumberArrays(body, {
      ids: { kind: "u32", maxItems },
      hashes: { kind: "i64", maxItems },
    });
    return { value: shownJson(parseJson(rest)), arrays };
  });
  if (result === "syntax") assert.equal(theirs, undefined, "refused, which Python takes");
  else if (result === "field")
    assert.ok(theirs === undefined || bad.length > 0 || isRepeated, "a list is refused that is good");
  else {
    assert.ok(theirs !== undefined, "taken, which Python refuses");
    if (isRepeated) return;
    assert.deepEqual(
      bad.filter((name) => result.arrays.has(name)),
      [],
      "lists that are taken and are none",
    );
    const left = membersOf(result.value);
    if (left === undefined) {
      assert.deepEqual(result.value, lastOfRepeats(theirs));
      return;
    }
    const whole = left.map(([name, value]) => {
      const words = result.arrays.get(name);
      // A key with an escape is another member for whoever looks at bytes.
      return words === undefined || elementsOf(value)?.length !== 0
        ? [name, value]
        : [name, ["array", ...numbersOf(name as ListName, words)]];
    });
    assert.deepEqual(["object", ...whole], lastOfRepeats(theirs));
  }
}

function areInRange(name: ListName, items: readonly Seen[]): boolean {
  const { least, most } = ranges[name];
  if (items.length > maxItems) return false;
  return items.every((item) => {
    const digits = digitsOf(item) ?? "";
    return /^(0|-?[1-9]\d*)$/.test(digits) && BigInt(digits) >= least && BigInt(digits) <= most;
  });
}

function numbersOf(name: ListName, words: Uint32Array): readonly Seen[] {
  if (ranges[name].kind === "u32") return Array.from(words, (word) => ["number", String(word)]);
  return Array.from({ length: words.length / 2 }, (_, i) => {
    const value = (BigInt(words[2 * i + 1] as number) << 32n) + BigInt(words[2 * i] as number);
    return ["number", String(BigInt.asIntN(64, value))];
  });
}

async function checkObject(python: PythonJson, body: Buffer, theirs: Seen | undefined): Promise<void> {
  const { rest, object } = liftObject(body, "request", "body");
  const ofRest = await python.read(rest);
  if (object === undefined) {
    assert.deepEqual(ofRest, theirs);
    return;
  }
  const inner = await python.read(object);
  const putBack = inner === undefined ? undefined : withInner(ofRest, inner);
  assert.deepEqual(putBack, theirs, "what is left with what was cut out");
}

/** The only empty object under `request.body` is where the other one stood. */
function withInner(rest: Seen | undefined, inner: Seen): Seen | undefined {
  const outer = membersOf(rest);
  if (outer === undefined) return undefined;
  const inRequest = (value: Seen): Seen => {
    const members = membersOf(value);
    if (members === undefined) return value;
    return [
      "object",
      ...members.map(([name, each]) => [name, name === "body" && membersOf(each)?.length === 0 ? inner : each]),
    ];
  };
  return ["object", ...outer.map(([name, value]) => [name, name === "request" ? inRequest(value) : value])];
}

function checkCount(body: Buffer, name: string, value: Seen): void {
  const [member] = finished(rootMemberList(body, new Set([name])));
  assert.ok(member !== undefined, `the member ${name} is not found`);
  assert.equal(finished(itemCount(body, member.value)), elementsOf(value)?.length ?? -1, "items");
}

function attempt<T>(work: () => T): T | "syntax" | "field" {
  try {
    return work();
  } catch (error) {
    if (error instanceof FieldError) return "field";
    assert.ok(error instanceof JsonSyntaxError, String(error));
    return "syntax";
  }
}

export function finished<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Values and keys that a text has, repeated members among them. */
export function recordsIn(value: Seen): number {
  const members = membersOf(value);
  if (members !== undefined) return members.reduce((sum, [, each]) => sum + 1 + recordsIn(each), 1);
  return (elementsOf(value) ?? []).reduce((sum, each) => sum + recordsIn(each), 1);
}
