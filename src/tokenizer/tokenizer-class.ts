import { JsonObject } from "../json/index.ts";

/**
 * Values of `model_type` for which AutoTokenizer takes tokenizer.json as it stands, whatever class is declared (transformers@5.19.0 and 5.24.0
 * models/auto/tokenization_auto.py: mapped to TokenizersBackend or MistralCommonBackend). Some (deepseek_*,
 * chameleon, janus) are on the list of 5.19.0 alone, which SGLang pins.
 */
const rawModelTypes: ReadonlySet<string> = new Set(
  (
    "EvollaModel arctic aria beam bigbird_pegasus camembertv2-base canary chameleon chatlm cohere_asr deepseek_ocr deepseek_ocr2 " +
    "deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 deepseek_vl deepseek_vl_hybrid deepseek_vl_v2 ernie4_5 ernie4_5_moe " +
    "flex_olmo fuyu glm glm4 glm4_moe glm4_moe_lite glm4v glm4v_moe glm_image glmasr got_ocr2 gpt_bigcode gradium_phonon_tts " +
    "granite granitemoe granitemoehybrid granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm internlm2 internlm3 iquestcoder " +
    "jamba janus kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpm_ocr minicpmv minicpmv4_6 " +
    "minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3 mistral_large4 mixtral modernbert modernbert-decoder molmo " +
    "molmo2 nemo_speechlm nemotron nvfp4 nystromformer olmo2 olmo3 olmo_hybrid omniasr opencua openvla paddleocr_vl pegasus_x " +
    "persimmon phi3 phi3_v phimoe pix2struct pixtral pocket_tts smolvlm stablelm step3_vl step3p5 umt5 vipllava voxtral " +
    "voxtral_realtime xlm-roberta-xl"
  ).split(" "),
);

/** Classes that are taken for a `model_type` whatever is declared. */
const forcedClasses: ReadonlyMap<string, string> = new Map([
  ["hyperclovax_vision_v2", "GPT2Tokenizer"],
  ["qwen2", "Qwen2Tokenizer"],
  ["qwen3_5", "Qwen3_5Tokenizer"],
  ["qwen3_5_moe", "Qwen3_5Tokenizer"],
  ["qwen3_5_moe_text", "Qwen3_5Tokenizer"],
  ["qwen4_exp", "Qwen3_5Tokenizer"],
]);

/** Classes that are taken for a `model_type` when none is declared, as far as they make their own of a file. */
const registeredClasses: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Qwen2Tokenizer:
      "audioflamingo3 colqwen2 cosmos3_omni dots3_note fun_asr_nano hunyuan_vl internvl lighton_ocr " +
      "moss_transcribe_diarize ovis2 qianfan_ocr qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl qwen3 " +
      "qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice",
    Qwen3_5Tokenizer: "qwen3_5_text",
    GemmaTokenizer:
      "diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 t5gemma zaya",
    CohereTokenizer: "aya_vision cohere cohere2",
    GPT2Tokenizer: "blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj instructblip instructblipvideo jais2 opt phi starcoder2",
    GPTNeoXTokenizer: "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm",
    CodeLlamaTokenizer: "code_llama",
    LlamaTokenizer: "idefics idefics2",
  }).flatMap(([name, types]) => types.split(" ").map((type) => [type, name])),
);

/** `tokenizer_class` without the ending that says nothing any more. */
export function declaredClass(tokenizerConfig: JsonObject | undefined): string | undefined {
  const declared = tokenizerConfig?.get("tokenizer_class");
  return typeof declared === "string" ? declared.replace(/Fast$/, "") : undefined;
}

/**
 * The class that AutoTokenizer of transformers 5 makes of a model's files; undefined where it takes tokenizer.json as it stands.
 * @param modelType `model_type` of config.json
 */
export function loadedClass(tokenizerConfig: JsonObject | undefined, modelType?: string): string | undefined {
  if (hasOwnCode(tokenizerConfig) || (modelType !== undefined && rawModelTypes.has(modelType))) return undefined;
  const declared = declaredClass(tokenizerConfig);
  if (modelType === undefined) return declared;
  return forcedClasses.get(modelType) ?? declared ?? registeredClasses.get(modelType);
}

/** The tokenizer comes with Python code of its own. */
function hasOwnCode(tokenizerConfig: JsonObject | undefined): boolean {
  const map = tokenizerConfig?.get("auto_map");
  if (Array.isArray(map)) return true;
  const own = map instanceof JsonObject ? map.get("AutoTokenizer") : undefined;
  return own !== undefined && own !== null;
}
