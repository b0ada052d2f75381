import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { ProgressBar } from "../../../src/commands/progress-bar.ts";

const takeOff = "\r\u001b[2K";

function terminal(columns: number) {
  const output = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns });
  return {
    bar: new ProgressBar(output),
    drawn: () =>
      String(output.read() ?? "")
        .split(takeOff)
        .slice(1),
  };
}

describe("a progress bar", () => {
  it("is a bar and how much is done, of what", () => {
    const { bar, drawn } = terminal(80);
    bar.show("random", 0.5);
    bar.show("random", 1.7);
    bar.show("reading, 10 requests", undefined);
    bar.clear();
    expect(drawn()).toEqual([
      `${"█".repeat(15)}${"░".repeat(15)} 50 % random`,
      `${"█".repeat(30)} 100 % random`,
      "reading, 10 requests",
      "",
    ]);
  });

  it("is never longer than its line: the rest of it would stay", () => {
    for (const columns of [10, 20, 40, 41]) {
      const { bar, drawn } = terminal(columns);
      bar.show("a policy of a long name, 12 of 17", 0.3);
      bar.show("reading a trace, 1000000 requests", undefined);
      for (const line of drawn()) expect(line.length).toBeLessThan(columns);
    }
  });

  it("is drawn again only when it looks otherwise, and taken off only where it is", () => {
    const { bar, drawn } = terminal(80);
    bar.show("a", 0.101);
    bar.show("a", 0.102);
    bar.clear();
    bar.clear();
    expect(drawn()).toHaveLength(2);
  });
});
