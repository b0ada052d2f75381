import type { JsonObject } from "../json/index.ts";
import type { Shape } from "./json-shape.ts";
import { checkClass, rebuildingClass, rebuiltTokenizer } from "./rebuilt-tokenizer.ts";
import { asSglang } from "./sglang-view.ts";
import { type AddedToken, specialTokensOf } from "./special-tokens.ts";
import type { TokenizerView } from "./tokenizer.ts";
import { declaredClass, loadedClass } from "./tokenizer-class.ts";
import { transformers5Tokens } from "./transformers5-tokens.ts";

/** What a reader of a model's files works with. */
interface SeenTokenizer {
  /** The tokenizer.json, made of the one that stands there. */
  readonly file: Shape;
  /** To be added to those of the file, in order. */
  readonly tokens: readonly AddedToken[];
}

/** A model's tokenizer as one of its readers makes it of the files. @throws UnknownReading */
export function asSeen(
  file: Shape,
  view: TokenizerView,
  tokenizerConfig: JsonObject | undefined,
  modelType?: string,
): SeenTokenizer {
  if (view === "raw") return { file, tokens: specialTokensOf(tokenizerConfig) };
  const name = classOf(file, view, tokenizerConfig, modelType);
  const tokens = transformers5Tokens(file, tokenizerConfig, name);
  const seen =
    view === "sglang" ? asSglang(file, name, tokenizerConfig) : rebuiltTokenizer(file, name, tokenizerConfig);
  return { file: name === undefined ? seen : { ...seen, added_tokens: [] }, tokens };
}

/** The class that makes its own of the file; undefined for none. */
function classOf(
  file: Shape,
  view: TokenizerView,
  tokenizerConfig: JsonObject | undefined,
  modelType: string | undefined,
): string | undefined {
  const loaded = loadedClass(tokenizerConfig, modelType);
  // SGLang takes the declared class even where AutoTokenizer passes it over.
  const name = view === "sglang" ? (loaded ?? declaredClass(tokenizerConfig)) : loaded;
  if (view === "transformers5" && name === "LlamaTokenizer" && isByteLevel(file)) return undefined;
  checkClass(file, name);
  return rebuildingClass(file, name);
}

/** transformers@5.24.0 takes such a file as it stands, though of that class; it looks for the word in the whole file. */
function isByteLevel({ model: _model, added_tokens: _addedTokens, ...rest }: Shape): boolean {
  return JSON.stringify(rest).includes('"ByteLevel"');
}
