import type { ModelFiles } from "../../../src/model/index.ts";

/** Splits at spaces; ids from 10 up, `<s>` is 1 and comes first when special tokens are added. */
const words = ["hello", "world", "user", "system", "assistant", "again", "long"];

const tokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: ["<unk>", "<s>", "<e>"].map((content, id) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  })),
  normalizer: null,
  pre_tokenizer: { type: "WhitespaceSplit" },
  post_processor: {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
    special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
  },
  decoder: null,
  model: {
    type: "WordLevel",
    vocab: Object.fromEntries([["<unk>", 0], ["<s>", 1], ["<e>", 2], ...words.map((word, at) => [word, 10 + at])]),
    unk_token: "<unk>",
  },
};

/** Prints `role content<e>` for each message, and `assistant` when a generation prompt is wanted. */
export const plainTemplate =
  "{% for m in messages %}{{ m.role + ' ' + m.content + ' <e> ' }}{% endfor %}{% if add_generation_prompt %}assistant{% endif %}";

/** A small model's files; `vocab_size` is 100. */
export function modelFiles(chatTemplate: string | undefined, overrides: Partial<ModelFiles> = {}): ModelFiles {
  return {
    tokenizerJson: Buffer.from(JSON.stringify(tokenizer)),
    tokenizerConfig: Buffer.from('{"bos_token": "<s>", "eos_token": {"content": "<e>"}}'),
    chatTemplate,
    chatTemplateJson: undefined,
    config: Buffer.from('{"vocab_size": 100}'),
    generationConfig: undefined,
    otherNames: [],
    ...overrides,
  };
}
