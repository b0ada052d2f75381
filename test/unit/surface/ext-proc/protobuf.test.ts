import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtobufReader, WireFormatError } from "../../../../src/surface/ext-proc/protobuf-reader.ts";
import { ProtobufWriter } from "../../../../src/surface/ext-proc/protobuf-writer.ts";

/** Reads on to the end, skipping everything. */
function readAll(hex: string): void {
  const reader = new ProtobufReader(Buffer.from(hex, "hex"));
  while (reader.next());
}

describe("ProtobufReader", () => {
  it.each([
    { name: "a tag that does not end", hex: "80" },
    { name: "a number of eleven bytes", hex: "08ffffffffffffffffffff01" },
    { name: "field 0", hex: "0200" },
    { name: "a field that passes the end", hex: "0a0261" },
    { name: "fixed numbers that pass the end", hex: "0d000000" },
    { name: "a wire type that does not exist", hex: "0e" },
    { name: "the end of a group that was not begun", hex: "0c" },
    { name: "a group with another's end", hex: "0b14" },
    { name: "a group without an end", hex: "0b08" },
    { name: "groups too deep in one another", hex: "0b".repeat(40) + "0c".repeat(40) },
  ])("refuses $name", ({ hex }) => {
    expect(() => readAll(hex)).toThrow(WireFormatError);
  });

  it.each([
    { name: "numbers", hex: "08ffffffffffffffffff01" },
    { name: "fixed numbers", hex: "0d000000000900000000000000 00".replaceAll(" ", "").slice(0, 28) },
    { name: "bytes", hex: "0a0161" },
    { name: "a group with fields in it", hex: "0b08010a01610d0000000013140c" },
  ])("skips $name", ({ hex }) => {
    expect(() => readAll(hex)).not.toThrow();
  });

  it("refuses a value of another kind than is asked for", () => {
    const reader = new ProtobufReader(Buffer.from("0801", "hex"));
    reader.next();
    expect(() => reader.text()).toThrow(WireFormatError);
  });

  it.each([
    { hex: "0800", isSet: false },
    { hex: "0801", isSet: true },
    { hex: "0880808080808001", isSet: true },
    { hex: "08808080808000", isSet: false },
  ])("reads $hex as $isSet", ({ hex, isSet }) => {
    const reader = new ProtobufReader(Buffer.from(hex, "hex"));
    reader.next();
    expect([reader.bool(), reader.next()]).toEqual([isSet, false]);
  });
});

describe("ProtobufWriter", () => {
  const writer = new ProtobufWriter();

  it("writes what the reader reads, and keeps nothing for the next message", () => {
    const part = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 60 }),
      fc.nat(2 ** 31 - 1),
      fc.tuple(fc.constantFrom(0, 3, 512, 513, 70_000), fc.nat(255)).map(([bytes, fill]) => Buffer.alloc(bytes, fill)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        for (const value of parts.toReversed()) {
          if (typeof value === "string") writer.textField(1, value);
          else if (typeof value === "number") writer.numberField(2, value);
          else writer.bytesField(3, value);
        }
        const reader = new ProtobufReader(writer.takeCopy());
        for (const value of parts) {
          expect(reader.next()).toBe(true);
          if (typeof value === "string") expect(reader.text()).toBe(value);
          else if (typeof value === "number") expect(reader.uint32()).toBe(value);
          else expect(reader.view().equals(value)).toBe(true);
        }
        expect(reader.next()).toBe(false);
        expect(writer.length).toBe(0);
      }),
    );
  });
});
