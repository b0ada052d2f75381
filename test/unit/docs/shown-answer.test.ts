import { describe, expect, it } from "vitest";
import { differenceFrom } from "../../e2e/docs/support/shown-answer.ts";

const json = (shown: string, printed: string) => differenceFrom({ language: "json", text: shown }, printed);
const text = (shown: string, printed: string) => differenceFrom({ language: "text", text: shown }, printed);

describe("comparing a shown answer", () => {
  it("of JSON by value, whatever its form", () => {
    expect(json('{"a": [1, {"b": null}]}', '{ "a":[1,{"b":null}] }\n')).toBeUndefined();
    expect(json('{"a": 0.1, "id": "…"}', '{"a":0.10000000000000002,"id":"x-7"}')).toBeUndefined();
  });

  it.each([
    ['{"a": 1}', '{"a": 2}', "/a is 2"],
    ['{"a": 1}', '{"a": 1, "b": 2}', "/b is 2"],
    ['{"a": 1, "b": 2}', '{"a": 1}', "/b is undefined"],
    ['{"a": [1]}', '{"a": {"0": 1}}', '/a is {"0":1}'],
    ['{"a": 1}', '{"a": "1"}', '/a is "1"'],
    ['{"a": 1}', "gone", "not JSON"],
  ])("%s is not %s", (shown, printed, difference) => {
    expect(json(shown, printed)).toContain(difference);
  });

  it("of text by letters, where an ellipsis stands for anything", () => {
    expect(text("took … ms (a+b)\nend\n", "took 12.5 ms (a+b)\nend\n")).toBeUndefined();
    expect(text("took … ms\n", "took 12 ms\nmore\n")).toContain("more");
    expect(text("a.c", "abc")).toContain("abc");
  });
});
