import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ModelRestorer } from "../../../src/http/index.ts";

/** The answer as it comes out, in the given pieces. */
function restored(pieces: readonly Buffer[], target = "base", requested = "alias"): string {
  const restorer = new ModelRestorer(target, requested);
  return Buffer.concat([...pieces.map((piece) => restorer.take(piece)), restorer.rest()]).toString();
}

const whole = (text: string) => restored([Buffer.from(text)]);

describe("ModelRestorer", () => {
  // Expected texts are written by hand.
  it.each([
    {
      name: "a whole answer",
      text: '{"id":"1","model":"base","choices":[]}',
      out: '{"id":"1","model":"alias","choices":[]}',
    },
    { name: "spaces", text: '{"model" :\t "base"}', out: '{"model" :\t "alias"}' },
    { name: "escapes", text: '{"model":"b\\u0061se"}', out: '{"model":"alias"}' },
    {
      name: "every event of a stream",
      text: 'data: {"model":"base","a":1}\n\ndata: {"model":"base"}\n\ndata: [DONE]\n\n',
      out: 'data: {"model":"alias","a":1}\n\ndata: {"model":"alias"}\n\ndata: [DONE]\n\n',
    },
    {
      name: "an inner object, as events of Responses have",
      text: '{"response":{"model":"base"}}',
      out: '{"response":{"model":"alias"}}',
    },
  ])("changes $name", ({ text, out }) => {
    expect(whole(text)).toBe(out);
  });

  it.each([
    { name: "another model", text: '{"model":"base-2"}' },
    { name: "text that reads like a member", text: '{"text":"\\"model\\":\\"base\\""}' },
    { name: "a key that ends alike", text: '{"x\\"model":"base"}' },
    { name: "a value", text: '{"a":"model","b":"base"}' },
    { name: "no string", text: '{"model":{"model":1}}' },
    { name: "a half member at the end", text: '{"model":"ba' },
    { name: "a half key at the end", text: '{"mod' },
    { name: "many spaces", text: `{"model":${" ".repeat(500)}"base"}` },
  ])("does not touch $name", ({ text }) => {
    expect(whole(text)).toBe(text);
  });

  it("writes a client's name as JSON", () => {
    expect(restored([Buffer.from('{"model":"base"}')], "base", 'a"\n')).toBe('{"model":"a\\"\\n"}');
  });

  it("passes on at once what can be no member", () => {
    const restorer = new ModelRestorer("base", "alias");
    expect(restorer.take(Buffer.from('{"a":"mod')).toString()).toBe('{"a":');
    expect(restorer.take(Buffer.from('x","model')).toString()).toBe('"modx",');
    expect(restorer.take(Buffer.from('":"base"')).toString()).toBe('"model":"alias"');
  });

  it("comes to the same in whatever pieces it comes", () => {
    const part = fc.constantFrom(
      '"model"',
      ":",
      " ",
      '"base"',
      '"',
      "\\",
      "model",
      "base",
      "{",
      "}",
      ",",
      "x",
      '\\"model\\":\\"base\\"',
      "ß",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 10 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.join(""));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        expect(restored(pieces)).toBe(restored([bytes]));
      }),
    );
  });

  it("holds little of an endless member", () => {
    const restorer = new ModelRestorer("base", "alias");
    const chunk = Buffer.from("x".repeat(1_000));
    const first = Buffer.from('{"model":"');
    let passed = restorer.take(first).length;
    for (let i = 0; i < 10; i++) passed += restorer.take(chunk).length;
    expect(first.length + 10_000 - passed).toBeLessThan(200);
  });
});
