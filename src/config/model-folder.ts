import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelFiles } from "../model/index.ts";
import { ConfigError } from "./config-error.ts";

/** Files of a model that are read; all but the first may be missing. */
export const modelFileNames = [
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
  "chat_template.json",
  "config.json",
  "generation_config.json",
] as const;

/**
 * Reads what is needed of a model's folder, as published with the model (Hugging Face's names).
 * @throws ConfigError naming the file that is missing or cannot be read
 */
export async function readModelFolder(folder: string): Promise<ModelFiles> {
  const [tokenizerJson, tokenizerConfig, chatTemplate, chatTemplateJson, config, generationConfig] = await Promise.all(
    modelFileNames.map((file) => readIfPresent(folder, file)),
  );
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
