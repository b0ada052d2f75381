import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a made model has beside its tokenizer. */
export interface ByteModelOptions {
  /** `chat_template.jinja`; undefined for models that have none. */
  readonly chatTemplate: string | undefined;
  /** More members of `config.json`. */
  readonly config?: object;
  /** More members of `tokenizer_config.json`. */
  readonly tokenizerConfig?: object;
  /** Tokens of their own, each with an id above those of bytes. */
  readonly addedTokens?: readonly string[];
}

const shape = {
  model_type: "llama",
  architectures: ["LlamaForCausalLM"],
  hidden_size: 64,
  num_hidden_layers: 1,
  num_attention_heads: 1,
  num_key_value_heads: 1,
  head_dim: 64,
  intermediate_size: 64,
  max_position_embeddings: 1_000_000,
  bos_token_id: 0,
  eos_token_id: 0,
};

/**
 * Writes a model folder whose tokenizer has one token for each byte, so that token ids are the rendered text itself and a frontend
 * loads a hundred of them in seconds.
 */
export function writeByteModel(folder: string, options: ByteModelOptions): void {
  const { chatTemplate, config = {}, tokenizerConfig = {}, addedTokens = [] } = options;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: object) => writeFileSync(join(folder, file), JSON.stringify(value));
  write("tokenizer.json", byteTokenizer(addedTokens));
  write("tokenizer_config.json", { tokenizer_class: "PreTrainedTokenizerFast", ...tokenizerConfig });
  write("config.json", { ...shape, vocab_size: 256 + addedTokens.length, ...config });
  write("generation_config.json", { eos_token_id: 0 });
  if (chatTemplate !== undefined) writeFileSync(join(folder, "chat_template.jinja"), chatTemplate);
}

/** The text of ids, where no tokens were added. */
export function textOfBytes(ids: readonly number[]): string {
  return Buffer.from(ids).toString("utf8");
}

function byteTokenizer(addedTokens: readonly string[]): object {
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens.map((content, at) => ({
      ...{ id: 256 + at, content, single_word: false, lstrip: false, rstrip: false },
      ...{ normalized: false, special: true },
    })),
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      ...{ type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: false, vocab: byteVocabulary(), merges: [] },
    },
  };
}

/** Each byte under the character that byte-level tokenizers write for it: itself where that prints, else one from U+0100 on. */
function byteVocabulary(): Readonly<Record<string, number>> {
  const prints = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  let next = 0x100;
  const entries = Array.from({ length: 256 }, (_, byte): [string, number] => {
    return [String.fromCharCode(prints(byte) ? byte : next++), byte];
  });
  return Object.fromEntries(entries);
}
