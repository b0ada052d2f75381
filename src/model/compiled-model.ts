import type { EngineTraits } from "../api/index.ts";
import { type NativeFamily, nativeFamilyOf } from "../template/index.ts";
import {
  type CompiledTokenizer,
  readCompiledTokenizer,
  readNativeTokenizer,
  type TokenizerView,
} from "../tokenizer/index.ts";
import { engineTraits } from "./engine-traits.ts";
import type { ModelFiles } from "./model-files.ts";
import { ModelLoadError } from "./model-load-error.ts";
import { isRenderedNatively } from "./native-renderers.ts";
import { configModelType, configVocabularySize, type ParsedFiles, parseModelFiles } from "./parsed-files.ts";
import type { Profile } from "./profile.ts";
import { addedTexts } from "./segment-tokens.ts";
import { bosToken, specialTokenVariables } from "./special-tokens.ts";
import { type TemplateSources, templateSources } from "./template-source.ts";

/** What a model's files say, read once: plain values and shared memory, to be handed to other threads as a message. */
export interface CompiledModel {
  /** Undefined when only the official engine knows this tokenizer. */
  readonly tokenizer: CompiledTokenizer | undefined;
  /** First token id that the model does not have. */
  readonly idBound: number;
  readonly templates: TemplateSources;
  /** Variables that every render has: texts and null. */
  readonly variables: readonly (readonly [string, string | null])[];
  /** Who renders this model in the backend's own code, without its template; undefined where the template does. */
  readonly nativeFamily: NativeFamily | undefined;
  /** Whether an engine renders this model in its own code, which is not known here. */
  readonly isUnknownNative: boolean;
  /** What an engine's reading of requests depends on; undefined behind a frontend that is no engine. */
  readonly engine: EngineTraits | undefined;
  /** Undefined when the model declares none. */
  readonly bosToken: string | undefined;
  /** What the tokenizer takes for a token of its own, where a prompt has parts in which that counts as text; else empty. */
  readonly specialTexts: readonly string[];
}

/** Who reads the files. */
export interface CompileOptions {
  readonly name: string;
  readonly profile: Profile;
  /** Whose reading of the tokenizer's files counts. Default: the profile's. */
  readonly tokenizerView?: TokenizerView;
  /** Name of the reasoning parser that SGLang serves the model with. Default: none. */
  readonly reasoningParser?: string;
}

/**
 * Reads a model's files; takes 0.3 to 3 s, and blocks the thread meanwhile.
 * @throws ModelLoadError naming the file that cannot be used
 */
export function compileModel(options: CompileOptions, files: ModelFiles): CompiledModel {
  const parsed = parseModelFiles(files);
  const { profile } = options;
  const tokenizer = compiledTokenizer(options, files, parsed);
  const vocabularySize = tokenizer?.vocabularySize ?? officialTokenizer(options, files).vocabularySize;
  const nativeFamily =
    profile.name === "dynamo" ? nativeFamilyOf(configModelType(parsed.config), options.name) : undefined;
  const templates = templateSources(files, parsed);
  return {
    tokenizer,
    idBound: Math.max(configVocabularySize(parsed.config), vocabularySize),
    templates,
    variables: specialTokenVariables(parsed.tokenizerConfig, profile.templateDialect === "dynamo"),
    nativeFamily,
    isUnknownNative: profile.name !== "dynamo" && isRenderedNatively(profile.name, parsed.config, options.name),
    engine: translatedTraits(options, templates, parsed),
    bosToken: bosToken(parsed.tokenizerConfig),
    specialTexts: nativeFamily === "kimi-k3" ? addedTexts(files.tokenizerJson, parsed.tokenizerConfig) : [],
  };
}

/**
 * The official engine with a model's tokenizer; takes 0.3 to 1.5 s, and blocks the thread meanwhile.
 * @throws ModelLoadError
 */
export function officialTokenizer(options: CompileOptions, files: ModelFiles) {
  const parsed = parseModelFiles(files);
  return translated(() => readNativeTokenizer(files.tokenizerJson, parsed.tokenizerConfig, viewOf(options, parsed)));
}

function compiledTokenizer(options: CompileOptions, files: ModelFiles, parsed: ParsedFiles) {
  return translated(() => readCompiledTokenizer(files.tokenizerJson, parsed.tokenizerConfig, viewOf(options, parsed)));
}

function viewOf({ tokenizerView, profile }: CompileOptions, parsed: ParsedFiles) {
  return { view: tokenizerView ?? profile.tokenizerView, modelType: configModelType(parsed.config) };
}

function translatedTraits(
  { profile, reasoningParser }: CompileOptions,
  templates: TemplateSources,
  parsed: ParsedFiles,
) {
  try {
    return engineTraits({ profile, reasoningParser }, templates, parsed.config);
  } catch (cause) {
    throw new ModelLoadError(`chat template: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function translated<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ModelLoadError(`tokenizer.json: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
