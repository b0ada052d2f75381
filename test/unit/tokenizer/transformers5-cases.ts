import { Random } from "./random.ts";
import { addedToken, byteModel, characterModel, patterns, type TokenizerJson } from "./small-models.ts";

/** A model's files as AutoTokenizer reads them. */
export interface ModelCase {
  readonly name: string;
  readonly tokenizer: TokenizerJson;
  readonly tokenizerConfig: TokenizerJson;
  readonly modelType: string | undefined;
}

const bos = {
  type: "TemplateProcessing",
  single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
  pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
  special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
};
const replaceSpaces = { type: "Replace", pattern: { String: " " }, content: "▁" };
const prepend = { type: "Sequence", normalizers: [{ type: "Prepend", prepend: "▁" }, replaceSpaces] };
const metaspace = (scheme: string) => ({ type: "Metaspace", replacement: "▁", prepend_scheme: scheme, split: false });
const characterClasses = ["LlamaTokenizer", "LlamaTokenizerFast", "GemmaTokenizer", "PreTrainedTokenizerFast", ""];
const byteClasses = [
  ...["Qwen2Tokenizer", "Qwen2TokenizerFast", "Qwen3_5Tokenizer", "GPT2Tokenizer", "GPTNeoXTokenizerFast"],
  ...["CodeGenTokenizer", "CohereTokenizerFast", "LlamaTokenizerFast", "TokenizersBackend", ""],
];
const modelTypes = [
  ...["llama", "qwen2", "qwen3_moe", "qwen3_5", "gemma2", "mistral", "granite", "phi3", "glm4", "gpt_neox"],
  "",
];
const tokenValues = [
  ...["<s>", "<unk>", "[Q]", "of", null],
  { __type: "AddedToken", content: "[Q]", lstrip: false, rstrip: false, normalized: true, single_word: false },
];

/** Random models with random declarations: classes, types of model, special and added tokens. */
export function modelCases(count: number, seed: number): readonly ModelCase[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => modelCase(random, index));
}

function modelCase(random: Random, index: number): ModelCase {
  const isCharacters = random.below(2) === 0;
  const modelType = orNone(random.pick(modelTypes));
  const declaredClass = orNone(random.pick(isCharacters ? characterClasses : byteClasses));
  return {
    name: `${index}: ${declaredClass ?? "no class"}, ${modelType ?? "no type"}, ${isCharacters ? "characters" : "bytes"}`,
    tokenizer: withIds(isCharacters ? characters(random) : bytes(random)),
    tokenizerConfig: declarations(random, declaredClass, isCharacters),
    modelType,
  };
}

/** "" stands for a declaration that is not there. */
function orNone(name: string): string | undefined {
  return name === "" ? undefined : name;
}

function characters(random: Random): TokenizerJson {
  return characterModel({
    normalizer: random.pick([null, replaceSpaces, prepend]),
    pre_tokenizer: random.pick([null, metaspace("first"), metaspace("always"), metaspace("never")]),
    post_processor: random.pick([null, bos]),
  });
}

function bytes(random: Random): TokenizerJson {
  return byteModel(random.pick(Object.values(patterns)), {
    normalizer: random.pick([null, { type: "NFC" }]),
    post_processor: random.pick([null, bos]),
    added_tokens: [
      ...["<|x|>", "<|x|y>"].map((content) => addedToken(content)),
      addedToken("<think>", { special: false }),
      ...(random.below(3) === 0 ? [addedToken("[Z]", { normalized: true, special: false })] : []),
    ],
  });
}

/** The tests' small models leave the ids of added tokens to the engine; transformers goes by them. */
function withIds(model: TokenizerJson): TokenizerJson {
  const { vocab } = model["model"] as unknown as { readonly vocab: Readonly<Record<string, number>> };
  let next = Object.keys(vocab).length;
  const tokens = model["added_tokens"] as unknown as readonly { readonly content: string }[];
  const added = tokens.map((token) => ({ ...token, id: vocab[token.content] ?? next++ }));
  return { ...model, added_tokens: added };
}

function declarations(random: Random, declaredClass: string | undefined, isCharacters: boolean): TokenizerJson {
  const often = <T>(value: () => T) => (random.below(5) < 2 ? { value: value() } : undefined);
  const members: [string, TokenizerJson[string] | undefined][] = [
    ["tokenizer_class", declaredClass],
    ["legacy", often(() => random.below(2) === 0)?.value],
    ["add_prefix_space", often(() => random.below(2) === 0)?.value],
    ["add_bos_token", often(() => random.below(2) === 0)?.value],
    ...["bos_token", "eos_token", "pad_token", "sep_token"].map((name): [string, TokenizerJson[string] | undefined] => [
      name,
      often(() => random.pick(tokenValues))?.value,
    ]),
    ["unk_token", isCharacters ? "<unk>" : often(() => random.pick(tokenValues))?.value],
    ["added_tokens_decoder", often(() => decoder(random))?.value],
    ["additional_special_tokens", often(() => ["[W]", "<s>"])?.value],
    ["extra_special_tokens", often(() => random.pick([["[V]"], [], { image_token: "[V]" }]))?.value],
  ];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as TokenizerJson;
}

function decoder(random: Random): TokenizerJson {
  const tokens = Object.entries({ 1: "<s>", 900: "[R]", 901: "the", 902: "<|x|>" }).filter(() => random.below(3) > 0);
  return Object.fromEntries(
    tokens.map(([id, content]) => [
      id,
      {
        content,
        special: random.below(2) === 0,
        normalized: random.below(3) === 0,
        lstrip: false,
        rstrip: false,
        single_word: false,
      },
    ]),
  );
}
