import { PassThrough } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { expect, it } from "vitest";
import { Terminal } from "../../../src/top/index.ts";

/** What a terminal is besides a stream. */
function ttyStream(): PassThrough {
  return Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
}

function listeners(stream: PassThrough): Record<string, number> {
  return Object.fromEntries(stream.eventNames().map((name) => [String(name), stream.listenerCount(name)]));
}

it("listens once, however often it was left and entered again", () => {
  const [input, output] = [ttyStream(), ttyStream()];
  let lost = 0;
  const terminal = new Terminal(input as unknown as ReadStream, output as unknown as WriteStream, true, {
    keys: () => undefined,
    changed: () => undefined,
    lost: () => lost++,
  });
  terminal.enter();
  const first = [listeners(input), listeners(output)];
  for (let i = 0; i < 12; i++) {
    terminal.leave();
    terminal.enter();
  }
  expect([listeners(input), listeners(output)]).toEqual(first);
  input.emit("error", new Error("gone"));
  expect(lost).toBe(1);
  // After it was left, too, an error ends nothing but itself.
  terminal.leave();
  output.emit("error", new Error("gone"));
  expect(lost).toBe(2);
});
