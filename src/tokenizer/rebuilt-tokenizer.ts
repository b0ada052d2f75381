import type { JsonObject } from "../json/index.ts";
import { asShape, type Shape } from "./json-shape.ts";
import { postProcessor, tokenOf } from "./special-template.ts";
import { UnknownReading } from "./unknown-reading.ts";

/** What a class of transformers 5 puts in place of the file's components. */
interface Rebuilt {
  readonly normalizer: Shape | null;
  readonly pre_tokenizer: Shape;
  readonly model: Shape;
  /** In place of the file's; undefined where that stays. */
  readonly post_processor?: Shape | undefined;
}

type Rebuild = (tokenizerConfig: JsonObject | undefined, file: Shape) => Rebuilt;

const byteLevelBpe = { unk_token: null, fuse_unk: false, byte_fallback: false };
const nfc = { type: "NFC" };
const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const spaces = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

/** transformers@5.19.0 and 5.24.0, `__init__` of models/NAME/tokenization_NAME.py. */
const rebuilds: Readonly<Record<string, Rebuild>> = {
  LlamaTokenizer: (config) => ({
    normalizer: null,
    pre_tokenizer: metaspace(hasPrefixSpace(config, true) ? llamaScheme(config) : "never"),
    model: { unk_token: null, fuse_unk: true, byte_fallback: true },
  }),
  CodeLlamaTokenizer: (config, file) => ({
    normalizer: null,
    pre_tokenizer: metaspace(hasPrefixSpace(config, true) ? "first" : "never"),
    model: { unk_token: tokenOf(config, "unk_token", "<unk>"), fuse_unk: true, byte_fallback: true },
    post_processor: postProcessor(file, tokenOf(config, "bos_token", "<s>")),
  }),
  GemmaTokenizer: (config) => ({
    normalizer: { type: "Replace", pattern: { String: " " }, content: "\u2581" },
    pre_tokenizer: { type: "Split", pattern: { String: " " }, behavior: "MergedWithPrevious", invert: false },
    model: { unk_token: tokenOf(config, "unk_token", "<unk>"), fuse_unk: true, byte_fallback: true },
  }),
  Qwen2Tokenizer: qwen(`${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${spaces}`),
  Qwen3_5Tokenizer: qwen(
    `${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${spaces}`,
  ),
  GPT2Tokenizer: gpt2,
  CodeGenTokenizer: gpt2,
  GPTNeoXTokenizer: (config, file) => ({
    normalizer: nfc,
    pre_tokenizer: byteLevel(config, true),
    model: byteLevelBpe,
    post_processor: postProcessor(file, null),
  }),
  CohereTokenizer: (config) => ({
    normalizer: nfc,
    pre_tokenizer: sequence({ type: "Digits", individual_digits: true }, byteLevel(config, true)),
    model: byteLevelBpe,
  }),
};

/** Classes of transformers@5.19.0 that have code of their own which is not known here, without the ending of their names. */
const unknownClasses: ReadonlySet<string> = new Set(
  (
    "Albert Bart Barthez Bartpho BertGeneration BertJapanese Bert Bertweet BigBird BioGpt BlenderbotSmall Blenderbot " +
    "ByT5 CLIP CTRL Camembert Canine Clvp ConvBert CpmAnt Cpm DPRContextEncoder DPRQuestionEncoder DPRReader Deberta " +
    "DebertaV2 Dia DistilBert Electra Esm Esmc FNet FSMT FastSpeech2Conformer Flaubert Funnel GPTNeoXJapanese GPTSw3 " +
    "Herbert LED Lasr LayoutLM LayoutLMv2 LayoutLMv3 LayoutXLM Longformer Luke Lxmert M2M100 MBart50 MBart MLuke " +
    "MPNet Marian MarkupLM Mgpstr MobileBert Mvp MyT5 Nllb Nougat OpenAIGPT PLBart Parakeet Pegasus Perceiver Phi3 " +
    "Phobert Pop2Piano ProphetNet Rag Reformer RemBert RoCBert RoFormer Roberta SeamlessM4T Siglip2 Siglip " +
    "Speech2Text SpeechT5 Splinter SqueezeBert T5 Tapas Tipsv2 Udop VideoPrism Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC " +
    "Whisper XGLM XLMRoberta XLM XLNet"
  ).split(" "),
);

/**
 * Refuses a class whose reading of such a file is not known: another one than the generic class, which takes a file as it stands.
 * @throws UnknownReading
 */
export function checkClass(file: Shape, name: string | undefined): void {
  if (name === undefined) return;
  const isKnown = Object.hasOwn(rebuilds, name) ? isBpe(file) : !unknownClasses.has(name.replace(/Tokenizer$/, ""));
  if (!isKnown)
    throw new UnknownReading(`tokenizer_config.json: what the tokenizer_class ${name} makes of the file is not known`);
}

/** The class, when it makes its own of such a file; undefined when it takes it as it stands. */
export function rebuildingClass(file: Shape, name: string | undefined): string | undefined {
  return isBpe(file) && name !== undefined && Object.hasOwn(rebuilds, name) ? name : undefined;
}

function isBpe(file: Shape): boolean {
  const model = asShape(file["model"], "model");
  return model["type"] === "BPE" || (model["type"] === undefined && model["merges"] !== undefined);
}

/**
 * What a class of transformers 5 makes of a tokenizer.json: of what stands there it keeps vocabulary, merges and post-processor.
 * @param name as of `rebuildingClass`
 */
export function rebuiltTokenizer(
  file: Shape,
  name: string | undefined,
  tokenizerConfig: JsonObject | undefined,
): Shape {
  const rebuild = name === undefined ? undefined : rebuilds[name];
  if (rebuild === undefined) return file;
  const made = rebuild(tokenizerConfig, file);
  return {
    ...file,
    normalizer: made.normalizer,
    pre_tokenizer: made.pre_tokenizer,
    post_processor: made.post_processor ?? file["post_processor"] ?? null,
    model: {
      ...asShape(file["model"], "model"),
      dropout: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      ignore_merges: false,
      ...made.model,
    },
  };
}

function gpt2(config: JsonObject | undefined): Rebuilt {
  return { normalizer: null, pre_tokenizer: byteLevel(config, true), model: byteLevelBpe };
}

function qwen(pattern: string): Rebuild {
  const words = { type: "Split", pattern: { Regex: pattern }, behavior: "Isolated", invert: false };
  return (config) => ({
    normalizer: nfc,
    pre_tokenizer: sequence(words, byteLevel(config, false)),
    model: byteLevelBpe,
  });
}

function sequence(...steps: readonly Shape[]): Shape {
  return { type: "Sequence", pretokenizers: steps };
}

function byteLevel(config: JsonObject | undefined, usesOwnPattern: boolean): Shape {
  return {
    type: "ByteLevel",
    add_prefix_space: hasPrefixSpace(config, false),
    trim_offsets: true,
    use_regex: usesOwnPattern,
  };
}

function metaspace(scheme: "always" | "first" | "never"): Shape {
  return { type: "Metaspace", replacement: "\u2581", prepend_scheme: scheme, split: false };
}

function llamaScheme(config: JsonObject | undefined): "always" | "first" {
  return config?.get("legacy") === true ? "always" : "first";
}

function hasPrefixSpace(config: JsonObject | undefined, otherwise: boolean): boolean {
  const declared = config?.get("add_prefix_space");
  return typeof declared === "boolean" ? declared : otherwise;
}
