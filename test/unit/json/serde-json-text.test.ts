import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { parseJson, stringifyJson } from "../../../src/json/index.ts";
import { serdeJsonText, serdeValue } from "../../../src/json/serde-json-text.ts";

// Seen in the prompts that the Dynamo 1.6.1 frontend made of tool calls with these numbers.
it.each([
  ["1.0", "1.0"],
  ["100.0", "100.0"],
  ["-0", "-0.0"],
  ["-0.0", "-0.0"],
  ["0.0", "0.0"],
  ["0", "0"],
  ["1e5", "100000.0"],
  ["-1.50", "-1.5"],
  ["1.5e-09", "1.5e-9"],
  ["1e-05", "0.00001"],
  ["1.5e-5", "0.000015"],
  ["123456.789e-10", "0.0000123456789"],
  ["1e-06", "1e-6"],
  ["1e15", "1000000000000000.0"],
  ["1e16", "1e+16"],
  ["12345678901234567.0", "1.2345678901234566e+16"],
  ["1234567890123456.7", "1234567890123456.8"],
  ["123456789012345680000", "1.2345678901234567e+20"],
  ["18446744073709551615", "18446744073709551615"],
  ["18446744073709551616", "1.8446744073709552e+19"],
  ["-9223372036854775808", "-9223372036854775808"],
  ["-9223372036854775809", "-9.223372036854776e+18"],
  ["9007199254740993", "9007199254740993"],
  ["5e-324", "5e-324"],
  ["1.7976931348623157e308", "1.7976931348623157e+308"],
  ["2.5E+3", "2500.0"],
])("writes the number %s as %s", (source, text) => {
  expect(serdeJsonText(parseJson(Buffer.from(`[${source}]`)))).toBe(`[${text}]`);
});

it("keeps the order of members and escapes only what JSON must", () => {
  const source = '{ "b" : 1.50, "10": [true, null, "a\\u00e9\\u007f\\u0001\\n/<"], "9": {} }';
  expect(serdeJsonText(parseJson(Buffer.from(source)))).toBe('{"b":1.5,"10":[true,null,"aé\x7f\\u0001\\n/<"],"9":{}}');
});

// Seen in tool schemas that the frontend printed.
it("gives to templates the doubles that the frontend reads", () => {
  const value = parseJson(Buffer.from('{"maximum":3.4028234663852886e38,"step":1.50,"n":12345678901234567890}'));
  expect(stringifyJson(serdeValue(value))).toBe(
    '{"maximum":3.402823466385289e+38,"step":1.50,"n":12345678901234567890}',
  );
});

it("leaves a value without such numbers as it is", () => {
  const value = parseJson(Buffer.from('{"a":[1,{"b":0.25}],"c":"3.4028234663852886e38"}'));
  expect(serdeValue(value)).toBe(value);
});
