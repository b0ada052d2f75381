import { Readable } from "node:stream";
import { expect, it } from "vitest";
import { lines } from "../../../src/commands/lines.ts";

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
