import { describe, expect, it } from "vitest";
import { KeyReader } from "../../../src/top/keys.ts";

const names = (text: string) => new KeyReader().push(text).map((key) => ("name" in key ? key.name : key.character));

describe("keys", () => {
  it.each([
    ["\u001b[A", ["up"]],
    ["\u001bOB", ["down"]],
    ["\u001b[1;5C", ["right"]],
    ["\u001b[5~\u001b[6~", ["pageUp", "pageDown"]],
    ["\u001b[1~\u001b[4~\u001bOH\u001bOF", ["home", "end", "home", "end"]],
    ["\u001b[Z", ["backTab"]],
    ["\r\t\u007f\u0003\u001a\u000c", ["enter", "tab", "backspace", "interrupt", "suspend", "redraw"]],
    ["q漢👍", ["q", "漢", "👍"]],
    ["\u001b[15~x", ["x"]],
    ["\u001bbx", ["x"]],
    ["\u0000\u0001", []],
    ["\u001b\u001b[A", ["escape", "up"]],
    ["\u001b\u0003", ["escape", "interrupt"]],
    ["\u001b[1;\u0003", ["interrupt"]],
    ["\u001bO\u0003", ["interrupt"]],
    [`\u001b[${"1;".repeat(100)}\u0003x`, ["interrupt", "x"]],
    [`\u001b[${"1;".repeat(100)}Ax`, ["x"]],
  ])("%j are %o", (text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it("are whole though their sequences came in parts", () => {
    const reader = new KeyReader();
    expect(reader.push("\u001b")).toEqual([]);
    expect(reader.isWaiting).toBe(true);
    expect(reader.push("[")).toEqual([]);
    expect(reader.push("B")).toEqual([{ name: "down" }]);
    expect(reader.isWaiting).toBe(false);
  });

  it("are Esc where nothing follows an ESC, and nothing where a sequence has no end", () => {
    const reader = new KeyReader();
    reader.push("\u001b");
    expect(reader.flush()).toEqual([{ name: "escape" }]);
    reader.push("\u001b[1");
    expect(reader.flush()).toEqual([]);
    expect(reader.push(`\u001b[${"1;".repeat(100)}`)).toEqual([]);
    expect(reader.isWaiting).toBe(false);
  });
});
