import type { EngineTraits } from "../api/index.ts";
import { type NativeFamily, nativeFamilyOf } from "../template/index.ts";
import {
  type CompiledTokenizer,
  readCompiledTokenizer,
  readNativeTokenizer,
  type TokenizerView,
  UnknownReading,
} from "../tokenizer/index.ts";
import { engineTraits } from "./engine-traits.ts";
import type { ModelFiles } from "./model-files.ts";
import { ModelLoadError } from "./model-load-error.ts";
import { configModelType, configVocabularySize, type ParsedFiles, parseModelFiles } from "./parsed-files.ts";
import type { Profile } from "./profile.ts";
import { type SecondReading, sglangSecondReading } from "./second-reading.ts";
import { addedTexts } from "./segment-tokens.ts";
import { bosToken, specialTokenVariables } from "./special-tokens.ts";
import type { TemplateArg } from "./template-args.ts";
import { type TemplateSources, templateSources } from "./template-source.ts";
import { type MistralCommon, type UnknownPrompts, unknownPrompts } from "./unknown-prompts.ts";

/** What a model's files say, read once: plain values and shared memory, to be handed to other threads as a message. */
export interface CompiledModel {
  /** Undefined when only the official engine knows this tokenizer. */
  readonly tokenizer: CompiledTokenizer | undefined;
  /** First token id that the model does not have. */
  readonly idBound: number;
  readonly templates: TemplateSources;
  /** Variables that every render has, unless the request gives them. */
  readonly variables: readonly (readonly [string, TemplateArg])[];
  /** Who renders this model in the backend's own code, without its template; undefined where the template does. */
  readonly nativeFamily: NativeFamily | undefined;
  /** Why prompts of an engine are not known. */
  readonly unknown: UnknownPrompts;
  /** How SGLang tokenizes a multimodal model's prompts twice; undefined where it does not. */
  readonly secondReading: SecondReading | undefined;
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
  /** Whether the engine reads Mistral's own files in place of tokenizer.json. Default `auto`. */
  readonly mistralCommon?: MistralCommon;
  /** What the engine is given for variables of the template that a request does not set. Default: nothing. */
  readonly templateArgs?: Readonly<Record<string, TemplateArg>>;
  /** The engine's release, as `0.5.23`. Default: the newest that is known here. */
  readonly engineVersion?: string;
}

/**
 * Reads a model's files; takes 0.3 to 3 s, and blocks the thread meanwhile.
 * @throws ModelLoadError naming the file that cannot be used
 */
export function compileModel(options: CompileOptions, files: ModelFiles): CompiledModel {
  const parsed = parseModelFiles(files);
  const { profile } = options;
  const { read: tokenizer, unknownReason } = compiledTokenizer(options, files, parsed);
  const vocabularySize = tokenizer?.vocabularySize ?? officialTokenizer(options, files).vocabularySize;
  const nativeFamily =
    profile.name === "dynamo" ? nativeFamilyOf(configModelType(parsed.config), options.name) : undefined;
  const templates = templateSources(files, parsed, profile.name);
  return {
    tokenizer,
    idBound: Math.max(configVocabularySize(parsed.config), vocabularySize),
    templates,
    variables: [
      ...specialTokenVariables(parsed.tokenizerConfig, profile.templateDialect === "dynamo"),
      ...defaultArgs(options),
    ],
    nativeFamily,
    unknown: promptsUnknown(options, files, parsed, templates, unknownReason),
    secondReading: profile.name === "sglang" ? sglangSecondReading(parsed.config, tokenizer) : undefined,
    engine: translatedTraits(options, templates, parsed),
    bosToken: bosToken(parsed.tokenizerConfig),
    specialTexts:
      nativeFamily === "kimi-k3" || configModelType(parsed.config) === "gpt_oss"
        ? addedTexts(files.tokenizerJson, parsed.tokenizerConfig)
        : [],
  };
}

/** Engines alone have them. */
function defaultArgs({ profile, templateArgs = {} }: CompileOptions): readonly (readonly [string, TemplateArg])[] {
  return profile.name === "dynamo" ? [] : Object.entries(templateArgs);
}

function promptsUnknown(
  options: CompileOptions,
  files: ModelFiles,
  { config }: ParsedFiles,
  templates: TemplateSources,
  unknownReason: string | undefined,
): UnknownPrompts {
  if (unknownReason !== undefined) return { chat: undefined, text: unknownReason };
  const { profile, name, mistralCommon = "auto", engineVersion } = options;
  if (profile.name === "dynamo") return { chat: undefined, text: undefined };
  const sources = {
    config,
    name,
    template: templates.default,
    files: files.otherNames,
    mistralCommon,
    engineVersion,
    hasDefaultEffort: defaultArgs(options).some(([arg]) => arg === "reasoning_effort"),
  };
  return unknownPrompts(profile.name, sources);
}

/**
 * The official engine with a model's tokenizer; takes 0.3 to 1.5 s, and blocks the thread meanwhile.
 * @throws ModelLoadError
 */
export function officialTokenizer(options: CompileOptions, files: ModelFiles) {
  const parsed = parseModelFiles(files);
  const { tokenizerConfig } = parsed;
  return asViewed(options, parsed, (reading) => readNativeTokenizer(files.tokenizerJson, tokenizerConfig, reading))
    .read;
}

function compiledTokenizer(options: CompileOptions, files: ModelFiles, parsed: ParsedFiles) {
  const { tokenizerConfig } = parsed;
  return asViewed(options, parsed, (reading) => readCompiledTokenizer(files.tokenizerJson, tokenizerConfig, reading));
}

/** Where the backend's reading is not known the file counts as it stands, and no text has known tokens. */
function asViewed<T>(
  options: CompileOptions,
  parsed: ParsedFiles,
  read: (reading: ReturnType<typeof viewOf>) => T,
): { readonly read: T; readonly unknownReason: string | undefined } {
  return translated(() => {
    const reading = viewOf(options, parsed);
    try {
      return { read: read(reading), unknownReason: undefined };
    } catch (error) {
      if (!(error instanceof UnknownReading)) throw error;
      return { read: read({ ...reading, view: "raw" }), unknownReason: error.message };
    }
  });
}

function viewOf({ tokenizerView, profile }: CompileOptions, parsed: ParsedFiles) {
  return { view: tokenizerView ?? profile.tokenizerView, modelType: configModelType(parsed.config) };
}

function translatedTraits(options: CompileOptions, templates: TemplateSources, parsed: ParsedFiles) {
  try {
    const { profile, reasoningParser, engineVersion } = options;
    const traits = { profile, reasoningParser, engineVersion, variables: defaultArgs(options) };
    return engineTraits(traits, templates, parsed.config);
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
