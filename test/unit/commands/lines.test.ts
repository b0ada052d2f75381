import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { LineError, lines } from "../../../src/commands/lines.ts";

it.each([
  { name: "at newlines only", chunks: ["a\u2028b\nc\r\n", "d"], expected: ["a\u2028b", "c\r", "d"] },
  { name: "across chunks", chunks: ["a", "b\n", "\nc"], expected: ["ab", "", "c"] },
])("splits $name", async ({ chunks, expected }) => {
  expect(await Array.fromAsync(lines(Readable.from(chunks.map((chunk) => Buffer.from(chunk)))))).toEqual(expected);
});

it("keeps characters whole that a chunk cuts", async () => {
  const bytes = Buffer.from("é\nü");
  const chunks = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
  expect(await Array.fromAsync(lines(Readable.from(chunks)))).toEqual(["é", "ü"]);
});

it("takes time by a line's length, not by its square", async () => {
  const spentMs = async (count: number) => {
    const pieces = Array.from({ length: count }, () => Buffer.alloc(4_096, "x"));
    const start = process.cpuUsage();
    const [line] = await Array.fromAsync(lines(Readable.from(pieces)));
    expect(line?.length).toBe(count * 4_096);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  await spentMs(500);
  expect(await spentMs(8_000)).toBeLessThan(3_000);
});

it.each([
  { chunks: ["abcd\n", "abc", "de"], line: 2 },
  { chunks: ["abcde\na"], line: 1 },
  { chunks: ["a\n\néé€"], line: 3 },
])("refuses a line that is too long by its number, and reads no further: $chunks", async ({ chunks, line }) => {
  const left = [...chunks, "never read"];
  const input = (async function* () {
    for (let next = left.shift(); next !== undefined; next = left.shift()) yield Buffer.from(next);
  })();
  await expect(Array.fromAsync(lines(input, 4))).rejects.toThrow(new LineError(line, 4));
  expect(left).toEqual(["never read"]);
});

it("takes a line of the very length", async () => {
  expect(await Array.fromAsync(lines(Readable.from([Buffer.from("abcd\nef"), Buffer.from("gh")]), 4))).toEqual([
    "abcd",
    "efgh",
  ]);
});
