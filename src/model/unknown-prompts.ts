import type { JsonObject, JsonValue } from "../json/index.ts";
import { isGlm53Template } from "./engine-sglang-reasoning.ts";
import { unknownVersion } from "./engine-version.ts";
import type { Engine } from "./profile.ts";

/** Why an engine's prompts of a model are not known, though its files can be read; undefined where they are. */
export interface UnknownPrompts {
  /** Of conversations. */
  readonly chat: string | undefined;
  /** Of texts, and with them of conversations. */
  readonly text: string | undefined;
}

/** Whether an engine reads Mistral's own files in place of Hugging Face's: as the engine decides it, or as it is told to. */
export type MistralCommon = "auto" | "always" | "never";

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

export interface PromptSources {
  readonly config: JsonObject;
  /** Name under which the model is served. */
  readonly name: string;
  readonly template: string | undefined;
  /** Names of the files of the model's repository, as far as they are known. */
  readonly files: readonly string[];
  readonly mistralCommon: MistralCommon;
  /** The engine's release; undefined: the newest. */
  readonly engineVersion: string | undefined;
  /** The engine is given a reasoning effort for requests; SGLang puts it over theirs. */
  readonly hasDefaultEffort: boolean;
}

export function unknownPrompts(engine: Engine, sources: PromptSources): UnknownPrompts {
  const text = readsMistralFiles(engine, sources)
    ? "the engine reads Mistral's own tokenizer files (tekken.json, tokenizer.model.v*), not tokenizer.json"
    : undefined;
  const native = isRenderedNatively(engine, sources)
    ? "the backend renders this model without its template"
    : undefined;
  const effort =
    engine === "sglang" && sources.hasDefaultEffort
      ? "a reasoning effort that the engine is given for all requests"
      : undefined;
  const chat =
    effort ?? unknownVersion(engine, sources.engineVersion, sources.config.get("model_type") === "gpt_oss") ?? native;
  return { chat, text };
}

function isRenderedNatively(engine: Engine, { config, name, template }: PromptSources): boolean {
  const { types, architectures, names } = families[engine];
  const type = config.get("model_type");
  const architecture = firstArchitecture(config);
  if (architectures.test(architecture)) return true;
  if (typeof type === "string" && types.test(type)) return true;
  if (engine === "sglang" && isGlm53(architecture, template)) return true;
  return names.test(name);
}

/** SGLang has Python code in place of these templates (sglang@0.5.23 parser/python_chat_template.py). */
function isGlm53(architecture: string, template: string | undefined): boolean {
  if (architecture !== "GlmMoeDsaForCausalLM" && architecture !== "Glm5NextForConditionalGeneration") return false;
  return template !== undefined && isGlm53Template(template);
}

/**
 * vLLM does where the repository has both forms of weights' names and tokenizers (vllm@0.33.0 tokenizers/registry.py
 * resolve_tokenizer_args); a folder without any weights does not tell, and counts as such a repository. SGLang, by
 * AutoTokenizer, where there is a tekken.json.
 */
function readsMistralFiles(engine: Engine, { files, mistralCommon }: PromptSources): boolean {
  if (mistralCommon !== "auto") return mistralCommon === "always";
  if (engine === "sglang") return files.includes("tekken.json");
  if (!files.some((file) => file === "tekken.json" || file.startsWith("tokenizer.model.v"))) return false;
  const weights = files.filter((file) => file.endsWith(".safetensors"));
  return weights.length === 0 || weights.some((file) => file.startsWith("consolidated"));
}

/** The first of `architectures`, which decides; empty when there is none. */
export function firstArchitecture(config: JsonObject): string {
  const architectures = config.get("architectures");
  const [first] = Array.isArray(architectures) ? (architectures as readonly JsonValue[]) : [];
  return typeof first === "string" ? first : "";
}
