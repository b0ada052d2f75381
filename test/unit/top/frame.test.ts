import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Canvas } from "../../../src/top/canvas.ts";
import { frameText } from "../../../src/top/frame.ts";
import { safeText } from "../../../src/top/safe-text.ts";
import { bold, green, plain, red, reverse } from "../../../src/top/style.ts";
import { TerminalScreen } from "../../support/terminal/screen.ts";

const [columns, rows] = [24, 6];

interface Piece {
  readonly row: number;
  readonly column: number;
  readonly text: string;
  readonly style: number;
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom("漢字", "gpu-0", "👩‍👧 a", "é", "한국어", "█▌", "a漢b"),
);
const piece = fc.record({
  row: fc.integer({ min: -1, max: rows }),
  column: fc.integer({ min: 0, max: columns }),
  text: text.map(safeText),
  style: fc.constantFrom(plain, bold, reverse, red, green | bold),
});
const frame = fc.array(piece, { maxLength: 12 });

function drawn(pieces: readonly Piece[]): Canvas {
  const canvas = new Canvas(columns, rows);
  for (const { row, column, text: written, style } of pieces) canvas.put(row, column, written, style);
  return canvas;
}

describe("a frame", () => {
  it("makes any screen into any other", () => {
    fc.assert(
      fc.property(fc.tuple(frame, frame), ([first, second]) => {
        const [before, after] = [drawn(first), drawn(second)];
        const screen = new TerminalScreen(columns, rows);
        screen.write(frameText(undefined, before, true));
        expect(screen.lines).toEqual(before.lines());
        screen.write(frameText(before, after, true));
        expect(screen.lines).toEqual(after.lines());
        expect(screen.isPlain).toBe(true);
      }),
    );
  });

  it("is nothing where nothing differs, and little where little does", () => {
    const [before, after] = [drawn([]), drawn([{ row: 2, column: 3, text: "7", style: plain }])];
    expect(frameText(before, drawn([]), true)).toBe("");
    const screen = new TerminalScreen(columns, rows);
    screen.write(frameText(before, after, true));
    expect(screen.written).toEqual({ cells: 1, clears: 0 });
  });

  it("draws all of it where the size has changed", () => {
    const screen = new TerminalScreen(columns, rows);
    screen.write(frameText(new Canvas(columns + 1, rows), drawn([]), true));
    expect(screen.written.clears).toBe(1);
  });

  it("keeps what is behind a character in its column, however wide the terminal takes it for", () => {
    const after = drawn([
      { row: 0, column: 0, text: "漢字👩‍👧e\u0301", style: plain },
      { row: 0, column: 12, text: "|", style: plain },
    ]);
    for (const width of [1, 2]) {
      const screen = new TerminalScreen(columns, rows, { widthOf: (c) => (/^[\x20-\x7e]$/.test(c) ? 1 : width) });
      screen.write(frameText(undefined, after, true));
      expect(screen.at(0, 12)).toBe("|");
    }
  });

  it("has no colours where none are wanted, and is told apart all the same", () => {
    const screen = new TerminalScreen(columns, rows);
    const after = drawn([{ row: 0, column: 0, text: "x".repeat(columns), style: red | reverse }]);
    screen.write(frameText(undefined, after, false));
    expect(screen.colours.size).toBe(0);
    expect(screen.reversedLines).toEqual(["x".repeat(columns)]);
  });
});

describe("a canvas", () => {
  it("cuts off what has no room, with a mark", () => {
    const canvas = new Canvas(8, 1);
    canvas.put(0, 0, "abcdefghij");
    expect(canvas.lines()).toEqual(["abcdefg…"]);
    expect(new Canvas(3, 1).put(0, 0, "abc")).toBe(3);
  });

  it("halves no wide character", () => {
    const canvas = new Canvas(4, 1);
    canvas.put(0, 0, "a漢字");
    expect(canvas.lines()).toEqual(["a漢…"]);
    const narrow = new Canvas(4, 1);
    narrow.put(0, 0, "漢字漢");
    expect(narrow.lines()).toEqual(["漢…"]);
  });
});
