export { CacheBudget } from "./cache-budget.ts";
export { type LoadTokenizerOptions, loadTokenizer } from "./load-tokenizer.ts";
export type { EncodedPrompt, EncodeOptions, Tokenizer, TokenizerView } from "./tokenizer.ts";
export { UncuttableText } from "./uncuttable-text.ts";
