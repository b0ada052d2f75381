import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newRoom, newTimedId } from "../../../../../src/surface/proxy/disaggregated/ids.ts";
import { outlineOf, rawMember } from "../../../../../src/surface/proxy/disaggregated/request-outline.ts";

describe("outlineOf", () => {
  it.each([
    ["chat", "{}", { prompts: undefined, answers: 1 }],
    ["chat", '{"n":4,"prompt":["a","b"]}', { prompts: undefined, answers: 4 }],
    ["chat", '{"n":"4"}', { answers: 1 }],
    ["chat", '{"n":0}', { answers: 1 }],
    ["chat", '{"n":2.5}', { answers: 1 }],
    ["chat", '{"n":9,"n":null}', { answers: 1 }],
    ["completions", '{"prompt":"[1]"}', { prompts: undefined }],
    ["completions", '{"prompt":[ 1,2]}', { prompts: undefined }],
    ["completions", '{"prompt":[]}', { prompts: undefined }],
    ["completions", '{"prompt":[ "a" , "b,]" ],"n":3}', { prompts: 2, answers: 3 }],
    ["generate", '{"text":"a","sampling_params":{"n":3},"n":7}', { prompts: undefined, answers: 3 }],
    ["generate", '{"input_ids":[[1],[2,3]],"return_logprob":[false,true]}', { prompts: 2, wantsPromptLogprobs: true }],
    ["generate", '{"return_logprob":false}', { wantsPromptLogprobs: false }],
    [
      "completions",
      '{"return_logprob":true,"use_beam_search":true}',
      { wantsPromptLogprobs: false, isBeamSearch: true },
    ],
    ["responses", '{"request_id":"___x"}', { requestId: "___x", isBeamSearch: false }],
  ] as const)("of %s %s", (format, body, expected) => {
    expect(outlineOf(Buffer.from(body), format)).toMatchObject(expected);
  });

  it("counts the prompts of any array of texts as JSON.parse does, whatever its size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string(), { minLength: 1 }), fc.constantFrom(0, 600_000), async (prompt, more) => {
        const body = Buffer.from(JSON.stringify({ pad: "x".repeat(more), prompt }));
        expect(await outlineOf(body, "completions")).toMatchObject({ prompts: prompt.length });
      }),
      { numRuns: 30 },
    );
  });

  it.each(["", "[", "{", "null", '{"n":', '{"prompt":["', "\u0000"])("survives what is no JSON: %j", (text) => {
    expect(outlineOf(Buffer.from(text), "completions")).toMatchObject({ answers: 1 });
  });
});

describe("rawMember", () => {
  it.each([
    ['{"a":{"k":1},"k": {"x" : 1.0} }', '{"x" : 1.0}'],
    ['{"k":1,"k":2}', "2"],
    ['{"k":null}', undefined],
    ['{"k":{oops}', undefined],
    ['{"K":1}', undefined],
    ["", undefined],
  ])("of %s is %s", (text, expected) => {
    expect(rawMember(Buffer.from(text), "k")?.toString()).toBe(expected);
  });
});

describe("ids", () => {
  it("of rooms use all 63 bits and no more", () => {
    const rooms = Array.from({ length: 500 }, newRoom);
    expect(rooms.every((room) => room >= 0n && room < 2n ** 63n)).toBe(true);
    expect(rooms.reduce((a, b) => a | b)).toBe(2n ** 63n - 1n);
  });

  it("of transfers are UUIDs of version 7", () => {
    const before = Date.now();
    const id = newTimedId();
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    const ms = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(Date.now());
  });
});
