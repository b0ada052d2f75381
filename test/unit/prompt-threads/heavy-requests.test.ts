import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { JsonReader } from "../../../src/json/index.ts";
import { HeavyRequests, type PreparedMessage } from "../../../src/prompt-threads/index.ts";
import { ModelRegistry } from "../../../src/router/index.ts";

const limits = { lightBytes: 16_384, maxNewBytes: 131_072, maxRecords: 4096, maxBytes: 1_048_576 };

function heavyRequests(reader = new JsonReader()): HeavyRequests {
  const unused = {
    prepare(): Promise<PreparedMessage> {
      throw new Error("not asked for");
    },
  };
  const parts = { exact: unused, official: unused, check: { consider: () => undefined } };
  return new HeavyRequests(new ModelRegistry([]), reader, limits, parts);
}

const chat = (messages: readonly object[], more: object = {}) => JSON.stringify({ model: "m", messages, ...more });
const user = (content: unknown) => ({ role: "user", content });
const called = (text: string) => ({
  role: "assistant",
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: text } }],
});
const times = <T>(count: number, item: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const words = (bytes: number, seed = "") =>
  times(Math.ceil(bytes / 10), (i) => `${seed}word${i} `)
    .join("")
    .slice(0, bytes);
const tool = (index: number) => ({
  type: "function",
  function: {
    name: `f${index}`,
    parameters: { type: "object", properties: { a: { type: "string", enum: ["x", "y"] } } },
  },
});

describe("what the main thread does not read", () => {
  const bytes = 4_000_000;
  it.each<[string, string]>([
    ["one message", chat([user(words(bytes))])],
    ["many messages", chat(times(bytes / 60, (i) => user(`message number ${i}`)))],
    ["many parts", chat([user(times(bytes / 40, (i) => ({ type: "text", text: `part ${i}` })))])],
    ["text without a place to cut it", chat([user("a".repeat(bytes))])],
    ["runs of combining marks", chat([user(`a${"\u0301\u0323".repeat(bytes / 4)}`)])],
    ["many tools", chat([user("hi")], { tools: times(bytes / 150, tool) })],
    ["a prompt to complete", JSON.stringify({ model: "m", prompt: words(bytes) })],
    ["token ids", JSON.stringify({ model: "m", prompt: times(bytes / 7, (i) => 100_000 + (i % 1000)) })],
    ["Responses items", JSON.stringify({ model: "m", input: times(bytes / 60, (i) => user(`item number ${i}`)) })],
    ["no JSON at all", "[".repeat(bytes)],
    ["escapes", chat([user("\n\t".repeat(bytes / 2))])],
    ["Chinese", chat([user("中文".repeat(bytes / 6))])],
  ])("4 MB of %s, met before or not", (_, body) => {
    const heavy = heavyRequests();
    expect(heavy.takes(Buffer.from(body))).toBe(true);
    expect(heavy.takes(Buffer.from(body))).toBe(true);
  });

  it.each<[string, string]>([
    ["200 KB of new text", chat([user(words(200_000))])],
    ["200 KB that are no JSON", `{"model":"m","messages":[${"[".repeat(200_000)}`],
    ["100 KB in many messages", chat(times(2500, (i) => user(`m ${i}`)))],
    ["20 KB of numbers in the arguments of a call", chat([called(`{"a":[${times(10_000, () => 1)}]}`)])],
    ["20 KB of numbers", JSON.stringify({ model: "m", prompt: times(10_000, () => 1) })],
  ])("%s", (_, body) => {
    expect(heavyRequests().takes(Buffer.from(body))).toBe(true);
  });
});

describe("what the main thread reads itself", () => {
  it.each<[string, string]>([
    ["a small body, whatever it holds", `[${"1,".repeat(8000)}1]`],
    ["a file in the arguments of a call", chat([called(JSON.stringify({ file: "[1, 2, 3],\n".repeat(8000) }))])],
    ["128 KiB of new text", chat([user(words(130_000))])],
    ["100 KB that are no JSON: they are refused at once", `{"model":"m","messages":[${"[".repeat(100_000)}`],
  ])("%s", (_, body) => {
    expect(heavyRequests().takes(Buffer.from(body))).toBe(false);
  });

  it("the next turn of a long conversation", () => {
    const heavy = heavyRequests();
    const history = times(20, (i) => user(words(20_000, `turn ${i} `)));
    expect(heavy.takes(Buffer.from(chat(history)))).toBe(true);
    expect(heavy.takes(Buffer.from(chat([...history, user(words(100_000, "new "))])))).toBe(false);
    expect(heavy.takes(Buffer.from(chat([...history, user(words(140_000, "newer "))])))).toBe(true);
  });
});
