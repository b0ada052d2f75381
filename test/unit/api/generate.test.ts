import { describe, expect, it } from "vitest";
import { engineOptions, parseBody, sglang, vllm } from "./fixtures.ts";

const options = engineOptions(sglang);
const sampling_params = { max_new_tokens: 3, temperature: 0 };

describe("SGLang's /generate", () => {
  it.each([
    ["text, to which no template belongs", { text: "hi <|im_end|>" }, { kind: "text", text: "hi <|im_end|>" }],
    ["token ids, as they are", { input_ids: [1, 2, 3] }, { kind: "ids", ids: Uint32Array.of(1, 2, 3) }],
    ["a null beside it", { text: "hi", input_ids: null, image_data: null }, { kind: "text", text: "hi" }],
    ["several texts", { text: ["a", "b"] }, { kind: "texts", texts: ["a", "b"] }],
    [
      "several lists",
      { input_ids: [[1], [2, 3]] },
      { kind: "id-lists", lists: [Uint32Array.of(1), Uint32Array.of(2, 3)] },
    ],
  ])("takes %s", (_name, body, prompt) => {
    const parsed = parseBody("/generate?x=1", { ...body, sampling_params }, options);
    expect(parsed).toMatchObject({ api: "completions", prompt, addSpecialTokens: true });
  });

  it.each([
    ["both", { text: "a", input_ids: [1] }],
    ["neither", {}],
    ["an image", { text: "a", image_data: "x" }],
    ["embeddings", { input_embeds: [[0.5]] }],
    ["an adapter", { text: "a", lora_path: "x" }],
    ["a cache apart", { text: "a", extra_key: "x" }],
    ["ids as text", { text: [1, 2] }],
    ["text as ids", { input_ids: "a" }],
    ["ids that are none", { input_ids: [-1] }],
    ["a number", { text: 1 }],
  ])("is placed by load with %s, and never refused", (_name, body) => {
    expect(parseBody("/generate", body, options)).toMatchObject({ api: "promptless", reason: expect.any(String) });
  });

  it("is another engine's own affair", () => {
    expect(parseBody("/generate", { text: "a" }, engineOptions(vllm))).toMatchObject({ api: "promptless" });
  });
});
