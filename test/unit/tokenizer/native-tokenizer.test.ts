import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { loadTokenizer } from "../../../src/tokenizer/index.ts";

/** Words at spaces, `<s>` first when special tokens are added; truncation and padding are switched on in the file. */
const wordTokenizer = {
  version: "1.0",
  truncation: { direction: "Right", max_length: 2, strategy: "LongestFirst", stride: 0 },
  padding: {
    strategy: { Fixed: 8 },
    direction: "Right",
    pad_to_multiple_of: null,
    pad_id: 0,
    pad_type_id: 0,
    pad_token: "<unk>",
  },
  added_tokens: [
    { id: 0, content: "<unk>", special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
    { id: 7, content: "<s>", special: true, single_word: false, lstrip: false, rstrip: false, normalized: false },
  ],
  normalizer: null,
  pre_tokenizer: { type: "WhitespaceSplit" },
  post_processor: {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
    special_tokens: { "<s>": { id: "<s>", ids: [7], tokens: ["<s>"] } },
  },
  decoder: null,
  model: {
    type: "WordLevel",
    vocab: { "<unk>": 0, hello: 1, world: 2, "<|kept|>": 3, "<|plain|>": 4, "<s>": 7, far: 41 },
    unk_token: "<unk>",
  },
};

const bytes = Buffer.from(JSON.stringify(wordTokenizer));

function config(text: string): JsonObject {
  const value = parseJson(Buffer.from(text));
  if (!(value instanceof JsonObject)) throw new TypeError("an object expected");
  return value;
}

describe("loadTokenizer", () => {
  it("neither truncates nor pads, whatever the file says", async () => {
    const tokenizer = await loadTokenizer(bytes);
    expect(await tokenizer.encode("hello world hello world", { addSpecialTokens: false })).toEqual(
      Uint32Array.of(1, 2, 1, 2),
    );
  });

  it("adds the post-processor's tokens only when asked", async () => {
    const tokenizer = await loadTokenizer(bytes);
    expect(await tokenizer.encode("hello", { addSpecialTokens: true })).toEqual(Uint32Array.of(7, 1));
    expect(await tokenizer.encode("hello", { addSpecialTokens: false })).toEqual(Uint32Array.of(1));
  });

  it("recognises special tokens that stand in the text either way", async () => {
    const tokenizer = await loadTokenizer(bytes);
    expect(await tokenizer.encode("hello<s>world", { addSpecialTokens: false })).toEqual(Uint32Array.of(1, 7, 2));
  });

  it("gives no tokens for no text", async () => {
    const tokenizer = await loadTokenizer(bytes);
    expect(await tokenizer.encode("", { addSpecialTokens: false })).toEqual(new Uint32Array(0));
  });

  it("counts the vocabulary by its highest id, not by its entries", async () => {
    expect((await loadTokenizer(bytes)).vocabularySize).toBe(42);
  });

  it("adds the special tokens of tokenizer_config.json, and leaves the others", async () => {
    const tokenizer = await loadTokenizer(
      bytes,
      config(
        '{"added_tokens_decoder": {"3": {"content": "<|kept|>", "special": true}, "4": {"content": "<|plain|>", "special": false}}}',
      ),
    );
    expect(await tokenizer.encode("hello<|kept|>world", { addSpecialTokens: false })).toEqual(Uint32Array.of(1, 3, 2));
    expect(await tokenizer.encode("hello<|plain|>world", { addSpecialTokens: false })).toEqual(Uint32Array.of(0));
  });

  it("honours what an added token says about the spaces around it", async () => {
    const tokenizer = await loadTokenizer(
      bytes,
      config('{"added_tokens_decoder": {"3": {"content": "<|kept|>", "special": true, "single_word": true}}}'),
    );
    expect(await tokenizer.encode("hello <|kept|> world", { addSpecialTokens: false })).toEqual(
      Uint32Array.of(1, 3, 2),
    );
    expect(await tokenizer.encode("a<|kept|>b", { addSpecialTokens: false })).toEqual(Uint32Array.of(0));
  });

  it("refuses a file that is no tokenizer", async () => {
    await expect(loadTokenizer(Buffer.from("{}"))).rejects.toThrow();
  });
});
