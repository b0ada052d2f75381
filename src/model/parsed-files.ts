import type { Buffer } from "node:buffer";
import { JsonNumber, JsonObject, parseJson } from "../json/index.ts";
import type { ModelFiles } from "./model-files.ts";
import { ModelLoadError } from "./model-load-error.ts";

/** A model's JSON files, parsed; empty where a file is missing. */
export interface ParsedFiles {
  readonly tokenizerConfig: JsonObject;
  readonly config: JsonObject;
  /** `chat_template.json` */
  readonly chatTemplate: JsonObject;
}

/** @throws ModelLoadError naming the file that is no JSON object */
export function parseModelFiles(files: ModelFiles): ParsedFiles {
  return {
    tokenizerConfig: parsedObject(files.tokenizerConfig, "tokenizer_config.json"),
    config: parsedObject(files.config, "config.json"),
    chatTemplate: parsedObject(files.chatTemplateJson, "chat_template.json"),
  };
}

function parsedObject(bytes: Buffer | undefined, file: string): JsonObject {
  if (bytes === undefined) return JsonObject.from([]);
  try {
    const value = parseJson(bytes);
    if (value instanceof JsonObject) return value;
  } catch (cause) {
    throw new ModelLoadError(`${file}: ${cause instanceof Error ? cause.message : "cannot be parsed"}`, { cause });
  }
  throw new ModelLoadError(`${file}: not a JSON object`);
}

/** `vocab_size` of `config.json`, which of multimodal models stands under `text_config`; 0 when absent. */
export function configVocabularySize(config: JsonObject): number {
  const inner = config.get("text_config");
  const size = config.get("vocab_size") ?? (inner instanceof JsonObject ? inner.get("vocab_size") : undefined);
  return size instanceof JsonNumber ? size.toNumber() : 0;
}

/** `model_type` of `config.json`; undefined when absent. */
export function configModelType(config: JsonObject): string | undefined {
  const type = config.get("model_type");
  return typeof type === "string" ? type : undefined;
}
