import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tokenDataEdit } from "../../../src/api/index.ts";
import { applyEdit, JsonObject, parseJson } from "../../../src/json/index.ts";

function inject(text: string, ids: readonly number[]): string {
  const body = Buffer.from(text);
  const root = parseJson(body);
  if (!(root instanceof JsonObject)) throw new TypeError("not an object");
  return applyEdit(body, tokenDataEdit(body, root, { ids: () => Uint32Array.from(ids) })).toString();
}

/** With the digits given, as a tokenizer's cache has them. */
function injectDecimals(text: string, ids: readonly number[]): string {
  const body = Buffer.from(text);
  const root = parseJson(body);
  if (!(root instanceof JsonObject)) throw new TypeError("not an object");
  const decimals = () => ids.map((id) => Buffer.from(`,${id}`));
  return applyEdit(body, tokenDataEdit(body, root, { ids: () => Uint32Array.from(ids), decimals })).toString();
}

describe("tokenDataEdit", () => {
  it.each([
    ["no nvext", '{"a": 1.0 }', '{"a": 1.0 ,"nvext":{"token_data":[7,10]}}'],
    ["an empty body object", "{ }", '{ "nvext":{"token_data":[7,10]}}'],
    ["nvext null", '{"nvext" : null , "a":1}', '{"nvext" : {"token_data":[7,10]} , "a":1}'],
    ["an empty nvext", '{"nvext":{ },"a":1}', '{"nvext":{ "token_data":[7,10]},"a":1}'],
    ["a filled nvext", '{"nvext":{"x":{"y":1}}}', '{"nvext":{"x":{"y":1},"token_data":[7,10]}}'],
    ["token_data null", '{"nvext":{"token_data":null,"x":1}}', '{"nvext":{"token_data":[7,10],"x":1}}'],
    ["old token_data", '{"nvext":{"token_data" :\n[ 1 ]}}', '{"nvext":{"token_data" :\n[7,10]}}'],
    [
      "nvext twice: the last counts",
      '{"nvext":{},"nvext":{"a":1}}',
      '{"nvext":{},"nvext":{"a":1,"token_data":[7,10]}}',
    ],
    ["other text before", '{"é":"😀","nvext":{}}', '{"é":"😀","nvext":{"token_data":[7,10]}}'],
  ])("%s", (_, before, after) => {
    expect(inject(before, [7, 10])).toBe(after);
    expect(injectDecimals(before, [7, 10])).toBe(after);
  });

  it("writes no ids as an empty list", () => {
    expect(injectDecimals("{}", [])).toBe('{"nvext":{"token_data":[]}}');
    expect(inject("{}", [])).toBe('{"nvext":{"token_data":[]}}');
  });

  it("writes every u32 as JSON.stringify does", () => {
    const powers = [0, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 4_294_967_295];
    expect(inject("{}", powers)).toBe(`{"nvext":{"token_data":${JSON.stringify(powers)}}}`);
    const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
    fc.assert(
      fc.property(fc.array(fc.oneof(u32, fc.nat({ max: 150_000 }))), (ids) => {
        expect(inject('{"m":1}', ids)).toBe(`{"m":1,"nvext":{"token_data":${JSON.stringify(ids)}}}`);
      }),
    );
  });
});
