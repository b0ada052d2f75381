import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelFiles } from "../model/index.ts";
import { ConfigError } from "./config-error.ts";

/**
 * Reads what is needed of a model's folder, as published with the model (Hugging Face's names).
 * @throws ConfigError naming the file that is missing or cannot be read
 */
export async function readModelFolder(folder: string): Promise<ModelFiles> {
  const [tokenizerJson, tokenizerConfig, chatTemplate, chatTemplateJson, config, generationConfig] = await Promise.all([
    readIfPresent(folder, "tokenizer.json"),
    readIfPresent(folder, "tokenizer_config.json"),
    readIfPresent(folder, "chat_template.jinja"),
    readIfPresent(folder, "chat_template.json"),
    readIfPresent(folder, "config.json"),
    readIfPresent(folder, "generation_config.json"),
  ]);
  if (tokenizerJson === undefined) throw new ConfigError([`model folder ${folder}: tokenizer.json is missing`]);
  return {
    tokenizerJson,
    tokenizerConfig,
    chatTemplate: chatTemplate?.toString("utf8"),
    chatTemplateJson,
    config,
    generationConfig,
  };
}

async function readIfPresent(folder: string, file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, file));
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    const reason = cause instanceof Error ? cause.message : "cannot be read";
    throw new ConfigError([`model folder ${folder}: ${file}: ${reason}`], { cause });
  }
}
