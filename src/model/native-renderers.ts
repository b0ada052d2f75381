import type { JsonObject, JsonValue } from "../json/index.ts";
import type { ProfileName } from "./profile.ts";

type Engine = Exclude<ProfileName, "dynamo">;

/** Families whose prompts an engine builds in code of its own. */
interface Families {
  readonly types: RegExp;
  readonly architectures: RegExp;
  readonly names: RegExp;
}

const never = /(?!)/;

const families: Readonly<Record<Engine, Families>> = {
  /** vllm@0.33.0 config/model.py, which chooses the renderer by the architecture. */
  vllm: {
    types: never,
    architectures: /^(Alpamayo2Super|MoonshotKimia|KimiK3|DeepseekV32For|DeepseekV4|Inkling)/,
    names: never,
  },
  /** sglang@0.5.23 entrypoints/openai/chat_encoding.py and parser/conversation.py, which also goes by the model's path. */
  sglang: {
    types:
      /^(deepseek_v41|minimax_m3_vl|internvl_chat|deepseek_vl_v2|multi_modality|phi4mm|minicpm[vo]|moss_vl|(deepseek|unlimited)-ocr|paddleocr_vl|whisper)$/,
    architectures: /DeepseekV4|KimiK3|Inkling/,
    names:
      /\bpoints\b|moss.*vl|internvl|janus|vicuna|llava-v1\.[56]|llava-(next-video|onevision)|deepseek.*vl2|minicpm-[vo]|phi-4-multimodal|deepseek-ocr|unlimited|paddleocr|whisper/i,
  },
};

/** Whether an engine renders this model without its chat template. */
export function isRenderedNatively(profile: Engine, config: JsonObject, modelName: string): boolean {
  const { types, architectures, names } = families[profile];
  const type = config.get("model_type");
  const [architecture] = listOf(config.get("architectures"));
  if (typeof architecture === "string" && architectures.test(architecture)) return true;
  if (typeof type === "string" && types.test(type)) return true;
  return names.test(modelName);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
