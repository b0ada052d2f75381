import type { JsonObject } from "../json/index.ts";
import { asShape, type Shape } from "./json-shape.ts";
import { rebuiltTokenizer } from "./rebuilt-tokenizer.ts";
import { postProcessor, tokenOf } from "./special-template.ts";
import { declaredClass } from "./tokenizer-class.ts";
import { UnknownReading } from "./unknown-reading.ts";

/** The classes, as they are written in the file, whose `add_bos_token` SGLang obeys, each with the BOS it has when none is declared. */
const flaggedClasses: ReadonlyMap<string, string> = new Map([
  ["LlamaTokenizer", "<s>"],
  ["LlamaTokenizerFast", "<s>"],
  ["CodeLlamaTokenizer", "<s>"],
  ["CodeLlamaTokenizerFast", "<s>"],
  ["GemmaTokenizer", "<bos>"],
  ["GemmaTokenizerFast", "<bos>"],
  ["CohereTokenizerFast", "<BOS_TOKEN>"],
]);

/**
 * The tokenizer.json that SGLang works with (sglang@0.5.23 srt/utils/hf_transformers/tokenizer.py): what the class makes of it, with the file's
 * own pre-tokenizer where the class has one of another type, and with the BOS of `add_bos_token`.
 * @param name of the class that makes its own of the file; undefined for none
 */
export function asSglang(file: Shape, name: string | undefined, tokenizerConfig: JsonObject | undefined): Shape {
  const rebuilt = rebuiltTokenizer(file, name, tokenizerConfig);
  const own = file["pre_tokenizer"];
  const isRestored = own !== null && own !== undefined && typeOf(own) !== typeOf(rebuilt["pre_tokenizer"]);
  const bos = bosOf(file, tokenizerConfig);
  return {
    ...rebuilt,
    ...(isRestored ? { pre_tokenizer: own } : {}),
    ...(bos === undefined ? {} : { post_processor: bos }),
  };
}

function typeOf(component: unknown): unknown {
  return asShape(component, "pre_tokenizer")["type"];
}

/** The post-processor that follows `add_bos_token`; undefined where the class's stays. */
function bosOf(file: Shape, tokenizerConfig: JsonObject | undefined): Shape | undefined {
  const declared = tokenizerConfig?.get("tokenizer_class");
  const ownBos = typeof declared === "string" ? flaggedClasses.get(declared) : undefined;
  if (ownBos === undefined) return undefined;
  const isOff = tokenizerConfig?.get("add_bos_token") === false;
  if (isOff) return declaredClass(tokenizerConfig) === "CodeLlamaTokenizer" ? postProcessor(file, null) : undefined;
  const name = tokenOf(tokenizerConfig, "bos_token", ownBos);
  const made = postProcessor(file, name);
  if (made === undefined) throw new UnknownReading(`tokenizer.json: it has no ${name}, which is put before each text`);
  return made;
}
