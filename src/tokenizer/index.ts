export { CacheBudget } from "./cache-budget.ts";
export type { CompiledTokenizer } from "./compiled-tokenizer.ts";
export {
  type ExactOptions,
  exactTokenizer,
  loadTokenizer,
  readCompiledTokenizer,
  readNativeTokenizer,
  type TokenizerReading,
} from "./load-tokenizer.ts";
export type { TokenChain } from "./token-chain.ts";
export type { EncodedPrompt, EncodeOptions, OwnText, PromptHead, Tokenizer, TokenizerView } from "./tokenizer.ts";
export { UncuttableText } from "./uncuttable-text.ts";
export { UnknownReading } from "./unknown-reading.ts";
