import { addedToken, byteModel, characterModel, patterns, type TokenizerJson } from "../unit/tokenizer/small-models.ts";

/** The files of a small model, and texts to tokenize. */
export interface ViewCase {
  readonly name: string;
  readonly files: {
    readonly "tokenizer.json": TokenizerJson;
    readonly "tokenizer_config.json": TokenizerJson;
    readonly "config.json": { readonly model_type: string };
  };
  readonly texts: readonly string[];
}

const tokens = { bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>", pad_token: "</s>" };
const marked = ["<s>", "</s>", "<unk>", "<x>"];

const split = (Regex: string) => ({ type: "Split", pattern: { Regex }, behavior: "Isolated", invert: false });
const byteLevel = (use_regex: boolean) => ({
  type: "ByteLevel",
  add_prefix_space: false,
  trim_offsets: true,
  use_regex,
});
const steps = (...pretokenizers: readonly TokenizerJson[]) => ({ type: "Sequence", pretokenizers });
const spaced = { type: "Replace", pattern: { String: " " }, content: "▁" };
const bytes = { decoder: byteLevel(true) };

/** With special tokens that have the ids of the vocabulary or follow it. */
function withTokens(model: TokenizerJson): TokenizerJson {
  const { vocab } = model["model"] as { readonly vocab: Readonly<Record<string, number>> };
  const size = Object.keys(vocab).length;
  const fresh = marked.filter((content) => vocab[content] === undefined);
  const idOf = (content: string) => vocab[content] ?? size + fresh.indexOf(content);
  return { ...model, added_tokens: marked.map((content) => ({ ...addedToken(content), id: idOf(content) })) };
}

/** Its post-processor puts an EOS behind a text. */
function withEnd(model: TokenizerJson): TokenizerJson {
  const tokens = model["added_tokens"] as readonly { readonly content: string; readonly id: number }[];
  const ids = tokens.filter((token) => token.content === "</s>").map((token) => token.id);
  return {
    ...model,
    post_processor: {
      type: "TemplateProcessing",
      single: [{ Sequence: { id: "A", type_id: 0 } }, { SpecialToken: { id: "</s>", type_id: 0 } }],
      pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
      special_tokens: { "</s>": { id: "</s>", ids, tokens: ["</s>"] } },
    },
  };
}

/** Of the kinds that models in use have. */
const tokenizers: Readonly<Record<string, TokenizerJson>> = {
  qwen: withTokens(byteModel(patterns.qwen3, { ...bytes, normalizer: { type: "NFC" } })),
  tekken: withEnd(withTokens(byteModel(patterns.tekken, bytes))),
  digits: withTokens(
    byteModel("", { ...bytes, pre_tokenizer: steps({ type: "Digits", individual_digits: true }, byteLevel(true)) }),
  ),
  plain: withTokens(byteModel("", { ...bytes, pre_tokenizer: byteLevel(true) })),
  runs: withTokens(
    byteModel("", { ...bytes, pre_tokenizer: steps(split("\\p{N}{1,3}"), split("[a-z]+"), byteLevel(false)) }),
  ),
  prepended: withEnd(
    withTokens(
      characterModel({
        normalizer: { type: "Sequence", normalizers: [{ type: "Prepend", prepend: "▁" }, spaced] },
      }),
    ),
  ),
  replaced: withTokens(
    characterModel({
      normalizer: spaced,
      pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious", invert: false },
    }),
  ),
};

const classes = [
  "LlamaTokenizer LlamaTokenizerFast CodeLlamaTokenizer GemmaTokenizer GemmaTokenizerFast Qwen2Tokenizer Qwen2TokenizerFast",
  "Qwen3_5Tokenizer GPT2Tokenizer GPT2TokenizerFast GPTNeoXTokenizerFast CohereTokenizerFast PreTrainedTokenizerFast",
].flatMap((names) => names.split(" "));

const modelTypes = ["llama", "qwen2", "qwen3", "granite", "mistral"];

const flags: readonly Readonly<Record<string, boolean | null>>[] = [
  {},
  { add_bos_token: false },
  { add_bos_token: true, add_eos_token: true },
  { add_prefix_space: false, legacy: true },
  { add_prefix_space: true, legacy: true },
  { add_bos_token: null, legacy: false },
];

const texts = ["ae cafe\u0301 12345  dad's\n\nA", "ae<x>ae <x> a", " 中文e\u0301 Ae/a", ""];

/** Every kind of file with every class; the flags with some, the values of `model_type` in turn. */
export function viewCases(): readonly ViewCase[] {
  const found: ViewCase[] = [];
  for (const [kind, tokenizer] of Object.entries(tokenizers)) {
    for (const [index, tokenizer_class] of classes.entries()) {
      for (const model_type of modelTypes) {
        const chosen = flags[(index + found.length) % flags.length];
        found.push({
          name: `${kind} ${tokenizer_class} ${model_type} ${JSON.stringify(chosen)}`,
          files: {
            "tokenizer.json": tokenizer,
            "tokenizer_config.json": { tokenizer_class, ...tokens, ...chosen },
            "config.json": { model_type },
          },
          texts,
        });
      }
    }
  }
  return found;
}

if (import.meta.main) for (const one of viewCases()) console.log(JSON.stringify(one));
