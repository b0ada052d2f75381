import { describe, expect, it } from "vitest";
import { pseudoTokenize } from "../../../src/sim-worker/index.ts";

function tokensOf(body: object): readonly number[][] {
  return pseudoTokenize("", Buffer.from(JSON.stringify(body))).map((ids) => Array.from(ids));
}

const user = (content: unknown) => ({ role: "user", content });

describe("pseudoTokenize", () => {
  it("packs four bytes into a token", () => {
    expect(tokensOf({ prompt: "abcde" })).toEqual([[0x64636261, 0x65]]);
  });

  it("begins the next turn with the tokens of the last one", () => {
    const first = tokensOf({ messages: [user("what is it?")] })[0] ?? [];
    const answer = { role: "assistant", content: "a pump" };
    const next = tokensOf({ messages: [user("what is it?"), answer, user("why?")] })[0] ?? [];
    const shared = first.findIndex((token, index) => token !== next[index]);
    expect(shared < 0 ? first.length : shared).toBeGreaterThanOrEqual(first.length - 1);
    expect(next.length).toBeGreaterThan(first.length);
  });

  it.each([
    {
      name: "text parts as their text",
      a: { messages: [user([{ type: "text", text: "hi" }])] },
      b: { messages: [user("hi")] },
    },
    { name: "a Responses string as a user message", a: { input: "hi" }, b: { input: [user("hi")] } },
    {
      name: "instructions as a system message",
      a: { instructions: "be", input: "hi" },
      b: { messages: [{ role: "system", content: "be" }, user("hi")] },
    },
  ])("reads $name", ({ a, b }) => {
    expect(tokensOf(a)).toEqual(tokensOf(b));
  });

  it("takes completions of ids as they are and of several prompts one by one", () => {
    expect(tokensOf({ prompt: [1, 2, 3] })).toEqual([[1, 2, 3]]);
    expect(tokensOf({ prompt: [[1], [2, 3]] })).toEqual([[1], [2, 3]]);
    expect(tokensOf({ prompt: ["abcd", "efgh"] })).toHaveLength(2);
  });

  it("tells tool calls and tools apart", () => {
    const call = (name: string) => ({ messages: [{ role: "assistant", tool_calls: [{ function: { name } }] }] });
    expect(tokensOf(call("a"))).not.toEqual(tokensOf(call("b")));
    expect(tokensOf({ input: "x", tools: [{ name: "a" }] })).not.toEqual(tokensOf({ input: "x" }));
  });

  it.each([[[]], [{}], [{ messages: 3 }], [{ messages: [3] }], [{ prompt: {} }]])("refuses %o", (body) => {
    expect(() => tokensOf(body)).toThrow(TypeError);
  });
});
