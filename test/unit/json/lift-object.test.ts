import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { liftObject } from "../../../src/json/index.ts";

const lift = (text: string) => {
  const { rest, object } = liftObject(Buffer.from(text), "request", "body");
  return { rest: rest.toString(), object: object?.toString() };
};

describe("liftObject", () => {
  it("cuts out the object byte for byte, wherever it stands and whatever is in it", () => {
    const others = (name: string) =>
      fc.dictionary(
        fc.string().filter((key) => key !== name),
        fc.jsonValue(),
      );
    const space = fc.constantFrom("", " ", "\n\t");
    const inner = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(
        others("request"),
        others("request"),
        others("body"),
        others("body"),
        inner,
        space,
        (a, b, c, d, object, gap) => {
          const cut = (value: object) => JSON.stringify(value).slice(1, -1);
          const join = (...parts: string[]) =>
            `{${gap}${parts.filter((part) => part !== "").join(`${gap},${gap}`)}${gap}}`;
          const body = JSON.stringify(object, null, gap === "" ? 0 : 2);
          const request = join(cut(c), `"body"${gap}:${gap}${body}`, cut(d));
          const lifted = lift(`${gap}${join(cut(a), `"request"${gap}:${gap}${request}`, cut(b))}`);
          expect(lifted.object).toBe(body);
          expect(JSON.parse(lifted.rest)).toEqual(
            JSON.parse(JSON.stringify({ ...a, request: { ...c, body: {}, ...d }, ...b })),
          );
        },
      ),
    );
  });

  it.each([
    { name: "no request", text: '{"body":{"a":1}}' },
    { name: "a request that is no object", text: '{"request":[{"body":{"a":1}}]}' },
    { name: "a body that is a text", text: '{"request":{"body":"{\\"a\\":1}"}}' },
    { name: "a body deeper down", text: '{"request":{"x":{"body":{"a":1}}}}' },
    { name: "two bodies", text: '{"request":{"body":{"a":1},"body":{"b":1}}}' },
    { name: "two requests", text: '{"request":{"body":{"a":1}},"request":{"body":{"b":1}}}' },
    { name: "a body that does not end", text: '{"request":{"body":{"a":1' },
    { name: "a text that does not end", text: '{"request":{"body":{"a":"1}}}' },
    { name: "no JSON", text: "request body" },
    { name: "nothing", text: "" },
  ])("leaves everything where there is $name", ({ text }) => {
    expect(lift(text)).toEqual({ rest: text, object: undefined });
  });

  it("leaves it to the parser to find that the rest does not end", () => {
    expect(lift('{"request":{"body":{"a":1}')).toEqual({ rest: '{"request":{"body":{}', object: '{"a":1}' });
  });
});
