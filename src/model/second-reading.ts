import { JsonObject } from "../json/index.ts";
import type { CompiledTokenizer } from "../tokenizer/index.ts";
import { firstArchitecture } from "./unknown-prompts.ts";

/**
 * SGLang makes text of the tokens of a multimodal model's prompt and tokenizes that again, with special tokens (sglang@0.5.23
 * serving_chat.py _engine_prompt).
 */
export interface SecondReading {
  /** Chat and Messages without media keep their first tokens; Responses never do. */
  readonly sparesChat: boolean;
  /** The text of the tokens is the text of the prompt, so that the second tokens are known. */
  readonly isExact: boolean;
}

/** Architectures that serve as text models, unless SGLang is told otherwise. */
const textByDefault: ReadonlySet<string> = new Set([
  "Gemma3ForConditionalGeneration",
  "Llama4ForConditionalGeneration",
  "Step3VLForConditionalGeneration",
  "InklingForConditionalGeneration",
]);

/** Names under which a configuration holds that of its language model: then it counts as multimodal. */
const innerConfigs = ["thinker_config", "llm_config", "language_config", "text_config"];

/** Architectures that are multimodal whatever else they hold (sglang@0.5.23 configs/model_config.py multimodal_model_archs). */
const multimodal: ReadonlySet<string> = new Set([
  ...(
    "Cohere2Vision Cosmos3Edge Ernie4_5_VLMoe MiniMaxM3Sparse Gemma3n Gemma4 Gemma4Unified Glm4v Glm4vMoe Glm5Next GlmOcr " +
    "GlmAsr GlmImage Llava Lfm2Vl LightOnOCR Mistral3 Mllama MossVL MuseGlimmer MuseSpark Pixtral Qwen2Audio Qwen2VL " +
    "Qwen2_5_VL Qwen3VL Qwen3VLMoe Qwen3_5 Qwen3_5Moe Qwen4Exp InternS2Preview InternS2Mobius Qwen3ASR Qwen3OmniMoe KimiVL " +
    "LocateAnything InternS1 InternS1Pro Voxtral Whisper NVILA NVILALite JetVLM PaddleOCRVL StepVL Step3p7 KimiK25 " +
    "BailingMMNative BailingMM2Native BailingMoeV3VL"
  )
    .split(" ")
    .map((name) => `${name}ForConditionalGeneration`),
  ...(
    "CLIPModel DeepseekVL2ForCausalLM EmbeddingGemma2Model DiffusionGemmaForBlockDiffusion Grok1VForCausalLM " +
    "Grok1AForCausalLM LlavaLlamaForCausalLM LlavaMistralForCausalLM LlavaQwenForCausalLM LlavaVidForCausalLM " +
    "MiMoV2ASRForCausalLM MiniCPMO MiniCPMV MultiModalityCausalLM NemotronH_Nano_VL_V2 NemotronH_Nano_Omni_Reasoning_V3 " +
    "NemotronH_Omni_Reasoning_V3 InternVLChatModel Phi4MMForCausalLM POINTSV15ChatModel DotsVLMForCausalLM " +
    "Dots3NoteForCausalLM DotsOCRForCausalLM Sarashina2VisionForCausalLM DeepseekOCRForCausalLM UnlimitedOCRForCausalLM " +
    "MiDashengLMModel"
  ).split(" "),
]);

/**
 * How SGLang reads a model's prompts twice; undefined when it does not.
 * @param tokenizer undefined when only the official engine knows it
 */
export function sglangSecondReading(
  config: JsonObject,
  tokenizer: CompiledTokenizer | undefined,
): SecondReading | undefined {
  if (!isMultimodal(config)) return undefined;
  if (tokenizer === undefined) return { sparesChat: false, isExact: false };
  const { before, after } = tokenizer.affixes;
  return { sparesChat: before.length + after.length === 0, isExact: tokenizer.decodesToItsText };
}

function isMultimodal(config: JsonObject): boolean {
  const architecture = firstArchitecture(config);
  if (textByDefault.has(architecture) || config.get("language_model_only") === true) return false;
  if (architecture === "MiMoV2ForCausalLM") return config.has("vision_config") && config.has("audio_config");
  if (multimodal.has(architecture)) return true;
  return innerConfigs.some((name) => config.get(name) instanceof JsonObject);
}
