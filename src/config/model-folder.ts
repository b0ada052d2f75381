import { readdir, readFile } from "node:fs/promises";
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

/** File in a downloaded model's folder with the names of all files of its repository, a line each. */
export const repositoryListing = "repository-files.txt";

/**
 * Reads what is needed of a model's folder, as published with the model (Hugging Face's names).
 * @throws ConfigError naming the file that is missing or cannot be read
 */
export async function readModelFolder(folder: string): Promise<ModelFiles> {
  const [tokenizerJson, tokenizerConfig, chatTemplate, chatTemplateJson, config, generationConfig] = await Promise.all(
    modelFileNames.map((file) => readIfPresent(folder, file)),
  );
  if (tokenizerJson === undefined) throw new ConfigError([await withoutTokenizer(folder)]);
  return {
    tokenizerJson,
    tokenizerConfig,
    chatTemplate: chatTemplate?.toString("utf8"),
    chatTemplateJson,
    config,
    generationConfig,
    otherNames: await otherNames(folder),
  };
}

/** Tokenizers in other files than tokenizer.json, which are not read. */
const otherTokenizers =
  /^(tekken\.json|tokenizer\.model.*|.*\.tiktoken|tiktoken\.model|spiece\.model|vocab\.(json|txt))$/;

async function withoutTokenizer(folder: string): Promise<string> {
  const problem = `model folder ${folder}: tokenizer.json is missing`;
  const names = await namesIn(folder);
  if (names === undefined) return `model folder ${folder}: there is no such folder`;
  const others = names.filter((name) => otherTokenizers.test(name));
  if (others.length === 0) return problem;
  return `${problem}; ${others.join(", ")} cannot be read in its place: convert it, or set loadOnly`;
}

/** Undefined = there is no such folder. */
async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).sort();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined;
    throw cause;
  }
}

/** Names in a repository's listing, where the folder was downloaded, else in the folder. */
async function otherNames(folder: string): Promise<readonly string[]> {
  const listing = await readIfPresent(folder, repositoryListing);
  if (listing !== undefined) return listing.toString("utf8").split("\n");
  return (await namesIn(folder)) ?? [];
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
