import type { Buffer } from "node:buffer";
import type { JsonObject } from "../json/index.ts";
import { CacheBudget } from "./cache-budget.ts";
import { type CompiledTokenizer, compileTokenizer } from "./compiled-tokenizer.ts";
import { ExactTokenizer } from "./exact-tokenizer.ts";
import { asShape } from "./json-shape.ts";
import { NativeTokenizer } from "./native-tokenizer.ts";
import { specialTokensOf } from "./special-tokens.ts";
import type { Tokenizer, TokenizerView } from "./tokenizer.ts";
import { readTokenizerPlan } from "./tokenizer-plan.ts";
import { asSeen } from "./tokenizer-view.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";
import { type FillRandom, fillFromCrypto } from "./word-hash.ts";

/** How a model's files are read. */
export interface TokenizerReading {
  /** Whose reading of the files counts. Default `raw`. */
  readonly view?: TokenizerView | undefined;
  /** `model_type` of config.json; the view `raw` does not ask. Default: one that follows the declared class. */
  readonly modelType?: string | undefined;
}

export interface ExactOptions {
  /** Bytes for the text met lately; give one to several tokenizers to bound them together. Default: 256 MiB of its own. */
  readonly cache?: CacheBudget | undefined;
  /**
   * Longest text without a place to cut it that is encoded, in UTF-16 units: it holds the thread meanwhile. Longer ones are refused with
   * UncuttableText. Default: no bound.
   */
  readonly maxUncutUnits?: number | undefined;
  /** Whether prompts are encoded without their NUL characters. Default false. */
  readonly dropsNul?: boolean | undefined;
  /** Source of the secret of the word cache's hash. Default `crypto.getRandomValues`. */
  readonly fillRandom?: FillRandom | undefined;
  /** Milliseconds on a monotonic scale. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/**
 * What the exact engine takes from a `tokenizer.json`; synchronous work of 0.3 to 3 s. Special tokens that only `tokenizer_config.json` declares
 * are added. Undefined when some feature of the file is not known to that engine.
 * @param tokenizerConfig the parsed `tokenizer_config.json`
 */
export function readCompiledTokenizer(
  tokenizerJson: Buffer,
  tokenizerConfig: JsonObject | undefined,
  { view = "raw", modelType }: TokenizerReading,
): CompiledTokenizer | undefined {
  try {
    return compileTokenizer(readTokenizerPlan(tokenizerJson, tokenizerConfig, view, modelType));
  } catch (cause) {
    if (cause instanceof UnsupportedFeature) return undefined;
    throw cause;
  }
}

/**
 * The official engine with a `tokenizer.json`; synchronous work of 0.3 to 1.5 s.
 * @throws Error when the file is not a tokenizer that it understands
 */
export function readNativeTokenizer(
  tokenizerJson: Buffer,
  tokenizerConfig: JsonObject | undefined,
  { view = "raw", modelType }: TokenizerReading,
): Tokenizer {
  const json = tokenizerJson.toString("utf8");
  if (view === "raw") return new NativeTokenizer(json, specialTokensOf(tokenizerConfig));
  const { file, tokens } = asSeen(asShape(JSON.parse(json), "tokenizer.json"), view, tokenizerConfig, modelType);
  return new NativeTokenizer(JSON.stringify(file), tokens);
}

/** The exact engine: synchronous but for long new text. Takes a few milliseconds. */
export function exactTokenizer(compiled: CompiledTokenizer, options: ExactOptions = {}): Tokenizer {
  const { cache = new CacheBudget(), fillRandom = fillFromCrypto, now = () => performance.now() } = options;
  const { maxUncutUnits = Number.POSITIVE_INFINITY, dropsNul = false } = options;
  return new ExactTokenizer(compiled, { budget: cache, fillRandom, maxUncutUnits, dropsNul, now });
}

/**
 * Loads a `tokenizer.json`: into the exact engine when every feature of it is known to that, else into the official one, which answers with promises.
 * @throws Error when the file is not a tokenizer that the official engine understands
 */
export async function loadTokenizer(
  tokenizerJson: Buffer,
  tokenizerConfig?: JsonObject,
  options: TokenizerReading & ExactOptions = {},
): Promise<Tokenizer> {
  const compiled = readCompiledTokenizer(tokenizerJson, tokenizerConfig, options);
  return compiled === undefined
    ? readNativeTokenizer(tokenizerJson, tokenizerConfig, options)
    : exactTokenizer(compiled, options);
}
