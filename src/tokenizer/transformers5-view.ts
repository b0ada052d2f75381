import type { JsonObject } from "../json/index.ts";
import { asShape, type Shape } from "./json-shape.ts";

/**
 * Values of `model_type` for which AutoTokenizer takes tokenizer.json as it stands, whatever class is declared (transformers@5.24.0
 * models/auto/tokenization_auto.py: mapped to TokenizersBackend or MistralCommonBackend).
 */
const rawModelTypes: ReadonlySet<string> = new Set(
  (
    "EvollaModel arctic aria beam bigbird_pegasus camembertv2-base canary chatlm cohere_asr ernie4_5 " +
    "ernie4_5_moe flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr " +
    "got_ocr2 gpt_bigcode gradium_phonon_tts granite granitemoe granitemoehybrid granitemoeshared " +
    "h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder jamba kimi_k25 kimi_linear " +
    "kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv minicpmv4_6 minicpmv4_7 " +
    "minimax_m2 ministral ministral3 mistral mistral3 mistral_large4 mixtral modernbert modernbert- " +
    "decoder molmo molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid omniasr " +
    "opencua openvla paddleocr_vl pegasus_x persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts " +
    "smolvlm stablelm step3_vl umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl"
  ).split(" "),
);

/**
 * The tokenizer.json that AutoTokenizer of transformers 5 works with. For the class LlamaTokenizer it keeps only vocabulary, merges, added tokens and
 * post-processor, and puts Metaspace in place of the normaliser (transformers@5.24.0 models/llama/tokenization_llama.py), unless the file is
 * byte-level; any other file stays as it is.
 * @param modelType `model_type` of config.json
 */
export function asTransformers5(file: Shape, tokenizerConfig: JsonObject | undefined, modelType?: string): Shape {
  const declared = tokenizerConfig?.get("tokenizer_class");
  const isLlama = declared === "LlamaTokenizer" || declared === "LlamaTokenizerFast";
  if (!isLlama || (modelType !== undefined && rawModelTypes.has(modelType)) || isByteLevel(file)) return file;
  return {
    ...file,
    normalizer: null,
    pre_tokenizer: {
      type: "Metaspace",
      replacement: "\u2581",
      prepend_scheme: prependScheme(tokenizerConfig),
      split: false,
    },
    model: {
      ...asShape(file["model"], "model"),
      dropout: null,
      unk_token: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
    },
  };
}

/** As `asTransformers5`, on the text of the file. */
export function transformers5Json(json: string, tokenizerConfig: JsonObject | undefined, modelType?: string): string {
  return JSON.stringify(asTransformers5(asShape(JSON.parse(json), "tokenizer.json"), tokenizerConfig, modelType));
}

/** transformers looks for the word in the whole file. */
function isByteLevel({ model: _model, added_tokens: _addedTokens, ...rest }: Shape): boolean {
  return JSON.stringify(rest).includes('"ByteLevel"');
}

function prependScheme(tokenizerConfig: JsonObject | undefined): "always" | "first" | "never" {
  if (tokenizerConfig?.get("add_prefix_space") === false) return "never";
  return tokenizerConfig?.get("legacy") === true ? "always" : "first";
}
