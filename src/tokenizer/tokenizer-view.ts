import type { JsonObject } from "../json/index.ts";
import { asShape, type Shape } from "./json-shape.ts";
import { rebuiltTokenizer } from "./rebuilt-tokenizer.ts";
import { asSglang } from "./sglang-view.ts";
import type { TokenizerView } from "./tokenizer.ts";
import { loadedClass } from "./tokenizer-class.ts";

/** The tokenizer.json that a reader of the model's files works with, made of the one that stands there. */
export function asSeen(
  file: Shape,
  view: TokenizerView,
  tokenizerConfig: JsonObject | undefined,
  modelType?: string,
): Shape {
  if (view === "raw") return file;
  if (view === "sglang") return asSglang(file, tokenizerConfig, modelType);
  const name = loadedClass(tokenizerConfig, modelType);
  return name === "LlamaTokenizer" && isByteLevel(file) ? file : rebuiltTokenizer(file, name, tokenizerConfig);
}

/** As `asSeen`, on the text of the file. */
export function seenJson(
  json: string,
  view: TokenizerView,
  tokenizerConfig: JsonObject | undefined,
  modelType?: string,
): string {
  if (view === "raw") return json;
  return JSON.stringify(asSeen(asShape(JSON.parse(json), "tokenizer.json"), view, tokenizerConfig, modelType));
}

/** transformers@5.24.0 takes such a file as it stands, though of that class; it looks for the word in the whole file. */
function isByteLevel({ model: _model, added_tokens: _addedTokens, ...rest }: Shape): boolean {
  return JSON.stringify(rest).includes('"ByteLevel"');
}
