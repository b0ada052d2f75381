import type { Buffer } from "node:buffer";
import type { JsonObject } from "../json/index.ts";
import { CacheBudget } from "./cache-budget.ts";
import { compileTokenizer } from "./compiled-tokenizer.ts";
import { ExactTokenizer } from "./exact-tokenizer.ts";
import { NativeTokenizer } from "./native-tokenizer.ts";
import type { Tokenizer, TokenizerView } from "./tokenizer.ts";
import { readTokenizerPlan } from "./tokenizer-plan.ts";
import { transformers5Json } from "./transformers5-view.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";
import { type FillRandom, fillFromCrypto } from "./word-hash.ts";

export interface LoadTokenizerOptions {
  /** Whose reading of the files counts. Default `raw`. */
  readonly view?: TokenizerView;
  /** `model_type` of config.json; only the view `transformers5` asks. Default: one that follows the declared class. */
  readonly modelType?: string;
  /** Bytes for the text met lately; give one to several tokenizers to bound them together. Default: 256 MiB of its own. */
  readonly cache?: CacheBudget;
  /**
   * Longest text without a place to cut it that is encoded, in UTF-16 units: it holds the thread meanwhile. Longer ones are refused with
   * UncuttableText. Default: no bound.
   */
  readonly maxUncutUnits?: number;
  /** Source of the secret of the word cache's hash. Default `crypto.getRandomValues`. */
  readonly fillRandom?: FillRandom;
}

/**
 * Loads a `tokenizer.json`; synchronous work of 0.3 to 3 s. Special tokens that only `tokenizer_config.json` declares are added. A file of which every feature is known to
 * this module's own engine gets it and is encoded synchronously; any other gets the official engine, which answers with promises.
 * @param tokenizerConfig the parsed `tokenizer_config.json`
 * @throws Error when the file is not a tokenizer that the official engine understands
 */
export async function loadTokenizer(
  tokenizerJson: Buffer,
  tokenizerConfig?: JsonObject,
  options: LoadTokenizerOptions = {},
): Promise<Tokenizer> {
  const { view = "raw", modelType, cache = new CacheBudget(), fillRandom = fillFromCrypto } = options;
  const { maxUncutUnits = Number.POSITIVE_INFINITY } = options;
  try {
    const plan = readTokenizerPlan(tokenizerJson, tokenizerConfig, view, modelType);
    return new ExactTokenizer(compileTokenizer(plan), cache, fillRandom, maxUncutUnits);
  } catch (cause) {
    if (!(cause instanceof UnsupportedFeature)) throw cause;
    const json = tokenizerJson.toString("utf8");
    return new NativeTokenizer(
      view === "raw" ? json : transformers5Json(json, tokenizerConfig, modelType),
      tokenizerConfig,
    );
  }
}
