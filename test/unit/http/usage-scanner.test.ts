import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageScanner } from "../../../src/http/usage-scanner.ts";

function scan(text: string, cuts: readonly number[] = []): UsageScanner {
  const scanner = new UsageScanner();
  const bytes = Buffer.from(text);
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  let start = 0;
  for (const end of ends) {
    scanner.scan(bytes.subarray(start, end));
    start = end;
  }
  return scanner;
}

const chatUsage =
  '{"prompt_tokens":100,"completion_tokens":16,"total_tokens":116,"prompt_tokens_details":{"cached_tokens":64}}';
const responsesUsage =
  '{"input_tokens":100,"input_tokens_details":{"cached_tokens":64},"output_tokens":16,"total_tokens":116}';
const expected = { inputTokens: 100, cachedTokens: 64, outputTokens: 16 };

const found = [
  { name: "chat JSON", text: `{"id":"x","choices":[],"usage":${chatUsage}}` },
  { name: "chat JSON, pretty", text: `{\n  "usage" : \r\n\t${chatUsage.replaceAll(":", ": ")}\n}` },
  { name: "Responses JSON", text: `{"object":"response","usage":${responsesUsage},"tools":[]}` },
  {
    name: "chat SSE with null before",
    text: `data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\ndata: {"choices":[],"usage":${chatUsage}}\n\ndata: [DONE]\n\n`,
  },
  {
    name: "Responses SSE, nested, CRLF",
    text: `event: response.completed\r\ndata: {"type":"response.completed","response":{"output":[],"usage":${responsesUsage}}}\r\n\r\n`,
  },
  {
    name: "Messages JSON",
    text: '{"type":"message","usage":{"input_tokens":36,"cache_read_input_tokens":64,"cache_creation_input_tokens":0,"output_tokens":16}}',
  },
  {
    name: "Messages SSE, where the last event counts",
    text: [
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":90,"output_tokens":1}}}',
      'event: message_delta\ndata: {"type":"message_delta","usage":{"input_tokens":36,"cache_read_input_tokens":64,"output_tokens":16}}',
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    ].join("\n\n"),
  },
  { name: "the last of several", text: `data: {"usage":{"prompt_tokens":1}}\n\ndata: {"usage":${chatUsage}}\n\n` },
  {
    name: "text that looks like usage",
    text: `{"choices":[{"message":{"content":"\\"usage\\": {\\"prompt_tokens\\": 7}"}}],"usage":${chatUsage},"note":"\\"usage\\":{}"}`,
  },
  {
    name: "a schema property of that name, before and after",
    text: `{"tools":[{"usage":{"type":"object","x":"}"}}],"usage":${chatUsage},"text":{"usage":{"input_tokens":{}}}}`,
  },
  { name: "a key that only begins like it", text: `{"usages":{"prompt_tokens":7},"us":1,"usage":${chatUsage}}` },
  { name: "the key as a value", text: `{"a":"usage","b":["usage"],"usage":${chatUsage}}` },
];

it.each(["1e999", "1.5", "-1", "9007199254740993", '"7"'])("takes %s for no count", (text) => {
  expect(scan(`{"usage":{"prompt_tokens":${text}}}`).usage).toBeUndefined();
  expect(scan(`{"usage":{"prompt_tokens":5,"completion_tokens":${text}}}`).usage?.outputTokens).toBeUndefined();
});

describe("UsageScanner", () => {
  it.each(found)("reads $name", ({ text }) => {
    expect(scan(text).usage).toEqual(expected);
  });

  it.each(found)("reads $name in single bytes", ({ text }) => {
    const bytes = Buffer.byteLength(text);
    expect(
      scan(
        text,
        Array.from({ length: bytes }, (_, index) => index),
      ).usage,
    ).toEqual(expected);
  });

  it("reads the same however the response is cut", () => {
    const cases = fc.constantFrom(...found.map(({ text }) => text));
    fc.assert(
      fc.property(cases, fc.array(fc.nat(), { maxLength: 12 }), (text, cuts) => {
        expect(scan(text, cuts).usage).toEqual(expected);
      }),
    );
  });

  it("finds the counts behind an event longer than any buffer", () => {
    const text = `data: {"response":{"output":"${"x".repeat(2_000_000)}","usage":${responsesUsage}}}\n\n`;
    expect(scan(text, [700_000, 1_400_000]).usage).toEqual(expected);
  });

  it("reads a response full of beginnings once", () => {
    const scanner = new UsageScanner();
    const chunk = Buffer.from(`${'{"usage":'.repeat(200_000)}`);
    scanner.scan(chunk);
    scanner.scan(Buffer.from(`"}}}\n{"usage":${chatUsage}}`));
    expect(scanner.sawTooLarge).toBe(true);
  });

  it("leaves out what the worker does not tell", () => {
    expect(scan('{"usage":{"prompt_tokens":5}}').usage).toEqual({
      inputTokens: 5,
      cachedTokens: undefined,
      outputTokens: undefined,
    });
  });

  it.each([
    '{"usage":null}',
    '{"usage":{}}',
    '{"usage":{"prompt_tokens":"5"}}',
    '{"usage":{"prompt_tokens":-1}}',
    "{}",
    "",
  ])("finds nothing in %s", (text) => {
    expect(scan(text)).toMatchObject({ usage: undefined, sawTooLarge: false });
  });

  it("reads an object up to the length that it is given", () => {
    const object = `{"prompt_tokens":5,"x":"${"y".repeat(500)}"}`;
    const longEnough = new UsageScanner(object.length);
    longEnough.scan(Buffer.from(`{"usage":${object}}`));
    expect(longEnough.usage?.inputTokens).toBe(5);
    const tooShort = new UsageScanner(object.length - 1);
    tooShort.scan(Buffer.from(`{"usage":${object}}`));
    expect(tooShort).toMatchObject({ usage: undefined, sawTooLarge: true });
  });

  it("gives up an object that does not end, and goes on behind it", () => {
    const scanner = scan(`{"usage":{"a":"${"x".repeat(20_000)}`, [8_000]);
    expect(scanner).toMatchObject({ usage: undefined, sawTooLarge: true });
    scanner.scan(Buffer.from(`"}} {"usage":${chatUsage}}`));
    expect(scanner.usage).toEqual(expected);
  });
});
