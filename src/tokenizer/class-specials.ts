/** What a class adds to a tokenizer by itself. */
interface ClassSpecials {
  /** Special tokens by their names, where tokenizer_config.json has no such name. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Further special tokens. */
  readonly extras?: readonly string[];
  /** Whether the special tokens are added once more, without any flags that they may have. */
  readonly readdsSpecials?: boolean;
}

const endOfText = "<|endoftext|>";
const qwen = { unk_token: endOfText, eos_token: endOfText, pad_token: endOfText };
const gpt2 = { unk_token: endOfText, bos_token: endOfText, eos_token: endOfText };
const llama = { unk_token: "<unk>", bos_token: "<s>", eos_token: "</s>" };

/** transformers@5.24.0 models/NAME/tokenization_NAME.py, of the classes that make their own of a file. */
const specials: Readonly<Record<string, ClassSpecials>> = {
  LlamaTokenizer: { defaults: llama },
  CodeLlamaTokenizer: {
    defaults: llama,
    extras: ["\u2581<PRE>", "\u2581<MID>", "\u2581<SUF>", "\u2581<EOT>", "<FILL_ME>"],
  },
  Qwen2Tokenizer: { defaults: qwen, readdsSpecials: true },
  Qwen3_5Tokenizer: { defaults: qwen },
  GemmaTokenizer: {
    defaults: {
      unk_token: "<unk>",
      bos_token: "<bos>",
      eos_token: "<eos>",
      pad_token: "<pad>",
      mask_token: "<mask>",
    },
  },
  GPT2Tokenizer: { defaults: gpt2 },
  CodeGenTokenizer: { defaults: gpt2 },
  GPTNeoXTokenizer: { defaults: { ...gpt2, pad_token: "<|padding|>" } },
  CohereTokenizer: {
    defaults: {
      unk_token: "<UNK>",
      bos_token: "<BOS_TOKEN>",
      eos_token: "<|END_OF_TURN_TOKEN|>",
      pad_token: "<PAD>",
      cls_token: "<CLS>",
      sep_token: "<SEP>",
      mask_token: "<MASK_TOKEN>",
    },
  },
};

/** Nothing for the generic class. */
export function classSpecials(className: string | undefined): ClassSpecials {
  const own = className !== undefined && Object.hasOwn(specials, className) ? specials[className] : undefined;
  return own ?? { defaults: {} };
}
