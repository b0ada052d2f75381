import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonNumber, JsonObject, JsonReader, JsonSyntaxError, type JsonValue } from "../../../src/json/index.ts";
import { Parser, type ParserLimits } from "../../../src/json/parser.ts";
import { StructureScan } from "../../../src/json/structure-scan.ts";
import { jsonText, mutilatedText, seen } from "./json-texts.ts";

const limits = fc.record({
  maxDepth: fc.constantFrom(1, 2, 3, 512),
  finiteNumbers: fc.boolean(),
  rawControlCharacters: fc.boolean(),
});
const usual: ParserLimits = { maxDepth: 512, finiteNumbers: false, rawControlCharacters: false };

function outcome(read: () => JsonValue): unknown {
  try {
    return seen(read());
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return ["refused", error.message, error.offset];
  }
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const fillRandom = (bytes: Uint8Array): void => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

describe("JsonReader beside the plain parser", () => {
  const reader = new JsonReader({ maxScannedBytes: 262_144 });

  it("gives the same values, digits, spans and repeated keys", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = Buffer.from(text);
        const expected = seen(new Parser(bytes, usual).document());
        expect(seen(reader.parse(bytes, usual))).toEqual(expected);
        // Once more: every string is one that was seen.
        expect(seen(reader.parse(bytes, usual))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it("refuses the same texts with the same message and offset", () => {
    fc.assert(
      fc.property(mutilatedText, limits, (bytes, allowed) => {
        expect(outcome(() => reader.parse(bytes, allowed))).toEqual(
          outcome(() => new Parser(bytes, allowed).document()),
        );
      }),
      { numRuns: 6_000 },
    );
  });

  it("leaves nothing to the plain parser but what is refused", () => {
    const scan = new StructureScan({ maxTextBytes: 262_144, internedBytes: 1_048_576, fillRandom });
    fc.assert(
      fc.property(mutilatedText, limits, (bytes, { maxDepth, rawControlCharacters }) => {
        // Beyond UTF-8 and the range of numbers, which are looked at afterwards.
        const allowed = { maxDepth, rawControlCharacters, finiteNumbers: false };
        const isTaken = accepts(() => new Parser(Buffer.from(bytes.toString("utf8")), allowed).document());
        const text = Buffer.from(bytes.toString("utf8"));
        expect(scan.scan(text, maxDepth, rawControlCharacters) !== undefined).toBe(isTaken);
      }),
      { numRuns: 4_000 },
    );
  });

  it("is right while generations of strings come and go", () => {
    const small = new JsonReader({ internedBytes: 8_192, maxScannedBytes: 65_536 });
    fc.assert(
      fc.property(jsonText, mutilatedText, (text, other) => {
        const bytes = Buffer.from(text);
        accepts(() => small.parse(other, usual));
        expect(seen(small.parse(bytes, usual))).toEqual(seen(new Parser(bytes, usual).document()));
        expect(small.heldBytes).toBeLessThanOrEqual(8_192);
      }),
      { numRuns: 3_000 },
    );
  });

  it("is right when every fingerprint has the same key", () => {
    const keyless = new JsonReader({ fillRandom: (bytes) => bytes.fill(0) });
    fc.assert(
      fc.property(jsonText, (text) => {
        const bytes = Buffer.from(text);
        expect(seen(keyless.parse(bytes, usual))).toEqual(seen(new Parser(bytes, usual).document()));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** The value as JSON.parse would give it. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.toNumber();
  if (value instanceof JsonObject) {
    return Object.fromEntries([...value.entries()].map(([name, member]) => [name, plain(member)]));
  }
  return Array.isArray(value) ? value.map((item) => plain(item as JsonValue)) : value;
}

describe("JsonReader beside JSON.parse", () => {
  const reader = new JsonReader({ maxScannedBytes: 262_144 });

  it("takes and refuses the same texts, and gives the same values", () => {
    fc.assert(
      fc.property(mutilatedText, (bytes) => {
        const text = bytes.toString("utf8");
        // Lone surrogates are refused here by design; Buffer turns invalid UTF-8 into other text.
        fc.pre(Buffer.from(text).equals(bytes) && !/\\u[dD][89a-fA-F]/.test(text) && !text.startsWith("\ufeff"));
        const isTaken = accepts(() => JSON.parse(text));
        expect(accepts(() => reader.parse(bytes, usual))).toBe(isTaken);
        if (isTaken) expect(plain(reader.parse(bytes, usual))).toEqual(JSON.parse(text));
      }),
      { numRuns: 4_000 },
    );
  });
});

// What Python's json says of texts: each value as nested arrays, numbers by their digits, repeated keys all there.
const pythonReader = `
import json, sys
def refuse(name): raise ValueError(name)
decoder = dict(parse_int=lambda s: ["number", s], parse_float=lambda s: ["number", s], parse_constant=refuse,
               object_pairs_hook=lambda pairs: ["object", *[list(pair) for pair in pairs]])
def array(value):
    return value
answers = []
for text in json.load(sys.stdin):
    try:
        value = json.loads(bytes.fromhex(text).decode("utf-8"), **decoder)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
        answers.append([value])
    except (ValueError, UnicodeError):
        answers.append(None)
json.dump(answers, sys.stdout)
`;

/** The same of our value; Python's arrays are left as they are. */
function asPython(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return ["number", value.lexeme];
  if (value instanceof JsonObject) return ["object", ...[...value.entries()].map(([k, v]) => [k, asPython(v)])];
  return Array.isArray(value) ? value.map((item) => asPython(item as JsonValue)) : value;
}

/** Of repeated keys the last value, at the first place, as our objects have it. */
function lastOfRepeats(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items = value.map(lastOfRepeats);
  const isObject =
    value[0] === "object" && value.slice(1).every((pair) => Array.isArray(pair) && typeof pair[0] === "string");
  return isObject ? ["object", ...new Map(items.slice(1) as [string, unknown][])] : items;
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.runIf(hasPython)("JsonReader beside Python's json", () => {
  it("takes and refuses the same texts, and gives the same values, digits and order", () => {
    const texts = [...fc.sample(mutilatedText, 3_000), ...fc.sample(jsonText, 1_000).map((text) => Buffer.from(text))];
    const run = spawnSync("python3", ["-c", pythonReader], {
      input: JSON.stringify(texts.map((text) => text.toString("hex"))),
      maxBuffer: 1 << 28,
    });
    expect(run.stderr.toString()).toBe("");
    const reader = new JsonReader({ maxScannedBytes: 262_144 });
    const answers = JSON.parse(run.stdout.toString()) as ([unknown] | null)[];
    const ours = texts.map((text) => {
      try {
        return [asPython(reader.parse(text, usual))];
      } catch {
        return null;
      }
    });
    expect(ours).toEqual(answers.map((answer) => (answer === null ? null : [lastOfRepeats(answer[0])])));
    expect(answers.filter((answer) => answer === null).length).toBeGreaterThan(500);
  });
});
