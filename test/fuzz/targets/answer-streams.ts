import assert from "node:assert/strict";
import fc, { type Arbitrary } from "fast-check";
import { ModelRestorer, type TokenUsage, UsageScanner } from "../../../src/http/index.ts";
import { WholeEvents } from "../../../src/surface/proxy/whole-events.ts";
import { isJson } from "../../support/is-json.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { piecesOf } from "./pieces-of.ts";

interface StreamCase {
  readonly answer: Buffer;
  /** Whether it is JSON, or events of JSON. */
  readonly isWellFormed: boolean;
  readonly cuts: readonly number[];
}

/** Answers of workers as they pass, in pieces of any length. */
export const answerStreams: FuzzTarget = {
  name: "answers",
  claim: "an answer's counts, names and events are the same however it is cut",
  cases: 3_000,
  async open() {
    const show = ({ answer, cuts }: StreamCase) => `${JSON.stringify(answer.toString("latin1"))} cut at ${cuts.join()}`;
    return fuzzing<StreamCase>({ cases: streamCase, check, show });
  },
};

const count = fc.constantFrom(
  "0",
  "1",
  "17",
  "123456",
  "1e3",
  "1.5",
  "-1",
  "null",
  '"7"',
  '"\\""',
  "1e999",
  "9007199254740993",
);
const usage = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.constantFrom(
          ...["prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "cache_read_input_tokens", "x"],
          ...["cache_creation_input_tokens", "prompt_tokens_details", "input_tokens_details", "total_tokens", ""],
        ),
        fc.oneof(
          count,
          count.map((n) => `{"cached_tokens":${n}}`),
        ),
      ),
      { maxLength: 4 },
    ),
    fc.constantFrom("", " ", "\n  ", "\r\n"),
  )
  .map(
    ([members, space]) => `{${members.map(([name, value]) => `${space}"${name}"${space}:${space}${value}`).join(",")}}`,
  );
const member = fc.oneof(
  usage.map((value) => `"usage":${value}`),
  usage.map((value) => `"usage" : ${value}`),
  fc.constantFrom(
    ...['"model":"target"', '"model" : "target"', '"model":"other"', '"model":"tar\\u0067et"', '"model":null'],
  ),
  fc.constantFrom(
    '"usage":null',
    '"usage":[1]',
    '"usage":"x"',
    '"text":"\\"usage\\":{\\"prompt_tokens\\":9}"',
    '"a":{"b":"}"}',
  ),
  fc.constantFrom(
    '"delta":"\\"model\\":\\"target\\""',
    '"model":{"model":"target"}',
    '"a\\"model":"target"',
    '"e":"é😀"',
    `"pad":"${"p".repeat(300)}"`,
  ),
);
const json = fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(",")}}`);
const events = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom("", "event: x\n", ": ping\n", "id: 1\n"), json), { maxLength: 5 }),
    fc.boolean(),
  )
  .map(([list, isCrLf]) => {
    const text = `${list.map(([head, data]) => `${head}data: ${data}\n\n`).join("")}data: [DONE]\n\n`;
    return isCrLf ? text.replaceAll("\n", "\r\n") : text;
  });
const broken = fc
  .tuple(
    fc.oneof(json, events),
    fc.nat({ max: 2_000 }),
    fc.constantFrom("", '"', "\\", "{", "}", '"usage"', '"model"', ":"),
  )
  .map(([text, at, put]) => `${text.slice(0, at % (text.length + 1))}${put}${text.slice(at % (text.length + 1))}`);
const answer = fc.oneof(
  { weight: 2, arbitrary: fc.oneof(json, events).map((text) => ({ text, isWellFormed: true })) },
  { weight: 1, arbitrary: broken.map((text) => ({ text, isWellFormed: false })) },
);
const streamCase: Arbitrary<StreamCase> = fc
  .tuple(answer, fc.array(fc.nat({ max: 1_500 }), { maxLength: 12 }))
  .map(([{ text, isWellFormed }, cuts]) => ({ answer: Buffer.from(text), isWellFormed, cuts }));

function check({ answer, isWellFormed, cuts }: StreamCase): void {
  const pieces = piecesOf(answer, cuts);
  const bytes = Array.from(answer, (_, at) => answer.subarray(at, at + 1));
  const whole = scanned([answer]).usage;
  for (const most of [undefined, shortUsageBytes]) {
    const all = scanned([answer], most);
    assert.deepEqual(scanned(pieces, most), all, "the counts");
    assert.deepEqual(scanned(bytes, most), all, "the counts, byte by byte");
  }
  for (const value of Object.values(whole ?? {}))
    assert.ok(value === undefined || Number.isSafeInteger(value), `${value}`);
  const text = answer.toString();
  const jsonText = isJson(text) ? text : undefined;
  if (isWellFormed && jsonText !== undefined) assert.deepEqual(whole, lastUsage(jsonText), "the counts that JSON has");
  const names = restored([answer]);
  if (isWellFormed) assert.ok(restored(pieces).equals(names) && restored(bytes).equals(names), "the names");
  if (jsonText !== undefined)
    assert.deepEqual(JSON.parse(names.toString()), JSON.parse(jsonText, renamed), "the names");
  checkEvents(answer, pieces);
}

/** A bound that some of the objects pass. */
const shortUsageBytes = 60;

function scanned(pieces: readonly Buffer[], maxUsageBytes?: number): Pick<UsageScanner, "usage" | "sawTooLarge"> {
  const scanner = new UsageScanner(maxUsageBytes);
  for (const piece of pieces) {
    const own = Buffer.from(piece);
    scanner.scan(own);
    own.fill(0x22);
  }
  return { usage: scanner.usage, sawTooLarge: scanner.sawTooLarge };
}

function restored(pieces: readonly Buffer[]): Buffer {
  const restorer = new ModelRestorer("target", "asked");
  return Buffer.concat([...pieces.map((piece) => Buffer.from(restorer.take(piece))), restorer.rest()]);
}

/** What is passed on is the stream, as far as its last whole event; the rest at its end. */
function checkEvents(answer: Buffer, pieces: readonly Buffer[]): void {
  const events = new WholeEvents(1 << 20);
  const passed: Buffer[] = [];
  let received = "";
  for (const piece of pieces) {
    const out = events.take(piece);
    if (out !== undefined) passed.push(Buffer.from(out));
    received += piece.toString("latin1");
    // An empty line ends an event; engines end their lines with a line feed, or with two characters.
    const wholeEvents = /^.*\n\r?\n/s.exec(received)?.[0] ?? "";
    assert.equal(Buffer.concat(passed).toString("latin1"), wholeEvents, "the events that are whole");
  }
  const rest = events.rest();
  assert.ok(Buffer.concat(rest === undefined ? passed : [...passed, rest]).equals(answer), "the bytes of the stream");
}

function renamed(this: unknown, name: string, value: unknown): unknown {
  return name === "model" && value === "target" ? "asked" : value;
}

/** Counts of the last object `usage` that has any, read from the whole value. */
function lastUsage(text: string): TokenUsage | undefined {
  let found: TokenUsage | undefined;
  // Repeated members are all seen: the text is taken apart before it is parsed.
  for (const part of text.matchAll(/"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g)) {
    if (isInString(text, part.index)) continue;
    found = usageOf(JSON.parse(part[1] as string)) ?? found;
  }
  return found;
}

function isInString(text: string, at: number): boolean {
  const before = text.slice(0, at).replace(/\\./gs, "");
  return (before.match(/"/g)?.length ?? 0) % 2 === 1;
}

function usageOf(usage: Record<string, unknown>): TokenUsage | undefined {
  const of = (name: string, from: unknown = usage) => {
    const value = typeof from === "object" && from !== null ? (from as Record<string, unknown>)[name] : undefined;
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  };
  const input = of("prompt_tokens") ?? of("input_tokens");
  if (input === undefined) return undefined;
  const read = of("cache_read_input_tokens");
  const details = usage["prompt_tokens_details"] ?? usage["input_tokens_details"];
  return {
    inputTokens: input + (read ?? 0) + (of("cache_creation_input_tokens") ?? 0),
    cachedTokens: read ?? of("cached_tokens", details),
    outputTokens: of("completion_tokens") ?? of("output_tokens"),
  };
}
