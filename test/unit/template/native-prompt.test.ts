import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { type NativeRequest, nativeFamilyOf, nativePrompt } from "../../../src/template/index.ts";

function request(body: object): NativeRequest {
  const root = parseJson(Buffer.from(JSON.stringify(body)));
  const messages = root instanceof JsonObject ? root.get("messages") : undefined;
  const given: unknown[] = Array.isArray(messages) ? messages : [];
  return {
    messages: given.filter((message) => message instanceof JsonObject),
    tools: undefined,
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: undefined,
    addGenerationPrompt: true,
    continueFinalMessage: false,
  };
}

// dynamo-renderer 8.0.3 template.rs, by its own tests.
describe("models that the frontend renders without their template", () => {
  it.each([
    ["deepseek_v4", "my-pet-model", "deepseek-v4"],
    ["DeepSeek_V4", "llama", "deepseek-v4"],
    ["deepseek_v41", "x", "deepseek-v4.1"],
    ["deepseek_v32", "x", "deepseek-v3.2"],
    ["deepseek_v3_2", "x", "deepseek-v3.2"],
    ["deepseek_v32", "DeepSeek-V3.2-Exp", undefined],
    ["llama", "deepseek-v4", undefined],
    ["inkling_mm_model", "x", undefined],
    [undefined, "deepseek-v4", "deepseek-v4"],
    ["", "deepseekv4", "deepseek-v4"],
    [undefined, "DeepSeek_V4_thinking", "deepseek-v4"],
    [undefined, "deepseek.v4-flash-2507", "deepseek-v4"],
    [undefined, "deepseek-v4.1", "deepseek-v4.1"],
    [undefined, "deepseekv4.1-pro", "deepseek-v4.1"],
    [undefined, "deepseek-v40", undefined],
    [undefined, "deepseek-v4pro", undefined],
    [undefined, "my-deepseek-v4", undefined],
    [undefined, "deepseek-v3.2-v4-foo", "deepseek-v3.2"],
    [undefined, "my/deepseek-v3.2", "deepseek-v3.2"],
    [undefined, "deepseek-v3.2-exp", undefined],
    [undefined, "deepseek-r1", undefined],
    ["kimi_k3", "x", "kimi-k3"],
    ["kimi_k2", "kimi-k3", undefined],
    [undefined, "moonshot-Kimi-K3", "kimi-k3"],
    [undefined, "kimik3", "kimi-k3"],
    [undefined, "kimi-k2.5", undefined],
    [undefined, "qwen3-v4", undefined],
  ])("type %s, name %s: %s", (modelType, name, family) => {
    expect(nativeFamilyOf(modelType, name)).toBe(family);
  });

  it("keep a message's text as a piece of its own", () => {
    const text = "a text that is kept";
    const { pieces } = nativePrompt("deepseek-v4").renderPieces(
      request({ messages: [{ role: "user", content: text }] }),
    );
    expect(pieces).toContain(text);
  });

  it("are refused what only other families understand", () => {
    const prompt = nativePrompt("deepseek-v3.2");
    const partial = request({ messages: [{ role: "assistant", content: "a", partial: true }] });
    expect(() => prompt.renderPieces(partial)).toThrow(RoutingError);
  });

  // If each result looked at those before it, the test's time would be up.
  it("take a run of 200,000 results", () => {
    const results = Array.from({ length: 200_000 }, () => ({ role: "tool", tool_call_id: "c", content: "r" }));
    const runs = request({ messages: results });
    for (const type of ["deepseek-v3.2", "deepseek-v4", "deepseek-v4.1"] as const) {
      const { pieces } = nativePrompt(type).renderPieces(runs);
      expect(pieces.join("").match(/result>r<\/(tool_)?result>/g)).toHaveLength(200_000);
    }
  });
});
