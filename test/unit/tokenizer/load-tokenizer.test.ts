import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { loadTokenizer } from "../../../src/tokenizer/index.ts";
import { NativeTokenizer } from "../../../src/tokenizer/native-tokenizer.ts";
import { specialTokensOf } from "../../../src/tokenizer/special-tokens.ts";
import { corpusTexts, fuzzTexts } from "./corpus.ts";
import { differences } from "./differences.ts";
import { addedToken, byteModel, characterModel, patterns, type TokenizerJson } from "./small-models.ts";

const addedTokens = ["<|x|>", "<|x|y>", "<think>", "<unk>", "<s>", "▁▁", "e\u0301x", "a<|x|>"];
const texts = [...corpusTexts({ addedTokens }, 220, 5), ...fuzzTexts({ addedTokens }, 500, 6)];

const replaceSpaces = { type: "Replace", pattern: { String: " " }, content: "▁" };
const prepend = { type: "Prepend", prepend: "▁" };
const metaspace = (prepend_scheme: string, split: boolean) => ({
  type: "Metaspace",
  replacement: "▁",
  prepend_scheme,
  split,
});
const template = {
  type: "TemplateProcessing",
  single: [
    { SpecialToken: { id: "a", type_id: 0 } },
    { Sequence: { id: "A", type_id: 0 } },
    { SpecialToken: { id: "b", type_id: 0 } },
  ],
  pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
  special_tokens: { a: { id: "a", ids: [1, 2], tokens: ["x", "y"] }, b: { id: "b", ids: [3], tokens: ["z"] } },
};
const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false };

function bytesOf(model: TokenizerJson): Buffer {
  return Buffer.from(JSON.stringify(model));
}

function object(text: string): JsonObject {
  const value = parseJson(Buffer.from(text));
  if (!(value instanceof JsonObject)) throw new TypeError("an object expected");
  return value;
}

async function differing(model: TokenizerJson, config?: JsonObject): Promise<readonly string[]> {
  const ours = await loadTokenizer(bytesOf(model), config);
  if (ours instanceof NativeTokenizer) throw new Error("the official engine took it");
  const official = new NativeTokenizer(JSON.stringify(model), specialTokensOf(config));
  expect(ours.vocabularySize).toBe(official.vocabularySize);
  return differences({ ours, official, addedTokens }, texts);
}

describe("a tokenizer.json of known features gives the official engine's ids", { timeout: 60_000 }, () => {
  const split = (pattern: string, changes: TokenizerJson) => ({
    type: "Split",
    pattern: { Regex: pattern },
    behavior: "Isolated",
    invert: false,
    ...changes,
  });
  it.each<[string, TokenizerJson]>([
    ["the pattern of Qwen 3", byteModel(patterns.qwen3)],
    ["the pattern of Qwen 3.5, whose letters include marks", byteModel(patterns.qwen35)],
    ["the pattern of Tekken, without contractions", byteModel(patterns.tekken)],
    [
      "matches kept by removing what is between them",
      byteModel("", {
        pre_tokenizer: {
          type: "Sequence",
          pretokenizers: [split(patterns.qwen3, { behavior: "Removed", invert: true }), byteLevel],
        },
      }),
    ],
    ["NFC", byteModel(patterns.qwen3, { normalizer: { type: "NFC" } })],
    [
      "NFC and tokens looked for in the normal form",
      byteModel(patterns.qwen3, {
        normalizer: { type: "NFC" },
        added_tokens: [
          addedToken("<|x|>", { normalized: true }),
          addedToken("e\u0301x", { normalized: true }),
          addedToken("<think>"),
        ],
      }),
    ],
    [
      "tokens looked for in the normal form, without a normaliser",
      byteModel(patterns.qwen3, {
        added_tokens: [
          addedToken("<|x|>", { normalized: true }),
          addedToken("x|y>"),
          addedToken("think", { normalized: true, special: false }),
        ],
      }),
    ],
    [
      "tokens with white space in them",
      byteModel(patterns.qwen3, {
        added_tokens: [addedToken("a b"), addedToken(". "), addedToken("\nx"), addedToken("of the")],
      }),
    ],
    [
      "an ordinary token that overlaps a special one",
      byteModel(patterns.qwen3, { added_tokens: [addedToken("<|x|>"), addedToken("a<|x", { special: false })] }),
    ],
    [
      "special tokens before and after",
      byteModel(patterns.qwen3, { post_processor: { type: "Sequence", processors: [byteLevel, template] } }),
    ],
    [
      "words that are tokens by themselves",
      byteModel(patterns.qwen3, {
        model: { ...(byteModel(patterns.qwen3)["model"] as TokenizerJson), ignore_merges: true },
      }),
    ],
    [
      "merges as lines of text",
      byteModel(patterns.qwen3, {
        model: {
          ...(byteModel(patterns.qwen3)["model"] as TokenizerJson),
          merges: ["#version: 0.2", "Ġ s", "s s", "Ġ s"],
        },
      }),
    ],
    ["SentencePiece without a prefix", characterModel({ normalizer: replaceSpaces })],
    [
      "SentencePiece with Gemma's split",
      characterModel({
        normalizer: replaceSpaces,
        pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious", invert: false },
      }),
    ],
    [
      "SentencePiece with Prepend",
      characterModel({ normalizer: { type: "Sequence", normalizers: [prepend, replaceSpaces] } }),
    ],
    [
      "SentencePiece with Prepend and tokens in the normal form",
      characterModel({
        normalizer: { type: "Sequence", normalizers: [prepend, replaceSpaces] },
        added_tokens: [addedToken("<s>", { normalized: true }), addedToken("<unk>")],
      }),
    ],
    ["Metaspace before the text", characterModel({ pre_tokenizer: metaspace("first", false) })],
    ["Metaspace before each piece", characterModel({ pre_tokenizer: metaspace("always", false) })],
    ["Metaspace before nothing", characterModel({ pre_tokenizer: metaspace("never", false) })],
    ["Metaspace that splits", characterModel({ pre_tokenizer: metaspace("always", true) })],
    ["Metaspace before the text that splits", characterModel({ pre_tokenizer: metaspace("first", true) })],
  ])("%s", async (_, model) => {
    expect(await differing(model)).toEqual([]);
  });

  it("special tokens that only tokenizer_config.json declares", async () => {
    const declared = (content: string) => ({
      content,
      special: true,
      normalized: false,
      lstrip: false,
      rstrip: false,
      single_word: false,
    });
    const config = object(
      JSON.stringify({ added_tokens_decoder: { 900: declared("of"), 901: declared("<|x|>"), 902: declared("e") } }),
    );
    expect(await differing(byteModel(patterns.qwen3), config)).toEqual([]);
  });
});

describe("a tokenizer.json with another feature goes to the official engine", () => {
  const model = byteModel(patterns.qwen3)["model"] as TokenizerJson;
  it.each<[string, TokenizerJson]>([
    ["another pattern", byteModel("\\w+")],
    ["ByteLevel's own pattern", byteModel("", { pre_tokenizer: { ...byteLevel, use_regex: true } })],
    [
      "a leading space",
      byteModel("", {
        pre_tokenizer: {
          type: "Sequence",
          pretokenizers: [
            { type: "Split", pattern: { Regex: patterns.qwen3 }, behavior: "Isolated", invert: false },
            { ...byteLevel, add_prefix_space: true },
          ],
        },
      }),
    ],
    ["another normaliser", byteModel(patterns.qwen3, { normalizer: { type: "NFKC" } })],
    [
      "a normaliser that lowers",
      byteModel(patterns.qwen3, {
        normalizer: { type: "Sequence", normalizers: [{ type: "NFC" }, { type: "Lowercase" }] },
      }),
    ],
    ["a token that strips", byteModel(patterns.qwen3, { added_tokens: [addedToken("<|x|>", { rstrip: true })] })],
    [
      "a token that stands alone",
      byteModel(patterns.qwen3, { added_tokens: [addedToken("x", { single_word: true })] }),
    ],
    [
      "prefixes inside words",
      byteModel(patterns.qwen3, { model: { ...model, continuing_subword_prefix: "##", merges: [] } }),
    ],
    ["a vocabulary without some byte", byteModel(patterns.qwen3, { model: { ...model, vocab: { a: 0 }, merges: [] } })],
    [
      "characters without bytes to fall back on",
      characterModel({ model: { ...(characterModel()["model"] as TokenizerJson), byte_fallback: false } }),
    ],
    [
      "Metaspace with another character",
      characterModel({ pre_tokenizer: { ...metaspace("first", false), replacement: "_" } }),
    ],
    [
      "Metaspace with tokens in the normal form",
      characterModel({
        pre_tokenizer: metaspace("always", false),
        added_tokens: [addedToken("<s>", { normalized: true })],
      }),
    ],
    [
      "words",
      {
        version: "1.0",
        added_tokens: [],
        pre_tokenizer: { type: "Whitespace" },
        model: { type: "WordLevel", vocab: { a: 0 }, unk_token: "a" },
      },
    ],
  ])("%s", async (_, file) => {
    expect(await loadTokenizer(bytesOf(file))).toBeInstanceOf(NativeTokenizer);
  });

  it("and what that one refuses is refused", async () => {
    await expect(loadTokenizer(Buffer.from('{"model":{"type":"Unknown"}}'))).rejects.toThrow();
    await expect(loadTokenizer(Buffer.from("no json"))).rejects.toThrow();
  });
});
