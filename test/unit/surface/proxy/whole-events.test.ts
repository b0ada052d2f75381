import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WholeEvents } from "../../../../src/surface/proxy/whole-events.ts";

/** What is passed on after each chunk. */
function pass(chunks: readonly string[], maxHeldBytes = 1_000): { passed: readonly string[]; events: WholeEvents } {
  const events = new WholeEvents(maxHeldBytes);
  return { passed: chunks.map((chunk) => events.take(Buffer.from(chunk))?.toString() ?? ""), events };
}

describe("WholeEvents", () => {
  it.each([
    [["data: a\n\n"], ["data: a\n\n"]],
    [["data: a\r\n\r\n"], ["data: a\r\n\r\n"]],
    [
      ["data: a\n", "\n"],
      ["", "data: a\n\n"],
    ],
    [
      ["data: a\r\n\r", "\n"],
      ["", "data: a\r\n\r\n"],
    ],
    [["data: a\n\ndata: b"], ["data: a\n\n"]],
    [
      ["data: a\n\ndata: b", "\n\n"],
      ["data: a\n\n", "data: b\n\n"],
    ],
    [
      ["event: x\n", "data: a\n\nevent: y\n"],
      ["", "event: x\ndata: a\n\n"],
    ],
    [["data: a\n\n\n"], ["data: a\n\n\n"]],
    [["a\nb"], [""]],
  ])("passes %j as %j", (chunks, passed) => {
    expect(pass(chunks).passed).toEqual(passed);
  });

  it("loses and changes nothing, however the bytes come, and passes whole events only", () => {
    const event = fc.constantFrom(
      "data: a\n\n",
      "event: e\ndata: {}\n\n",
      ": p\r\n\r\n",
      "data: b\r\n\r\n",
      "id: 1\n\n",
    );
    fc.assert(
      fc.property(
        fc.array(event),
        fc.array(fc.nat()),
        fc.constantFrom("", "data: half", "data: x\n"),
        (list, cuts, rest) => {
          const text = list.join("") + rest;
          const ends = [...new Set([...cuts.map((cut) => cut % (text.length + 1)), text.length])].sort((a, b) => a - b);
          const events = new WholeEvents(10_000);
          let passed = "";
          let start = 0;
          for (const end of ends) {
            passed += events.take(Buffer.from(text.slice(start, end)))?.toString() ?? "";
            start = end;
            expect(passed === "" || /\n\r?\n$/.test(passed)).toBe(true);
            expect(events.endsWithin).toBe(false);
          }
          expect(passed + (events.rest()?.toString() ?? "")).toBe(text);
          expect(passed.length).toBeGreaterThanOrEqual(list.join("").length);
        },
      ),
    );
  });

  it("passes a long event in pieces, and knows it until its end", () => {
    const { passed, events } = pass(["data: 0123456789", "0123456789", "\n\n"], 20);
    expect(passed.slice(0, 2)).toEqual(["", "data: 01234567890123456789"]);
    expect(passed.join("")).toBe("data: 01234567890123456789\n\n");
    expect(events.endsWithin).toBe(false);
    expect(pass(["data: 0123456789", "0123456789"], 20).events.endsWithin).toBe(true);
  });

  it("gives up what it holds when told", () => {
    const { events } = pass(["data: a"]);
    expect([events.isHolding, events.giveUp().toString(), events.isHolding, events.endsWithin]).toEqual([
      true,
      "data: a",
      false,
      true,
    ]);
  });
});
