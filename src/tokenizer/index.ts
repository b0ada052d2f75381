export { loadTokenizer } from "./native-tokenizer.ts";
export type { EncodeOptions, Tokenizer } from "./tokenizer.ts";
